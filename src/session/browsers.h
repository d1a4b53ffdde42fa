// The browsers of this process: started when first needed, shared by sessions, closed with the last of them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/browser.h"
#include "session/session.h"
#include "util/log.h"

namespace session {

struct BrowserOptions {
    engine::LaunchOptions launch;
    // For a workspace: init scripts and the like are read anew for every context.
    std::function<Result<engine::ContextOptions>()> context;
    bool isolated = false;        // contexts in memory, instead of one profile on disk
    bool shared_context = false;  // all sessions in one context
    // Under it, each workspace has a profile of its own. Empty: the user's cache directory.
    std::filesystem::path profiles = {};
    std::filesystem::path user_data_dir = {};  // one profile for all workspaces
    std::string unsupported = {};              // why no browser can be had; empty: it can
};

// Starts a browser. Tests pass their own.
using Launch = std::function<Task<std::shared_ptr<engine::Browser>>(engine::LaunchOptions options)>;

// Opens contexts for sessions, and keeps the sessions of connections. Lives on the main loop.
class Browsers {
public:
    Browsers(Loop& loop, BrowserOptions options, SessionOptions session_options, Launch launch);
    ~Browsers();

    // The session of a connection, or of a name where there is no connection; made on first use.
    std::shared_ptr<Session> session(const std::string& key);
    // The connection is gone: its session is too.
    void end_session(const std::string& key);
    std::size_t session_count() const { return sessions_.size(); }

    // Ends all sessions and browsers.
    Task<> close();

private:
    Task<std::shared_ptr<engine::Context>> open(std::filesystem::path workspace);
    Task<std::shared_ptr<engine::Browser>> browser(engine::LaunchOptions options);
    std::filesystem::path profile_for(const std::filesystem::path& workspace) const;

    Loop& loop_;
    BrowserOptions options_;
    SessionOptions session_options_;
    Launch launch_;
    std::map<std::string, std::shared_ptr<Session>> sessions_;
    // By profile directory; the one for isolated contexts has none.
    std::map<std::filesystem::path, std::shared_ptr<engine::Browser>> browsers_;
    std::map<std::filesystem::path, std::weak_ptr<engine::Context>> profiles_in_use_;
    std::weak_ptr<engine::Context> shared_;
    std::map<std::uint64_t, Running> ending_;
    std::uint64_t last_ending_ = 0;
};

}  // namespace session
