#include "session/pool.h"

#include <signal.h>

#include "session/pool_host.h"
#include "session/process_memory.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;

// Chromium's own lock: a link that names the process which has the profile open. Nothing when nobody has.
std::optional<std::string> holder_of(const std::filesystem::path& profile) {
    std::error_code failed;
    std::string link = std::filesystem::read_symlink(profile / "SingletonLock", failed).string();
    std::size_t dash = link.rfind('-');
    if (failed || dash == std::string::npos) return std::nullopt;
    int pid = std::atoi(link.c_str() + dash + 1);
    if (pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH)) return std::nullopt;
    return std::to_string(pid);
}

Error in_use(const std::filesystem::path& profile, const std::string& holder) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Browser is already in use for " + profile.string() +
                            ", use --isolated to run multiple instances of the same browser",
                 .hint = "It is held by " + holder + "."};
}

}  // namespace

std::shared_ptr<Pool> Pool::create(Loop& loop, PoolOptions options, Launch launch, Log& log,
                                   Connect connect) {
    return std::shared_ptr<Pool>(
        new Pool(loop, std::move(options), std::move(launch), log, std::move(connect)));
}

Pool::Pool(Loop& loop, PoolOptions options, Launch launch, Log& log, Connect connect)
    : loop_(loop),
      options_(std::move(options)),
      launch_(std::move(launch)),
      log_(log),
      connect_(std::move(connect)),
      admission_(loop, options_.admission, [this] { return measure_memory(); }),
      courtesy_(loop, page_processes([this] { return browser_processes(); }), options_.courtesy, log) {}

std::size_t Pool::browser_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(hosts_, [](const auto& each) { return each.second->users > 0; }));
}

// Of those that we started.
std::vector<pid_t> Pool::browser_processes() const {
    std::vector<pid_t> processes;
    for (const auto& [key, host] : hosts_) {
        bool runs = host->browser && !host->browser->is_lost();
        if (int process = runs ? host->browser->process_id() : 0) processes.push_back(process);
    }
    return processes;
}

std::uint64_t Pool::measure_memory() const {
    std::uint64_t total = 0;
    for (pid_t process : browser_processes()) total += memory_of_tree(process);
    return total;
}

std::filesystem::path Pool::profile_for(const std::filesystem::path& workspace) const {
    if (!options_.user_data_dir.empty()) return options_.user_data_dir;
    std::filesystem::path base =
        options_.profiles.empty() ? cache_directory() / "profiles" : options_.profiles;
    std::string browser = options_.launch.browser.empty() ? "chromium" : options_.launch.browser;
    return base / ("mcp-" + browser + "-" + hex_encode(sha256(workspace.string())).substr(0, 7));
}

Task<> Pool::launch(HostPtr host, engine::LaunchOptions options) {
    if (attaches())
        host->browser = co_await connect_(connect_options());
    else
        host->browser = co_await launch_(std::move(options));
}

// Sessions in one profile keep off each other's tabs.
engine::ConnectOptions Pool::connect_options() const {
    engine::ConnectOptions options = options_.connect;
    for (const auto& [key, host] : hosts_) {
        auto hub = host->only.lock();
        if (!hub) continue;
        for (const auto& page : hub->context()->pages()) options.tabs_in_use.push_back(page->id());
    }
    return options;
}

// The browser for a profile or the like. Those who ask while it starts wait for the same one.
Task<Pool::HostPtr> Pool::host_for(std::filesystem::path key, engine::LaunchOptions options) {
    while (closing_.contains(key)) (void)co_await as_result(closing_.at(key)->get());
    auto it = hosts_.find(key);
    HostPtr host = it == hosts_.end() || !it->second->is_usable() ? nullptr : it->second;
    if (!host) {
        note(std::string("create browser (") +
             (attaches()                      ? "cdp"
              : options.user_data_dir.empty() ? "isolated"
                                              : "persistent") +
             ")");
        host = start_host(std::make_shared<Host>(Host{.key = std::move(key)}), std::move(options));
    }
    co_await host->ready->get();
    co_return host;
}

Pool::HostPtr Pool::start_host(HostPtr host, engine::LaunchOptions options) {
    hosts_[host->key] = host;
    host->ready = std::make_shared<SharedResult<void>>(loop_);
    host->launching =
        start(launch(host, std::move(options)), [this, weak = std::weak_ptr(host)](Result<void> result) {
            if (auto started = weak.lock()) launched(started, std::move(result));
        });
    return host;
}

void Pool::launched(const HostPtr& host, Result<void> result) {
    auto it = hosts_.find(host->key);
    if (!result && it != hosts_.end() && it->second == host) hosts_.erase(it);
    bool runs = result.has_value();
    host->ready->set(std::move(result));
    if (!runs || !host->for_contexts) return;
    host->browser->on_lost([weak = weak_from_this(), lost = std::weak_ptr(host)] {
        auto self = weak.lock();
        auto gone = lost.lock();
        if (self && gone) self->forget_lost(gone);
    });
    // Whoever had it started may have to be counted yet.
    boost::asio::post(loop_, [weak = weak_from_this(), host] {
        if (auto self = weak.lock()) self->rest(host);
    });
    refill_later();
}

Task<std::shared_ptr<ContextHub>> Pool::context_of(HostPtr host, engine::ContextOptions options,
                                                   bool isolated, Deadline deadline) {
    if (auto shared = host->shared.lock()) co_return shared;
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Way> way = options.way;
    if (isolated)
        context = co_await host->browser->new_context(std::move(options), deadline);
    else
        context = co_await host->browser->default_context(std::move(options), deadline);
    // Two that asked at once share the first one's.
    if (auto shared = host->shared.lock()) co_return shared;
    auto hub = ContextHub::create(std::move(context), std::move(way));
    if (shares_context()) host->shared = hub;
    if (attaches() && !isolated) host->only = hub;
    co_return hub;
}

