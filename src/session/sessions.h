// The sessions of this process, by owner.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "browsers/pool.h"
#include "session/session.h"
#include "util/task_set.h"
#include "util/timer.h"

namespace session {

// Names are unique within an owner: a connection, or an authenticated principal; empty: the user that the
// server runs as. A session without a name is the owner's own.
struct SessionKey {
    std::string owner;
    std::string name;

    auto operator<=>(const SessionKey&) const = default;
};

// Owner of the sessions of network callers that cannot be told apart: found by name, and never listed.
inline constexpr std::string_view kAnybody = "anybody";

// The settings that a session was created with.
struct SessionSetup {
    std::string principal = {};            // the authenticated creator, if any
    bool same_user = false;                // its client runs as the server's user on this machine
    std::filesystem::path directory = {};  // that client's working directory; empty: the server's
    bool is_successor = false;             // its client had a session that ended with another server
    std::optional<browsers::Isolation> isolation = {};
    std::string user_agent = {};
    std::optional<engine::Size> viewport = {};
    json::value storage_state = nullptr;
    std::vector<std::string> permissions = {};  // replace the server's, unless empty
    json::value geolocation = nullptr;
    std::optional<Budget> budget = {};  // instead of the server's
};

struct SessionsOptions {
    browsers::PoolOptions pool;
    SessionOptions session;
    std::chrono::milliseconds browser_idle{0};  // closes an unused session's browser after this; zero: never
    std::chrono::milliseconds sweep_interval{30'000};
    // Adds the options that depend on a session's identity, before it is created.
    std::function<void(const std::shared_ptr<const engine::SessionIdentity>& identity,
                       SessionOptions& options)>
        prepare = {};
    // Sets the places of a session's files, by its identity and the id of its saved state.
    std::function<void(const engine::SessionIdentity& identity, const std::string& id,
                       const SessionSetup& setup, SessionOptions& options)>
        place_files = {};
    // Called when a session hibernates, wakes up, loses its browser or ends.
    std::function<void(const SessionKey& key, store::SessionState state)> changed = {};
    // Called with each event of a session's tab, by the tab's id.
    std::function<void(const SessionKey& key, const std::string& tab, TabEvent event)> tab_event = {};
    std::chrono::milliseconds hibernate_after{0};  // hibernates a session unused for this long; zero: never
    // For this long after its last call, a session makes no room for another.
    std::chrono::milliseconds min_stay{1'000};
    // This long after it got its browser, it makes room between two of its calls, however quickly they
    // follow.
    std::chrono::milliseconds max_stay{5'000};
    std::function<Session::Clock::time_point()> clock = &Session::Clock::now;
    std::chrono::milliseconds grace{0};  // how long a session outlives its lost connection
    // Whether an owner is away and may come back: until then, others may resume its sessions as if its
    // connection were lost.
    std::function<bool(const std::string& owner)> is_absent = {};
    // Where the state of resumable sessions is saved. Null: in memory.
    std::shared_ptr<CheckpointStore> checkpoints = {};
    // Sessions of connections can be resumed by id: tools give and take the ids.
    bool resumable = false;
};

// Creates sessions on first use, and ends them with their owner. Lives on the main loop.
class Sessions {
public:
    struct Entry {
        std::shared_ptr<Session> session;
        std::shared_ptr<SessionKey> key;  // the present key: a caller that resumes a session may rename it
        SessionSetup setup;
        std::shared_ptr<engine::SessionIdentity> identity = {};  // of its present owner
        std::string id = {};                                     // of its saved state: see stable_id
        // Its connection is gone: a caller that resumes it by that id gets it.
        bool orphaned = false;
        std::shared_ptr<void> lease = {};  // on the id, if other servers could have it, too
        std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
    };

    Sessions(Loop& loop, SessionsOptions options, browsers::Launch launch, Log& log,
             browsers::Connect connect = {});
    ~Sessions();

    // Starts the browsers that run before the first request.
    void start_browsers() { pool_->start_browsers(); }
    // Creates the session on first use; fails when there are far too many. An earlier session of the same
    // name or id is restored by its first call.
    Result<std::shared_ptr<Session>> session(const SessionKey& key, SessionSetup setup = {});
    // Null when there is none of that name; sessions of other owners are not found.
    const Entry* find(const SessionKey& key) const;
    // The owner's sessions, by name.
    std::vector<std::pair<std::string, const Entry*>> list(const std::string& owner) const;
    struct Earlier {
        std::string name;
        pid_t holder = 0;  // the process id of another server that has it now; 0: none
    };
    // The owner's sessions of an earlier run or another server, which this one has not used yet.
    Task<std::vector<Earlier>> list_earlier(std::string owner);
    // Ends a session and gives its browser context back. False when there was none.
    Task<bool> close(SessionKey key);
    // Ends a session that no client was notified of: its name can be used as if new.
    void discard(const SessionKey& key);
    // Whether a session of this name was closed and none created since. Never true for an owner's own
    // session.
    bool was_closed(const SessionKey& key) const { return closed_.contains(key); }
    void note_closed(const SessionKey& key);
    // Allows a new session of this name.
    void allow_again(const SessionKey& key) { closed_.erase(key); }
    // The error for a caller that uses such a name.
    static Error closed_error(const std::string& name);
    // Resumes a hibernated, crashed, orphaned or earlier session by name or id. Fails with SessionNotFound,
    // also for other owners' sessions. The error says why a name cannot be resumed, if that is known.
    Task<std::shared_ptr<Session>> resume(std::string owner, std::string id, SessionSetup setup = {});
    // Goodbye: all sessions of the owner end. Lost: they wait for the grace period; after it, or at once when
    // it has already passed (Expired), those with a name hibernate and the others end.
    enum class Leave { Goodbye, Lost, Expired };
    void end_owner(const std::string& owner, Leave how = Leave::Goodbye);
    std::size_t count() const { return sessions_.size(); }
    // The budget of a session that was given none of its own.
    const Budget& budget() const { return options_.session.budget; }
    // Number of sessions with a browser context.
    std::size_t live_count() const;
    // Hibernates the idle session that was not used for the longest time. False when there is none.
    Task<bool> hibernate_one();

    // Logs what `close_all` is going to close; `others` counts browsers that are closed elsewhere.
    void announce_close(std::size_t others = 0);
    // Saves sessions that another run can resume, and ends all sessions and browsers.
    Task<> close_all();

    // How long a session lives, unless it is closed.
    struct Lifetime {
        std::chrono::milliseconds hibernates_after;  // zero: never
        bool ends_with_connection;
    };
    Lifetime lifetime(const Entry& entry) const;
    // The id of a session's state: owner and name where another connection can have the same, a name that is
    // an unguessable id by itself, and else a new id.
    static std::string stable_id(const SessionKey& key);
    static std::string new_id();
    // The part of the id that session_resume takes from any caller; empty: its owner asks for it by name.
    static std::string resume_id(const Entry& entry);

private:
    // The sessions by key, and by id.
    class Table {
    public:
        using Map = std::map<SessionKey, Entry>;
        using iterator = Map::iterator;
        using const_iterator = Map::const_iterator;

        iterator begin() { return by_key_.begin(); }
        iterator end() { return by_key_.end(); }
        const_iterator begin() const { return by_key_.begin(); }
        const_iterator end() const { return by_key_.end(); }
        bool empty() const { return by_key_.empty(); }
        std::size_t size() const { return by_key_.size(); }
        iterator find(const SessionKey& key) { return by_key_.find(key); }
        const_iterator find(const SessionKey& key) const { return by_key_.find(key); }
        iterator find_id(const std::string& id);
        const_iterator lower_bound(const SessionKey& key) const { return by_key_.lower_bound(key); }
        iterator lower_bound(const SessionKey& key) { return by_key_.lower_bound(key); }
        Entry& at(const SessionKey& key) { return by_key_.at(key); }

        Entry& add(const SessionKey& key, Entry entry);
        iterator erase(iterator session);
        void set_id(iterator session, const std::string& id);
        // Also changes the key that the entry shares.
        Entry& rename(iterator session, SessionKey key);
        void clear();

    private:
        Map by_key_;
        std::unordered_map<std::string, std::shared_ptr<SessionKey>> keys_;  // by id
    };
    static bool is_of_connection(const SessionKey& key);
    bool comes_back(const SessionKey& key, const Entry& entry) const;
    bool is_another_busy(const SessionKey& key) const;
    static engine::SessionIdentity identity_of(const SessionKey& key, const SessionSetup& setup);
    bool keeps_checkpoints(const SessionKey& key, const SessionSetup& setup, std::string_view id) const;
    Error not_found(const SessionKey& key) const;
    Task<std::shared_ptr<engine::Context>> open(SessionKey key, std::filesystem::path workspace);
    void take_context_in_memory(const SessionKey& key, std::string note);
    Persistence persistence_for(const SessionKey& key, const std::string& id);
    bool is_isolated(const SessionKey& key, const SessionSetup& setup) const;
    Entry* find_by_id(const std::string& id);
    // Gives the session another key.
    Entry& rename(Table::iterator session, SessionKey key);
    // Whether the session that another server had under this name can now replace its stand-in here.
    Task<bool> can_replace_stand_in(SessionKey key);
    Task<bool> forget_earlier(SessionKey key);
    std::optional<Session::MayEnd> may_end_for_room(const Session& session) const;
    Task<bool> hibernate_longest_awake();
    Task<> checkpoint_all();
    Task<> close_own_tabs();
    Table::iterator end(Table::iterator session);
    void notify_state(const std::string& id, store::SessionState state);
    void end_orphans(const std::string& owner);
    Task<> put_away(std::shared_ptr<Session> session);
    void sweep_later();
    void sweep();

    Loop& loop_;
    SessionsOptions options_;
    Log& log_;
    std::shared_ptr<browsers::Pool> pool_;
    Table sessions_;
    std::set<SessionKey> closed_;
    TaskSet background_;
    Timer sweeper_;
    bool sweeping_ = false;
    std::shared_ptr<CheckpointStore> checkpoints_;        // of resumable sessions
    std::shared_ptr<CheckpointStore> crash_checkpoints_;  // of the others
    std::map<std::string, Timer> graces_;                 // by owner
};

}  // namespace session
