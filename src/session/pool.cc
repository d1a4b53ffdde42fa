#include "session/pool.h"

#include <signal.h>

#include "session/lent_context.h"
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

// One browser and how many use it.
struct Pool::Host {
    std::filesystem::path profile;  // its key: empty for contexts in memory
    std::shared_ptr<engine::Browser> browser = {};
    std::size_t users = 0;
    std::weak_ptr<ContextHub> shared = {};
    std::weak_ptr<ContextHub> only = {};             // of a line to somebody else's profile
    std::shared_ptr<SharedResult<void>> ready = {};  // until the browser runs
    Running launching = {};
};

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
      connect_(std::move(connect)) {}

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

// The browser for a profile, or for contexts in memory. Those who ask while it starts wait for the same one.
Task<Pool::HostPtr> Pool::host_for(std::filesystem::path key, engine::LaunchOptions options) {
    while (closing_.contains(key)) (void)co_await as_result(closing_.at(key)->get());
    HostPtr host = hosts_[key];
    if (!host || (host->browser && host->browser->is_lost())) {
        hosts_[key] = host = std::make_shared<Host>(Host{.profile = key});
        host->ready = std::make_shared<SharedResult<void>>(loop_);
        note(std::string("create browser (") +
             (attaches()                      ? "cdp"
              : options.user_data_dir.empty() ? "isolated"
                                              : "persistent") +
             ")");
        host->launching =
            start(launch(host, std::move(options)), [this, weak = std::weak_ptr(host)](Result<void> result) {
                auto launched = weak.lock();
                if (!launched) return;
                auto it = hosts_.find(launched->profile);
                if (!result && it != hosts_.end() && it->second == launched) hosts_.erase(it);
                launched->ready->set(std::move(result));
            });
    }
    co_await host->ready->get();
    co_return host;
}

Task<std::shared_ptr<ContextHub>> Pool::context_of(HostPtr host, engine::ContextOptions options,
                                                   bool isolated, Deadline deadline) {
    if (auto shared = host->shared.lock()) co_return shared;
    std::shared_ptr<engine::Context> context;
    if (isolated)
        context = co_await host->browser->new_context(std::move(options), deadline);
    else
        context = co_await host->browser->default_context(std::move(options), deadline);
    // Two that asked at once share the first one's.
    if (auto shared = host->shared.lock()) co_return shared;
    auto hub = ContextHub::create(std::move(context));
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
    engine::LaunchOptions launch = options_.launch;
    Deadline deadline = Deadline::in(launch.timeout);
    std::filesystem::path key;
    if (attaches()) {
        // Each session that has tabs in somebody else's profile has a line of its own to it.
        bool alone = !is_isolated(request) && !shares_context();
        if (alone) key = "line " + std::to_string(++last_line_);
    } else if (request.isolation.value_or(options_.isolation) == Isolation::Browser) {
        key = "browser " + std::to_string(++last_line_);
    } else if (!is_isolated(request)) {
        key = launch.user_data_dir = profile_for(request.workspace);
        co_await claim_profile(key);
    }
    HostPtr host = co_await host_for(key, std::move(launch));
    // Whoever does not come to a context, for whatever reason, is no user.
    struct Use {
        Pool& pool;
        HostPtr host;
        ~Use() {
            if (host) pool.abandon(host, nullptr);
        }
    } use{*this, host};
    ++host->users;
    auto hub = co_await context_of(host, std::move(options), is_isolated(request), deadline);
    note("create context");
    use.host = nullptr;
    bool shares_tabs = options_.isolation != Isolation::Shared;
    co_return std::make_shared<LentContext>(self, host, hub, shares_tabs ? Sight::All : Sight::Own);
}

Task<> Pool::give_back(HostPtr host, std::shared_ptr<ContextHub> hub, Deadline deadline) {
    auto self = shared_from_this();
    if (--host->users > 0) {
        if (shares_context() || !hub) co_return;
        note("close context");
        if (!hub->context()->is_lost()) co_await hub->context()->close(deadline);
        co_return;
    }
    note("close browser");
    auto it = hosts_.find(host->profile);
    if (it == hosts_.end() || it->second != host) co_return;
    hosts_.erase(it);
    if (!host->browser || host->browser->is_lost()) co_return;
    auto closed = closing_[host->profile] = std::make_shared<SharedResult<void>>(loop_);
    auto result = co_await as_result(host->browser->close(deadline));
    host->browser = nullptr;
    closing_.erase(host->profile);
    closed->set(ok());
    co_await std::move(result);
}

// The same when nobody waits for it.
void Pool::abandon(HostPtr host, std::shared_ptr<ContextHub> hub) {
    std::uint64_t number = ++last_background_;
    Running running = start(give_back(std::move(host), std::move(hub), Deadline::in(kCloseTimeout)),
                            [this, number](Result<void>) { background_.erase(number); });
    if (!running.done()) background_.emplace(number, std::move(running));
}

Task<> Pool::close() {
    auto self = shared_from_this();
    for (auto& [profile, host] : std::exchange(hosts_, {})) {
        if (!host->browser) continue;
        note("close browser");
        if (!host->browser->is_lost()) (void)co_await as_result(host->browser->close(Deadline::in(5s)));
    }
    auto closing = closing_;
    for (auto& [profile, closed] : closing) (void)co_await as_result(closed->get());
}

}  // namespace session
