// Browsers for contexts in memory: how many, for how long, and what is ready in them.
#include <algorithm>

#include "browsers/pool_host.h"

namespace browsers {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;
// Lets a session's first call run before the next context is prepared.
constexpr auto kRefillPause = 100ms;
constexpr auto kRefillTimeout = 15s;
constexpr auto kSettling = 250ms;
constexpr auto kRestartPause = 1s;

}  // namespace

bool Pool::is_for_contexts(const ContextRequest& request) const {
    return !attaches() && !shares_context() && is_isolated(request) &&
           request.isolation.value_or(options_.isolation) == Isolation::Context;
}

std::size_t Pool::context_hosts() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        hosts_, [](const auto& each) { return each.second->for_contexts && each.second->is_usable(); }));
}

void Pool::start_browsers() {
    for (std::size_t count = context_hosts(); count < options_.sizing.min_browsers; ++count)
        start_context_host();
}

Pool::HostPtr Pool::start_context_host() {
    std::filesystem::path key = "contexts " + std::to_string(++last_line_);
    return start_host(std::make_shared<Host>(Host{.key = key, .for_contexts = true}), options_.launch);
}

// The browser with the fewest contexts; another one when all have their share.
Pool::HostPtr Pool::context_host() {
    HostPtr best;
    for (const auto& [key, host] : hosts_) {
        if (host->for_contexts && host->is_usable() && (!best || host->users < best->users)) best = host;
    }
    const PoolSizing& sizing = options_.sizing;
    bool has_share = best && best->users >= sizing.contexts_per_browser;
    if (best && (!has_share || context_hosts() >= sizing.max_browsers)) return best;
    return start_context_host();
}

Task<std::shared_ptr<engine::Context>> Pool::open_context(engine::ContextOptions options, Slot slot,
                                                          ContextRequest request) {
    auto self = shared_from_this();
    HostPtr host;
    std::optional<PreparedContext> prepared;
    for (const auto& [key, each] : hosts_) {
        if (!each->for_contexts || !each->browser || each->browser->is_lost()) continue;
        if ((prepared = each->warm.take(options))) {
            host = each;
            if (prepared->network_access)
                prepared->network_access->identity = options.network_access->identity;
            break;
        }
    }
    if (!host) {
        begin_stage(request, kTurn, request.deadline);
        co_await slot.wait_to_open(request.deadline);
        if (slot.is_beside()) slot.keep(cpu_arbiter_.for_opening());
        host = context_host();
    }
    std::unique_ptr<Use> use;
    for (bool may_repeat = true;; may_repeat = false) {
        // The log shows a browser only while it is used.
        if (host->users == 0) note("create browser (isolated)");
        use = std::make_unique<Use>(*this, host);
        host->idle_timer.reset();
        if (prepared) break;
        begin_stage(request, kStart, start_limit());
        co_await host->ready->get();
        begin_stage(request, kContext, Deadline::in(options_.launch.timeout));
        auto made = co_await as_result(
            prepare_context(host->browser, options, Deadline::in(options_.launch.timeout)));
        // A browser that died or stopped answering meanwhile has a successor.
        if (!made && may_repeat && host->browser && host->browser->is_lost()) {
            host = context_host();
            continue;
        }
        prepared = co_await std::move(made);
        break;
    }
    note("create context");
    use->keep();
    refill_later();
    cpu_arbiter_.watch();
    bool opened_by_first_call = slot.is_opened_by_first_call();
    auto lease = std::make_shared<ContextLease>(
        self, host, SharedContext::create(prepared->context, prepared->network_access), TabVisibility::All,
        std::move(slot), prepared->page);
    if (opened_by_first_call) background_.add(finish_opening_later(lease, loop_));
    co_return lease;
}

// A first call that waits for a slow page must not delay other sessions.
Task<> Pool::finish_opening_later(std::weak_ptr<ContextLease> weak, Loop& loop) {
    co_await sleep_for(loop, kSettling);
    if (auto lease = weak.lock()) lease->finish_opening();
}