// Waits until the profile can be used, or says who has it.
Task<> Pool::claim_profile(std::filesystem::path profile) {
    while (closing_.contains(profile)) (void)co_await as_result(closing_.at(profile)->get());
    bool ours = hosts_.contains(profile);
    if (ours && !shares_context()) co_await in_use(profile, "another session of this server");
    if (auto holder = holder_of(profile); holder && !ours) co_await in_use(profile, "process " + *holder);
    std::error_code failed;
    std::filesystem::create_directories(profile, failed);
}

bool Pool::is_isolated(const ContextRequest& request) const {
    Isolation isolation = request.isolation.value_or(options_.isolation);
    // Tabs of one context: in the profile that was given, if one was.
    if (isolation == Isolation::Shared) return options_.user_data_dir.empty() && !attaches();
    return isolation != Isolation::Profile;
}

Task<std::shared_ptr<engine::Context>> Pool::open(ContextRequest request) {
    auto self = shared_from_this();
    if (!options_.unsupported.empty())
        co_await Error{.code = ErrorCode::InvalidArgument, .message = options_.unsupported};
    // What is wrong with the options is said before a browser is started for them.
    engine::ContextOptions options = co_await options_.context();
    if (request.adjust) request.adjust(options);
    // A context of several sessions is none's; its pages are.
    if (options.way && !shares_context()) options.way->holder = request.holder;
    Deadline patience = request.deadline.earlier(Deadline::in(options_.admission.patience));
    Place place = co_await admission_.enter(request.owner, patience);
    if (is_for_contexts(request))
        co_return co_await open_context(std::move(options), std::move(place), request.deadline);
    engine::LaunchOptions launch = options_.launch;
    std::filesystem::path key;
    if (attaches()) {
        // Each session that has tabs in somebody else's profile has a line of its own to it.
        bool alone = !is_isolated(request) && !shares_context();
        if (alone) key = "line " + std::to_string(++last_line_);
    } else if (request.isolation.value_or(options_.isolation) == Isolation::Browser) {
        key = "browser " + std::to_string(++last_line_);
        co_await place.wait_to_open(request.deadline);
    } else if (!is_isolated(request)) {
        key = launch.user_data_dir = profile_for(request.workspace);
        co_await claim_profile(key);
        // A profile's own context goes where its browser does.
        if (options.way && options.way->holder && !options.way->proxy_server.empty())
            launch.arguments.push_back("--proxy-server=" + options.way->proxy_server);
    }
    Deadline deadline = Deadline::in(launch.timeout);
    HostPtr host = co_await host_for(key, std::move(launch));
    Use use(*this, host);
    auto hub = co_await context_of(host, std::move(options), is_isolated(request), deadline);
    place.opened();
    note("create context");
    use.keep();
    courtesy_.watch();
    bool shares_tabs = options_.isolation != Isolation::Shared;
    auto lent = std::make_shared<LentContext>(self, host, hub, shares_tabs ? Sight::All : Sight::Own,
                                              std::move(place));
    if (!shares_tabs) lent->set_holder(std::move(request.holder));
    co_return lent;
}

Task<> Pool::give_back(HostPtr host, std::shared_ptr<ContextHub> hub, Deadline deadline) {
    auto self = shared_from_this();
    if (closed_) co_return;  // all browsers have gone, and it was told
    if (host->for_contexts) {
        co_await give_back_context(host, hub, deadline);
        co_return;
    }
    if (--host->users > 0) {
        if (shares_context() || !hub) co_return;
        note("close context");
        if (!hub->context()->is_lost()) co_await hub->context()->close(deadline);
        co_return;
    }
    note("close browser");
    co_await close_browser(host, deadline);
}

Task<> Pool::close_browser(HostPtr host, Deadline deadline) {
    auto self = shared_from_this();
    auto it = hosts_.find(host->key);
    if (it == hosts_.end() || it->second != host) co_return;
    hosts_.erase(it);
    host->warm.clear();
    if (!host->browser || host->browser->is_lost()) co_return;
    auto closed = closing_[host->key] = std::make_shared<SharedResult<void>>(loop_);
    auto result = co_await as_result(host->browser->close(deadline));
    host->browser = nullptr;
    closing_.erase(host->key);
    closed->set(ok());
    co_await std::move(result);
}

// The same when nobody waits for it.
void Pool::abandon(HostPtr host, std::shared_ptr<ContextHub> hub) {
    in_background(give_back(std::move(host), std::move(hub), Deadline::in(kCloseTimeout)));
}

void Pool::in_background(Task<> task) {
    std::uint64_t number = ++last_background_;
    Running running = start(std::move(task), [this, number](Result<void>) { background_.erase(number); });
    if (!running.done()) background_.emplace(number, std::move(running));
}

Task<> Pool::close() {
    auto self = shared_from_this();
    closed_ = true;
    refilling_.cancel();
    for (auto& [key, host] : std::exchange(hosts_, {})) {
        host->resting.reset();
        if (!host->browser) continue;
        if (host->users > 0) note("close browser");
        host->warm.clear();
        if (!host->browser->is_lost()) (void)co_await as_result(host->browser->close(Deadline::in(5s)));
    }
    auto closing = closing_;
    for (auto& [key, closed] : closing) (void)co_await as_result(closed->get());
}

}  // namespace session
