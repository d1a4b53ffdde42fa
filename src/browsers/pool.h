// The browsers of this process: started when first needed, shared by sessions, closed with the last of them
// or a while later.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "browsers/admission.h"
#include "browsers/cpu_arbiter.h"
#include "browsers/warm_contexts.h"
#include "engine/browser.h"
#include "util/log.h"
#include "util/shared_result.h"
#include "util/task_set.h"

namespace browsers {

class SharedContext;
class ContextLease;

// How far a session is isolated from others.
enum class Isolation {
    Profile,  // one profile on disk for one session at a time; meanwhile the others have contexts in memory
    Context,  // a context in memory, in a browser that others use too
    Browser,  // a browser
    Shared    // tabs of one context
};

// A session's settings for its context, beyond the server's own.
struct ContextRequest {
    std::filesystem::path workspace = {};
    std::optional<Isolation> isolation = {};
    std::function<void(engine::ContextOptions&)> adjust = {};
    std::string owner = {};  // of the slot, for fairness among callers
    // The identity of the context, when network rules apply.
    std::shared_ptr<const engine::SessionIdentity> identity = {};
    Deadline deadline = Deadline::never();  // of waiting for a slot
    // Called with the next wait and when it should end; may be empty.
    std::function<void(const std::string& what, Deadline limit)> begin_stage = {};
    // Called with a line for the agent when another session has the profile and this context is in memory.
    std::function<void(std::string note)> profile_in_use = {};
};

// How many browsers serve sessions with contexts in memory, and what is kept ready for the next one.
struct PoolSizing {
    std::size_t min_browsers = 0;  // started with the server, and kept
    std::size_t max_browsers = 4;
    std::size_t contexts_per_browser = 50;      // before another one is started
    std::chrono::milliseconds idle_timeout{0};  // how long one waits for its next session
    std::size_t warm_contexts = 0;
};

struct PoolOptions {
    engine::LaunchOptions launch;
    // Called for every context: init scripts and the like may have changed.
    std::function<Result<engine::ContextOptions>()> context;
    Isolation isolation = Isolation::Profile;
    bool shared_context = false;  // all sessions in one context, each sees all tabs
    bool own_tabs = false;        // each sees only the tabs that it opened, as with Isolation::Shared
    // Whether sessions that must not read each other's clipboard would share the machine's, as in browsers
    // with windows.
    bool machine_clipboard = false;
    // Each workspace has its own profile below it. Empty: the user's cache directory.
    std::filesystem::path profiles = {};
    std::filesystem::path user_data_dir = {};  // one profile for all workspaces
    engine::ConnectOptions connect = {};       // with an endpoint: that browser instead of one of our own
    std::string unsupported = {};              // why no browser is available; empty: one is
    PoolSizing sizing = {};
    AdmissionOptions admission = {};
    CpuArbiterOptions cpu_arbiter = {};
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

    // Starts the browsers that run before the first request.
    void start_browsers();
    // Opens a context for one session, once it has a slot. Closing or dropping the context gives it back.
    Task<std::shared_ptr<engine::Context>> open(ContextRequest request);
    // Number of browsers in use.
    std::size_t browser_count() const;
    // Whether somebody else started the browser and keeps it running.
    bool attaches() const { return !options_.connect.endpoint.empty(); }
    Occupancy occupancy() const { return admission_.occupancy(); }
    // Whether no session opens a context just now.
    bool is_calm() const { return admission_.is_calm(); }
    // Sets the callback that makes an idle session give up its slot when a caller waits for one.
    void set_make_room(Admission::MakeRoom make_room) { admission_.set_make_room(std::move(make_room)); }

    // Ends all browsers, also those in use.
    Task<> close();

private:
    friend class ContextLease;
    struct Host;
    using HostPtr = std::shared_ptr<Host>;

    Pool(Loop& loop, PoolOptions options, Launch launch, Log& log, Connect connect);