Task<> Pool::give_back_context(HostPtr host, std::shared_ptr<SharedContext> shared_context,
                               Deadline deadline) {
    bool last = --host->users == 0;
    note(last ? "close browser" : "close context");
    if (last && host->ready->is_set() && !may_idle(*host)) {
        co_await close_browser(host, deadline);
        co_return;
    }
    if (last) start_idling(host);
    if (shared_context && !shared_context->context()->is_lost())
        co_await shared_context->context()->close(deadline);
}

bool Pool::may_idle(const Host& host) const {
    const PoolSizing& sizing = options_.sizing;
    return host.is_usable() && (sizing.idle_timeout.count() > 0 || context_hosts() <= sizing.min_browsers);
}

void Pool::start_idling(const HostPtr& host) {
    if (host->users > 0 || closed_ || !host->ready->is_set()) return;
    if (!may_idle(*host)) {
        background_.add(close_browser(host, Deadline::in(kCloseTimeout)));
        return;
    }
    host->idle_timer.emplace(loop_, options_.sizing.idle_timeout);
    host->idle_timer->async_wait([weak = weak_from_this(), idle = std::weak_ptr(host)](auto error) {
        auto self = weak.lock();
        auto unused = idle.lock();
        if (error || !self || !unused || unused->users > 0) return;
        if (self->context_hosts() <= self->options_.sizing.min_browsers) return;
        self->log_.debug("closing an unused browser");
        self->background_.add(self->close_browser(unused, Deadline::in(kCloseTimeout)));
    });
}

void Pool::forget_lost(const HostPtr& host) {
    host->warm.clear();
    host->idle_timer.reset();
    auto it = hosts_.find(host->key);
    if (it != hosts_.end() && it->second == host && host->users == 0) hosts_.erase(it);
    if (!closed_ && options_.sizing.min_browsers > 0) background_.add(start_again(weak_from_this(), loop_));
}

Task<> Pool::start_again(std::weak_ptr<Pool> weak, Loop& loop) {
    co_await sleep_for(loop, kRestartPause);
    auto self = weak.lock();
    if (self && !self->closed_) self->start_browsers();
}

void Pool::refill_later() {
    if (options_.sizing.warm_contexts == 0 || closed_ || !refilling_.done()) return;
    refilling_ = start(refill(weak_from_this(), loop_));
}

// The browser for the next context, unless enough are ready.
Pool::HostPtr Pool::host_to_refill() {
    std::size_t ready = 0;
    HostPtr best;
    for (const auto& [key, host] : hosts_) {
        if (!host->for_contexts || !host->browser || host->browser->is_lost()) continue;
        ready += host->warm.size();
        if (!best || host->users < best->users) best = host;
    }
    return ready < options_.sizing.warm_contexts ? best : nullptr;
}

Task<> Pool::refill(std::weak_ptr<Pool> weak, Loop& loop) {
    for (;;) {
        co_await sleep_for(loop, kRefillPause);
        auto self = weak.lock();
        if (!self || self->closed_) co_return;
        if (!self->admission_.is_calm()) continue;
        auto options = self->options_.context();
        if (!options || !self->admission_.has_room()) co_return;
        for (const auto& [key, host] : self->hosts_) host->warm.keep_only(*options);
        HostPtr host = self->host_to_refill();
        if (!host) co_return;
        Deadline deadline = Deadline::in(kRefillTimeout);
        auto opening = self->cpu_arbiter_.for_opening();
        auto prepared = co_await as_result(prepare_context(host->browser, *options, deadline));
        if (!prepared) {
            self->log_.debug("no context made ready", {{"reason", prepared.error().message}});
            co_return;
        }
        (void)co_await as_result(warm_up(*prepared, deadline));
        if (host->browser) host->warm.add(std::move(*prepared), std::move(*options));
    }
}

}  // namespace browsers
