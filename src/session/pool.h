// The browsers of this process: started when first needed, shared by sessions, closed with the last of them
// or a while later.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/browser.h"
#include "session/admission.h"
#include "session/courtesy.h"
#include "session/warm_contexts.h"
#include "util/log.h"
#include "util/shared_result.h"

namespace session {

class ContextHub;
class LentContext;

// What a session has to itself.
enum class Isolation {
    Profile,  // one profile on disk for one session at a time; meanwhile the others have contexts in memory
    Context,  // a context in memory, in a browser that others use too
    Browser,  // a browser
    Shared    // tabs of one context
};

// What a session asks of its context beyond the server's own settings.
struct ContextRequest {
    std::filesystem::path workspace = {};
    std::optional<Isolation> isolation = {};
    std::function<void(engine::ContextOptions&)> adjust = {};
    std::string owner = {};  // who waits, where many do
    // Whose the context will be, where rules hold.
    std::shared_ptr<const engine::Holder> holder = {};
    Deadline deadline = Deadline::never();  // of waiting for a place
    // Told what it waits for next, and by when that should be over; may be empty.
    std::function<void(const std::string& what, Deadline limit)> begin_stage = {};
    // Called when the context is one in memory because somebody else has the profile, with a line for the
    // agent.
    std::function<void(std::string note)> profile_in_use = {};
};

// How many browsers serve the sessions that have contexts in memory, and what stays ready for the next one.
struct StockOptions {
    std::size_t min_browsers = 0;  // started with the server, and kept
    std::size_t max_browsers = 4;
    std::size_t contexts_per_browser = 50;      // before another one is started
    std::chrono::milliseconds idle_timeout{0};  // how long one waits for its next session
    std::size_t warm_contexts = 0;
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
    StockOptions stock = {};
    AdmissionOptions admission = {};
    CourtesyOptions courtesy = {};
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

    // Starts the browsers that are to run before anybody asks.
    void start_browsers();
    // A context for one session, once there is a place for it. Closing it, or dropping it, gives it back.
    Task<std::shared_ptr<engine::Context>> open(ContextRequest request);
    // Browsers that somebody uses.
    std::size_t browser_count() const;
    Occupancy occupancy() const { return admission_.occupancy(); }
    // Whether nobody opens a context just now.
    bool is_calm() const { return admission_.is_calm(); }
    // Asked to have an idle session leave when somebody waits for a place.
    void set_make_room(Admission::MakeRoom make_room) { admission_.set_make_room(std::move(make_room)); }

    // Ends all browsers, whoever uses them.
    Task<> close();

private:
    friend class LentContext;
    struct Host;
    using HostPtr = std::shared_ptr<Host>;

    Pool(Loop& loop, PoolOptions options, Launch launch, Log& log, Connect connect);

    // Counts somebody as the browser's user until `keep`.
    class Use;
    // A browser, or who else has its profile.
    struct Launched;

    HostPtr start_host(HostPtr host, engine::LaunchOptions options);
    Task<Launched> launch(engine::LaunchOptions options);
    void launched(const HostPtr& host, Result<Launched> result);
    void lost(const HostPtr& host);
    bool attaches() const { return !options_.connect.endpoint.empty(); }
    bool shares_context() const { return options_.shared_context || options_.isolation == Isolation::Shared; }
    bool is_isolated(const ContextRequest& request) const;

    // pool_opening.cc: contexts of a profile, of somebody else's browser, and those that sessions share
    struct Opening;
    Task<std::shared_ptr<engine::Context>> open_in_profile(Opening opening);
    Task<std::shared_ptr<engine::Context>> open_in(std::filesystem::path key, engine::LaunchOptions launch,
                                                   Opening opening);
    Task<std::shared_ptr<engine::Context>> open_in_memory(Opening opening);
    Task<HostPtr> host_for(std::filesystem::path key, engine::LaunchOptions options);
    Task<std::shared_ptr<engine::Context>> lend(std::unique_ptr<Use> use, Opening opening);
    Task<std::shared_ptr<ContextHub>> only_context(HostPtr host, engine::ContextOptions options,
                                                   bool isolated, Deadline deadline);
    void only_context_opened(const HostPtr& host, Result<std::shared_ptr<ContextHub>> result);
    std::filesystem::path profile_for(const std::filesystem::path& workspace) const;
    // One user fewer; the last one's leaving closes the browser.
    Task<> give_back(HostPtr host, std::shared_ptr<ContextHub> context, Deadline deadline);
    void abandon(HostPtr host, std::shared_ptr<ContextHub> context);
    Task<> close_browser(HostPtr host, Deadline deadline);
    void in_background(Task<> task);
    std::vector<pid_t> browser_processes() const;
    std::uint64_t measure_memory() const;

    // pool_contexts.cc: browsers for contexts in memory
    bool is_for_contexts(const ContextRequest& request) const;
    static Task<> settle_later(std::weak_ptr<LentContext> weak, Loop& loop);
    Task<std::shared_ptr<engine::Context>> open_context(engine::ContextOptions options, Place place,
                                                        ContextRequest request);
    static void begin_stage(const ContextRequest& request, const char* what, Deadline limit);
    Deadline start_limit() const;
    HostPtr start_context_host();
    HostPtr context_host();
    std::size_t context_hosts() const;
    Task<> give_back_context(HostPtr host, std::shared_ptr<ContextHub> context, Deadline deadline);
    // Nobody uses it: it goes, now or when it has waited long enough.
    void rest(const HostPtr& host);
    bool may_rest(const Host& host) const;
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
    // By profile directory; the one for a context in memory that sessions share has none. Lines to somebody
    // else's browser and browsers of one session are numbered.
    std::map<std::filesystem::path, HostPtr> hosts_;
    std::map<std::filesystem::path, std::shared_ptr<SharedResult<void>>> closing_;
    Admission admission_;
    Courtesy courtesy_;
    Running refilling_;
    bool closed_ = false;
    std::map<std::uint64_t, Running> background_;
    std::uint64_t last_background_ = 0;
    std::uint64_t last_line_ = 0;
};

}  // namespace session
