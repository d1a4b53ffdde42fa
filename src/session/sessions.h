// The sessions of this process, by who they belong to.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "session/pool.h"
#include "session/session.h"

namespace session {

// Names are unique within an owner: a connection, or whoever was authenticated; empty: the user that the
// server runs as. Without a name it is the owner's own.
struct SessionKey {
    std::string owner;
    std::string name;

    auto operator<=>(const SessionKey&) const = default;
};

// Owns what callers have whom nothing tells apart, on a network: found by those who know its name, and listed
// to nobody.
inline constexpr std::string_view kAnybody = "anybody";

// What a session was made with.
struct SessionSetup {
    std::string principal = {};            // who was authenticated where it was made, if anybody was
    bool same_user = false;                // its client runs as the server's user on this machine
    std::filesystem::path directory = {};  // that client's working directory; empty: the server's
    std::optional<Isolation> isolation = {};
    std::string user_agent = {};
    std::optional<engine::Size> viewport = {};
    json::value storage_state = nullptr;
    std::vector<std::string> permissions = {};  // in place of the server's, where there are any
    json::value geolocation = nullptr;
    std::optional<Budget> budget = {};  // instead of the server's
};

struct SessionsOptions {
    PoolOptions pool;
    SessionOptions session;
    std::chrono::milliseconds browser_idle{
        0};  // unused for so long, a session's browser is closed; zero: never
    std::chrono::milliseconds sweep_interval{30'000};
    // Adds to the options of a session before it is made what depends on whose it is.
    std::function<void(const std::shared_ptr<const engine::Holder>& holder, SessionOptions& options)>
        prepare = {};
    // Sets where the session's files are, by whose it is and the id that it is kept under.
    std::function<void(const engine::Holder& holder, const std::string& id, const SessionSetup& setup,
                       SessionOptions& options)>
        place_files = {};
    // Told of each session that hibernates, wakes up, loses its browser or ends.
    std::function<void(const SessionKey& key, store::SessionState state)> changed = {};
    // Told what becomes of each session's tabs, by their ids.
    std::function<void(const SessionKey& key, const std::string& tab, TabEvent event)> tab_event = {};
    std::chrono::milliseconds hibernate_after{0};  // unused for so long, a session hibernates; zero: never
    // So long after its last call a session makes no room for another.
    std::chrono::milliseconds min_stay{1'000};
    std::function<Session::Clock::time_point()> clock = &Session::Clock::now;
    std::chrono::milliseconds grace{0};  // a session outlives its lost connection by so much
    // Whether an owner is away and may come back: until then, others may resume its sessions as if it were
    // lost.
    std::function<bool(const std::string& owner)> is_absent = {};
    // Where the state of sessions goes that somebody can ask for again. Null: into memory.
    std::shared_ptr<Vault> vault = {};
    // Sessions of connections can be asked for by their ids: there are tools to learn and use them.
    bool resumable = false;
};

// Makes sessions when they are first asked for, and ends them with their owner. Lives on the main loop.
class Sessions {
public:
    struct Entry {
        std::shared_ptr<Session> session;
        SessionSetup setup;
        std::shared_ptr<engine::Holder> holder = {};  // whose it is now
        std::string id = {};                          // under which its state is kept: see stable_id
        // Who resumes it by that id gets it; its own connection is gone.
        bool orphaned = false;
        std::shared_ptr<void> lease = {};  // on the id, where other servers could have it, too
        std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
    };

    Sessions(Loop& loop, SessionsOptions options, Launch launch, Log& log, Connect connect = {});
    ~Sessions();

    // Starts the browsers that are to run before anybody asks.
    void start_browsers() { pool_->start_browsers(); }
    // Made on first use; fails when there are far too many. One that was there before, under the same name or
    // id, comes back with its first call.
    Result<std::shared_ptr<Session>> session(const SessionKey& key, SessionSetup setup = {});
    // Nothing when there is none of that name: another owner's is not there.
    const Entry* find(const SessionKey& key) const;
    // The owner's, by name.
    std::vector<std::pair<std::string, const Entry*>> list(const std::string& owner) const;
    struct Earlier {
        std::string name;
        pid_t holder = 0;  // the process of another server that has it now; 0: nobody has
    };
    // The owner's sessions that an earlier run left, or another server has, and this one has not used yet.
    Task<std::vector<Earlier>> list_earlier(std::string owner);
    // Ends one and gives its browser context back. False when there was none.
    Task<bool> close(SessionKey key);
    // Whether a session of this name was closed, and none made since. An owner's own is never closed for
    // good.
    bool was_closed(const SessionKey& key) const { return closed_.contains(key); }
    void note_closed(const SessionKey& key);
    // The name may be used for a new session.
    void allow_again(const SessionKey& key) { closed_.erase(key); }
    // What a caller is told who uses such a name.
    static Error closed_error(const std::string& name);
    // A hibernated, crashed, orphaned or earlier session of this name or id. Fails with SessionNotFound: what
    // is another's is not there. The error says why a name cannot come back, where that is known.
    Task<std::shared_ptr<Session>> resume(std::string owner, std::string id, SessionSetup setup = {});
    // The owner said goodbye, and all its sessions go; or it was lost, and they wait for the grace period.
    // Then, or at once when somebody has waited for that long already (Expired), those with a name hibernate,
    // and the others end.
    enum class Leave { Goodbye, Lost, Expired };
    void end_owner(const std::string& owner, Leave how = Leave::Goodbye);
    std::size_t count() const { return sessions_.size(); }
    // What a session may use that was given nothing of its own.
    const Budget& budget() const { return options_.session.budget; }
    // Those with a browser context.
    std::size_t live_count() const;
    // Puts a session to sleep in which nothing is under way, the one that was not used for the longest time.
    // False when none can be.
    Task<bool> hibernate_one();

    // Says what `close_all` is going to do, and somebody else with `others`.
    void announce_close(std::size_t others = 0);
    // Keeps what can be resumed by another run, and ends all sessions and browsers.
    Task<> close_all();

    // What the id of a session's state is made of: the owner and the name where another connection can have
    // the same, a name that is an unguessable id by itself, and else a new id.
    // How long a session is there, other than by being closed.
    struct Lifetime {
        std::chrono::milliseconds hibernates_after;  // zero: never
        bool ends_with_connection;
    };
    Lifetime lifetime(const Entry& entry) const;
    static std::string stable_id(const SessionKey& key);
    static std::string new_id();
    // The part of it that session_resume takes from anybody; empty: its owner asks for it by name.
    static std::string resume_id(const Entry& entry);

private:
    static engine::Holder holder_of(const SessionKey& key, const SessionSetup& setup);
    bool keeps_in_vault(const SessionKey& key, const SessionSetup& setup, std::string_view id) const;
    Error not_found(const SessionKey& key) const;
    Task<std::shared_ptr<engine::Context>> open(SessionKey key, std::filesystem::path workspace);
    void take_context_in_memory(const SessionKey& key, std::string note);
    Keeping keeping_for(const SessionKey& key, const std::string& id);
    bool is_isolated(const SessionKey& key, const SessionSetup& setup) const;
    Entry* find_by_id(std::string_view id);
    Task<bool> forget_earlier(SessionKey key);
    std::optional<Session::MayEnd> may_end_for_room(const Session& session) const;
    Task<> checkpoint_all();
    using Entries = std::map<SessionKey, Entry>;
    Entries::iterator end(Entries::iterator session);
    void tell(std::string_view id, store::SessionState state) const;
    void tell(const SessionKey& made_as, std::string_view id, const std::string& tab, TabEvent event) const;
    void run(Task<> task);
    void end_orphans(const std::string& owner);
    Task<> put_away(std::shared_ptr<Session> session);
    void sweep_later();
    void sweep();

    Loop& loop_;
    SessionsOptions options_;
    Log& log_;
    std::shared_ptr<Pool> pool_;
    Entries sessions_;
    std::set<SessionKey> closed_;
    std::map<std::uint64_t, Running> ending_;
    std::uint64_t last_ending_ = 0;
    boost::asio::steady_timer sweeper_;
    bool sweeping_ = false;
    std::shared_ptr<Vault> vault_;                             // what can be asked for again
    std::shared_ptr<Vault> crash_memory_;                      // the rest
    std::map<std::string, boost::asio::steady_timer> graces_;  // by owner
};

}  // namespace session
