// The browsers of this process: started when first needed, shared by sessions, closed with the last of them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/browser.h"
#include "util/log.h"
#include "util/shared_result.h"

namespace session {

class ContextHub;

// What a session has to itself.
enum class Isolation {
    Profile,  // one profile on disk for one session at a time, as upstream; others by name have contexts
    Context,  // a context in memory, in a browser that others use too
    Browser,  // a browser
    Shared    // tabs of one context
};

// What a session asks of its context beyond the server's own settings.
struct ContextRequest {
    std::filesystem::path workspace = {};
    std::optional<Isolation> isolation = {};
    std::function<void(engine::ContextOptions&)> adjust = {};
};

struct PoolOptions {
    engine::LaunchOptions launch;
    // Read anew for every context: init scripts and the like may have changed.
    std::function<Result<engine::ContextOptions>()> context;
    Isolation isolation = Isolation::Profile;
    bool shared_context = false;  // all sessions in one context, each sees all tabs
    // Under it, each workspace has a profile of its own. Empty: the user's cache directory.
    std::filesystem::path profiles = {};
    std::filesystem::path user_data_dir = {};  // one profile for all workspaces
    engine::ConnectOptions connect = {};       // with an endpoint: that browser instead of one of our own
    std::string unsupported = {};              // why no browser can be had; empty: it can
};

// Starts a browser. Tests pass their own.
using Launch = std::function<Task<std::shared_ptr<engine::Browser>>(engine::LaunchOptions options)>;
// Connects to a browser that somebody else started.
using Connect = std::function<Task<std::shared_ptr<engine::Browser>>(engine::ConnectOptions options)>;

// Lends contexts to sessions. Lives on the main loop.
class Pool : public std::enable_shared_from_this<Pool> {
public:
    static std::shared_ptr<Pool> create(Loop& loop, PoolOptions options, Launch launch, Log& log,
                                        Connect connect = {});

    // A context for one session. Closing it, or dropping it, gives it back.
    Task<std::shared_ptr<engine::Context>> open(ContextRequest request);
    std::size_t browser_count() const { return hosts_.size(); }

    // Ends all browsers, whoever uses them.
    Task<> close();

private:
    friend class LentContext;
    struct Host;
    using HostPtr = std::shared_ptr<Host>;

    Pool(Loop& loop, PoolOptions options, Launch launch, Log& log, Connect connect);

    Task<HostPtr> host_for(std::filesystem::path key, engine::LaunchOptions options);
    Task<> launch(HostPtr host, engine::LaunchOptions options);
    bool attaches() const { return !options_.connect.endpoint.empty(); }
    engine::ConnectOptions connect_options() const;
    Task<> claim_profile(std::filesystem::path profile);
    bool shares_context() const { return options_.shared_context || options_.isolation == Isolation::Shared; }
    bool is_isolated(const ContextRequest& request) const;
    Task<std::shared_ptr<ContextHub>> context_of(HostPtr host, engine::ContextOptions options, bool isolated,
                                                 Deadline deadline);
    std::filesystem::path profile_for(const std::filesystem::path& workspace) const;
    // One user fewer; the last one's leaving closes the browser.
    Task<> give_back(HostPtr host, std::shared_ptr<ContextHub> context, Deadline deadline);
    void abandon(HostPtr host, std::shared_ptr<ContextHub> context);
    void note(std::string_view event) { log_.channel("pw:mcp:test", event); }

    Loop& loop_;
    PoolOptions options_;
    Launch launch_;
    Log& log_;
    Connect connect_;
    // By profile directory; the one for contexts in memory has none. Lines to somebody else's browser and
    // browsers of one session are numbered.
    std::map<std::filesystem::path, HostPtr> hosts_;
    std::map<std::filesystem::path, std::shared_ptr<SharedResult<void>>> closing_;
    std::map<std::uint64_t, Running> background_;
    std::uint64_t last_background_ = 0;
    std::uint64_t last_line_ = 0;
};

}  // namespace session
