#include "browsers/pool.h"

#include "browsers/pool_host.h"
#include "browsers/process_memory.h"

namespace browsers {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;

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
      cpu_arbiter_(loop, page_processes([this] { return browser_processes(); }), options_.cpu_arbiter, log) {}

std::size_t Pool::browser_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(hosts_, [](const auto& each) { return each.second->users > 0; }));
}

// The processes of browsers that we started.
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

Task<Pool::Launched> Pool::launch(engine::LaunchOptions options) {
    Launched made;
    if (attaches()) {
        made.browser = co_await connect_(options_.connect);
        co_return made;
    }
    if (!options.user_data_dir.empty()) {
        auto claim =
            co_await engine::ProfileLock::claim(loop_, options.user_data_dir, Deadline::in(options.timeout));
        made.profile_holder = std::move(claim.holder);
        if (!claim.lock) co_return made;
        made.lock = std::move(claim.lock);
        options.profile_lock = made.lock->descriptor();
    }
    made.browser = co_await launch_(std::move(options));
    if (made.lock) made.lock->set_browser(made.browser->process_id());
    co_return made;
}

Pool::HostPtr Pool::start_host(HostPtr host, engine::LaunchOptions options) {
    hosts_[host->key] = host;
    host->ready = std::make_shared<SharedResult<void>>(loop_);
    host->launching =
        start(launch(std::move(options)), [this, weak = std::weak_ptr(host)](Result<Launched> result) {
            if (auto started = weak.lock()) launched(started, std::move(result));
        });
    return host;
}

void Pool::launched(const HostPtr& host, Result<Launched> result) {
    bool runs = result && result->browser;
    auto it = hosts_.find(host->key);
    if (!runs && it != hosts_.end() && it->second == host) hosts_.erase(it);
    if (!result) return host->ready->set(result.error());
    host->browser = std::move(result->browser);
    host->lock = std::move(result->lock);
    host->profile_holder = std::move(result->profile_holder);
    host->ready->set(ok());
    if (!runs) return;
    host->browser->on_lost([weak = weak_from_this(), lost = std::weak_ptr(host)] {
        auto self = weak.lock();
        auto gone = lost.lock();
        if (self && gone) self->lost(gone);
    });
    if (!host->for_contexts) return;
    // The caller that started it may not be counted yet.
    boost::asio::post(loop_, [weak = weak_from_this(), host] {
        if (auto self = weak.lock()) self->start_idling(host);
    });
    refill_later();
}

void Pool::lost(const HostPtr& host) {
    if (host->for_contexts) return forget_lost(host);
    // Its remaining processes hold the lock as well, until they end.
    host->lock.reset();
    host->opening_task.cancel();
    if (host->opening)
        only_context_opened(host,
                            Error{.code = ErrorCode::BrowserCrashed, .message = "The browser is gone."});
}

bool Pool::is_isolated(const ContextRequest& request) const {
    Isolation isolation = request.isolation.value_or(options_.isolation);
    // Tabs of one context use the given profile, if any.
    if (isolation == Isolation::Shared) return options_.user_data_dir.empty() && !attaches();
    return isolation != Isolation::Profile;
}

Task<> Pool::give_back(HostPtr host, std::shared_ptr<SharedContext> shared_context, Deadline deadline) {
    auto self = shared_from_this();
    if (closed_) co_return;  // all browsers are closed, which was logged
    if (host->for_contexts) {
        co_await give_back_context(host, shared_context, deadline);
        co_return;
    }
    if (--host->users > 0) {
        if (shares_context() || !shared_context) co_return;
        note("close context");
        if (!shared_context->context()->is_lost()) co_await shared_context->context()->close(deadline);
        co_return;
    }
    auto it = hosts_.find(host->key);
    if (it == hosts_.end() || it->second != host) co_return;  // it never ran, or is closed already
    note("close browser");
    co_await close_browser(host, deadline);
}

Task<> Pool::close_browser(HostPtr host, Deadline deadline) {
    auto self = shared_from_this();
    auto it = hosts_.find(host->key);
    if (it == hosts_.end() || it->second != host) co_return;
    hosts_.erase(it);
    host->warm.clear();
    host->opening_task.cancel();
    host->launching.cancel();
    if (host->lock) host->lock->set_leaving();
    if (!host->browser || host->browser->is_lost()) co_return;
    auto closed = closing_[host->key] = std::make_shared<SharedResult<void>>(loop_);
    auto result = co_await as_result(host->browser->close(deadline));
    host->browser = nullptr;
    host->lock.reset();
    closing_.erase(host->key);
    closed->set(ok());
    co_await std::move(result);
}

// The same without a caller that waits for it.
void Pool::abandon(HostPtr host, std::shared_ptr<SharedContext> shared_context) {
    background_.add(give_back(std::move(host), std::move(shared_context), Deadline::in(kCloseTimeout)));
}

Task<> Pool::close() {
    auto self = shared_from_this();
    closed_ = true;
    refilling_.cancel();
    for (auto& [key, host] : hosts_) {
        if (host->lock) host->lock->set_leaving();
    }
    for (auto& [key, host] : std::exchange(hosts_, {})) {
        host->idle_timer.reset();
        host->launching.cancel();
        host->opening_task.cancel();
        if (!host->browser) continue;
        if (host->users > 0) note("close browser");
        host->warm.clear();
        if (!host->browser->is_lost()) (void)co_await as_result(host->browser->close(Deadline::in(5s)));
    }
    auto closing = closing_;
    for (auto& [key, closed] : closing) (void)co_await as_result(closed->get());
}

}  // namespace browsers