    // Counts as a user of the browser; undone when dropped without keep().
    class Use;
    // A browser, or the owner of its profile.
    struct Launched;

    HostPtr start_host(HostPtr host, engine::LaunchOptions options);
    Task<Launched> launch(engine::LaunchOptions options);
    void launched(const HostPtr& host, Result<Launched> result);
    void lost(const HostPtr& host);
    bool shares_context() const { return options_.shared_context || options_.isolation == Isolation::Shared; }
    bool is_isolated(const ContextRequest& request) const;

    // pool_opening.cc: contexts of a profile, of an attached browser, and those that sessions share
    struct Opening;
    Task<std::shared_ptr<engine::Context>> open_in_profile(Opening opening);
    Task<std::shared_ptr<engine::Context>> open_in(std::filesystem::path key, engine::LaunchOptions launch,
                                                   Opening opening);
    Task<std::shared_ptr<engine::Context>> open_in_memory(Opening opening);
    Task<std::shared_ptr<engine::Context>> open_in_own_browser(Opening opening);
    void separate_clipboard(ContextRequest& request, engine::ContextOptions& options);
    Task<HostPtr> host_for(std::filesystem::path key, engine::LaunchOptions options);
    Task<std::shared_ptr<engine::Context>> lend(std::unique_ptr<Use> use, Opening opening);
    Task<std::shared_ptr<SharedContext>> only_context(HostPtr host, engine::ContextOptions options,
                                                      bool isolated, Deadline deadline);
    void only_context_opened(const HostPtr& host, Result<std::shared_ptr<SharedContext>> result);
    std::filesystem::path profile_for(const std::filesystem::path& workspace) const;
    // Removes one user; the last one's leaving closes the browser.
    Task<> give_back(HostPtr host, std::shared_ptr<SharedContext> context, Deadline deadline);
    void abandon(HostPtr host, std::shared_ptr<SharedContext> context);
    Task<> close_browser(HostPtr host, Deadline deadline);
    std::vector<pid_t> browser_processes() const;
    std::uint64_t measure_memory() const;

    // pool_contexts.cc: browsers for contexts in memory
    bool is_for_contexts(const ContextRequest& request) const;
    static Task<> finish_opening_later(std::weak_ptr<ContextLease> weak, Loop& loop);
    Task<std::shared_ptr<engine::Context>> open_context(engine::ContextOptions options, Slot slot,
                                                        ContextRequest request);
    static void begin_stage(const ContextRequest& request, const char* what, Deadline limit);
    Deadline start_limit() const;
    HostPtr start_context_host();
    HostPtr context_host();
    std::size_t context_hosts() const;
    Task<> give_back_context(HostPtr host, std::shared_ptr<SharedContext> context, Deadline deadline);
    // The browser is unused: closes it, now or after the idle timeout.
    void start_idling(const HostPtr& host);
    bool may_idle(const Host& host) const;
    void forget_lost(const HostPtr& host);
    static Task<> start_again(std::weak_ptr<Pool> weak, Loop& loop);
    void refill_later();
    static Task<> refill(std::weak_ptr<Pool> weak, Loop& loop);
    HostPtr host_to_refill();
    void note(std::string_view event) { log_.channel("pw:mcp:test", event); }

    Loop& loop_;
    PoolOptions options_;
    Launch launch_;
    Log& log_;
    Connect connect_;
    // Keyed by profile directory, or kInMemory for a shared context in memory. Connections to attached
    // browsers and browsers of one session are numbered.
    std::map<std::filesystem::path, HostPtr> hosts_;
    std::map<std::filesystem::path, std::shared_ptr<SharedResult<void>>> closing_;
    Admission admission_;
    CpuArbiter cpu_arbiter_;
    Running refilling_;
    bool closed_ = false;
    TaskSet background_;
    std::uint64_t last_line_ = 0;
};

}  // namespace browsers
