// The sessions of this process, by who they belong to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/pool.h"
#include "session/session.h"

namespace session {

// Names are unique within an owner: a connection, or whoever was authenticated. Without a name it is the
// owner's own.
struct SessionKey {
    std::string owner;
    std::string name;

    auto operator<=>(const SessionKey&) const = default;
};

struct SessionsOptions {
    PoolOptions pool;
    SessionOptions session;
    std::chrono::milliseconds browser_idle{
        0};  // unused for so long, a session's browser is closed; zero: never
    std::chrono::milliseconds sweep_interval{30'000};
    std::function<void(const SessionKey& key)> ended = {};  // told of each session that was closed
};

// What a session was made with.
struct SessionSetup {
    std::optional<Isolation> isolation = {};
    std::string user_agent = {};
    std::optional<engine::Size> viewport = {};
    json::value storage_state = nullptr;
    std::vector<std::string> permissions = {};  // in place of the server's, where there are any
    json::value geolocation = nullptr;
    std::optional<Budget> budget = {};  // instead of the server's
};

// Makes sessions when they are first asked for, and ends them with their owner. Lives on the main loop.
class Sessions {
public:
    struct Entry {
        std::shared_ptr<Session> session;
        SessionSetup setup;
        std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
    };

    Sessions(Loop& loop, SessionsOptions options, Launch launch, Log& log, Connect connect = {});
    ~Sessions();

    // Starts the browsers that are to run before anybody asks.
    void start_browsers() { pool_->start_browsers(); }
    // Made on first use; fails when there are too many.
    // In the client's working directory, where that is known.
    Result<std::shared_ptr<Session>> session(const SessionKey& key, SessionSetup setup = {},
                                             const std::filesystem::path& directory = {});
    // Nothing when there is none of that name: another owner's is not there.
    const Entry* find(const SessionKey& key) const;
    // The owner's, by name.
    std::vector<std::pair<std::string, const Entry*>> list(const std::string& owner) const;
    // Ends one and gives its browser context back. False when there was none.
    Task<bool> close(SessionKey key);
    // The owner is gone, and all its sessions with it.
    void end_owner(const std::string& owner);
    std::size_t count() const { return sessions_.size(); }
    // What a session may use that was given nothing of its own.
    const Budget& budget() const { return options_.session.budget; }

    // Says what `close_all` is going to do.
    void announce_close();
    // Ends all sessions and browsers.
    Task<> close_all();

private:
    Task<std::shared_ptr<engine::Context>> open(SessionKey key, std::filesystem::path workspace);
    void end(std::shared_ptr<Session> session);
    void sweep_later();
    void sweep();

    Loop& loop_;
    SessionsOptions options_;
    Log& log_;
    std::shared_ptr<Pool> pool_;
    std::map<SessionKey, Entry> sessions_;
    std::map<std::uint64_t, Running> ending_;
    std::uint64_t last_ending_ = 0;
    boost::asio::steady_timer sweeper_;
    bool sweeping_ = false;
};

}  // namespace session
