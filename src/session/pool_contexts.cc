// Browsers for contexts in memory: how many, for how long, and what is ready in them.
#include <algorithm>

#include "session/pool_host.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr auto kCloseTimeout = 10s;
// A session that was just given its context is left to its first call before the next one is made ready.
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
    for (std::size_t count = context_hosts(); count < options_.stock.min_browsers; ++count)
        start_context_host();
}

Pool::HostPtr Pool::start_context_host() {
    std::filesystem::path key = "contexts " + std::to_string(++last_line_);
    return start_host(std::make_shared<Host>(Host{.key = key, .for_contexts = true}), options_.launch);
}

// The one with the fewest contexts; another one when all have their share.
Pool::HostPtr Pool::context_host() {
    HostPtr best;
    for (const auto& [key, host] : hosts_) {
        if (host->for_contexts && host->is_usable() && (!best || host->users < best->users)) best = host;
    }
    const StockOptions& stock = options_.stock;
    bool has_share = best && best->users >= stock.contexts_per_browser;
    if (best && (!has_share || context_hosts() >= stock.max_browsers)) return best;
    return start_context_host();
}

Task<std::shared_ptr<engine::Context>> Pool::open_context(engine::ContextOptions options, Place place,
                                                          ContextRequest request) {
    auto self = shared_from_this();
    HostPtr host;
    std::optional<PreparedContext> prepared;
    for (const auto& [key, each] : hosts_) {
        if (!each->for_contexts || !each->browser || each->browser->is_lost()) continue;
        if ((prepared = each->warm.take(options))) {
            host = each;
            if (prepared->way) prepared->way->holder = options.way->holder;
            break;
        }
    }
    if (!host) {
        begin_stage(request, kTurn, request.deadline);
        co_await place.wait_to_open(request.deadline);
        if (place.is_beside()) place.keep(courtesy_.for_opening());
        host = context_host();
    }
    // To those who watch, a browser is there while somebody uses it.
    if (host->users == 0) note("create browser (isolated)");
    Use use(*this, host);
    host->resting.reset();
    if (!prepared) {
        begin_stage(request, kStart, start_limit());
        co_await host->ready->get();
        begin_stage(request, kContext, Deadline::in(options_.launch.timeout));
        prepared = co_await prepare_context(host->browser, std::move(options),
                                            Deadline::in(options_.launch.timeout));
    }
    note("create context");
    use.keep();
    refill_later();
    courtesy_.watch();
    bool settles = place.is_to_settle();
    auto lent =
        std::make_shared<LentContext>(self, host, ContextHub::create(prepared->context, prepared->way),
                                      Sight::All, std::move(place), prepared->page);
    if (settles) in_background(settle_later(lent, loop_));
    co_return lent;
}

// A first call that waits for a slow page keeps nobody else waiting.
Task<> Pool::settle_later(std::weak_ptr<LentContext> weak, Loop& loop) {
    co_await sleep_for(loop, kSettling);
    if (auto lent = weak.lock()) lent->settle();
}

Task<> Pool::give_back_context(HostPtr host, std::shared_ptr<ContextHub> hub, Deadline deadline) {
    bool last = --host->users == 0;
    note(last ? "close browser" : "close context");
    if (last && host->ready->is_set() && !may_rest(*host)) {
        co_await close_browser(host, deadline);
        co_return;
    }
    if (last) rest(host);
    if (hub && !hub->context()->is_lost()) co_await hub->context()->close(deadline);
}

bool Pool::may_rest(const Host& host) const {
    const StockOptions& stock = options_.stock;
    return host.is_usable() && (stock.idle_timeout.count() > 0 || context_hosts() <= stock.min_browsers);
}

void Pool::rest(const HostPtr& host) {
    if (host->users > 0 || closed_ || !host->ready->is_set()) return;
    if (!may_rest(*host)) {
        in_background(close_browser(host, Deadline::in(kCloseTimeout)));
        return;
    }
    host->resting.emplace(loop_, options_.stock.idle_timeout);
    host->resting->async_wait([weak = weak_from_this(), idle = std::weak_ptr(host)](auto error) {
        auto self = weak.lock();
        auto unused = idle.lock();
        if (error || !self || !unused || unused->users > 0) return;
        if (self->context_hosts() <= self->options_.stock.min_browsers) return;
        self->log_.debug("closing an unused browser");
        self->in_background(self->close_browser(unused, Deadline::in(kCloseTimeout)));
    });
}

void Pool::forget_lost(const HostPtr& host) {
    host->warm.clear();
    host->resting.reset();
    auto it = hosts_.find(host->key);
    if (it != hosts_.end() && it->second == host && host->users == 0) hosts_.erase(it);
    if (!closed_ && options_.stock.min_browsers > 0) in_background(start_again(weak_from_this(), loop_));
}

Task<> Pool::start_again(std::weak_ptr<Pool> weak, Loop& loop) {
    co_await sleep_for(loop, kRestartPause);
    auto self = weak.lock();
    if (self && !self->closed_) self->start_browsers();
}

void Pool::refill_later() {
    if (options_.stock.warm_contexts == 0 || closed_ || !refilling_.done()) return;
    refilling_ = start(refill(weak_from_this(), loop_));
}

// Where the next context would go, unless enough are ready.
Pool::HostPtr Pool::host_to_refill() {
    std::size_t ready = 0;
    HostPtr best;
    for (const auto& [key, host] : hosts_) {
        if (!host->for_contexts || !host->browser || host->browser->is_lost()) continue;
        ready += host->warm.size();
        if (!best || host->users < best->users) best = host;
    }
    return ready < options_.stock.warm_contexts ? best : nullptr;
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
        auto opening = self->courtesy_.for_opening();
        auto prepared = co_await as_result(prepare_context(host->browser, *options, deadline));
        if (!prepared) {
            self->log_.debug("no context made ready", {{"reason", prepared.error().message}});
            co_return;
        }
        (void)co_await as_result(warm_up(*prepared, deadline));
        if (host->browser) host->warm.add(std::move(*prepared), std::move(*options));
    }
}

}  // namespace session
