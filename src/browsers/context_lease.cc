#include "browsers/context_lease.h"

namespace browsers {
namespace {

constexpr std::chrono::seconds kRulesTimeout{10};

}  // namespace

std::shared_ptr<SharedContext> SharedContext::create(std::shared_ptr<engine::Context> context,
                                                     std::shared_ptr<engine::NetworkAccess> network_access) {
    std::shared_ptr<SharedContext> shared_context(
        new SharedContext(std::move(context), std::move(network_access)));
    std::weak_ptr<SharedContext> weak = shared_context;
    shared_context->context_->on_page_opened([weak](const std::shared_ptr<engine::Page>& page) {
        auto self = weak.lock();
        if (self)
            self->notify([&](Listener& listener) {
                if (listener.opened) listener.opened(page);
            });
    });
    shared_context->context_->on_page_closed([weak](engine::Page& page) {
        auto self = weak.lock();
        if (self)
            self->notify([&](Listener& listener) {
                if (listener.closed) listener.closed(page);
            });
    });
    shared_context->context_->on_lost([weak] {
        auto self = weak.lock();
        if (self)
            self->notify([](Listener& listener) {
                if (listener.lost) listener.lost();
            });
    });
    return shared_context;
}

SharedContext::~SharedContext() {
    context_->on_page_opened(nullptr);
    context_->on_page_closed(nullptr);
    context_->on_lost(nullptr);
}

std::shared_ptr<SharedContext::Listener> SharedContext::listen() {
    auto listener = std::make_shared<Listener>();
    listeners_.push_back(listener);
    return listener;
}

void SharedContext::set_page_identity(const std::string& page,
                                      std::shared_ptr<const engine::SessionIdentity> identity) {
    if (!network_access_) return;
    if (identity)
        network_access_->page_identities.insert_or_assign(page, std::move(identity));
    else
        network_access_->page_identities.erase(page);
}

ContextLease::ContextLease(std::shared_ptr<Pool> pool, Pool::HostPtr host,
                           std::shared_ptr<SharedContext> shared_context, TabVisibility visibility, Slot slot,
                           std::shared_ptr<engine::Page> first_page)
    : pool_(std::move(pool)),
      host_(std::move(host)),
      shared_context_(std::move(shared_context)),
      listener_(shared_context_->listen()),
      visibility_(visibility),
      slot_(std::move(slot)),
      first_page_(std::move(first_page)) {
    listener_->opened = [this](const std::shared_ptr<engine::Page>& page) { take_opened(page); };
    listener_->closed = [this](engine::Page& page) { take_closed(page); };
    listener_->lost = [this] { lose(); };
}

bool ContextLease::owns(std::string_view page) const {
    return std::ranges::any_of(own_, [&](const auto& each) { return each->id() == page; });
}

void ContextLease::take_own(const std::shared_ptr<engine::Page>& page) {
    own_.push_back(page);
    shared_context_->set_page_identity(page->id(), identity_);
}

void ContextLease::take_opened(const std::shared_ptr<engine::Page>& page) {
    if (visibility_ == TabVisibility::Own) {
        // Pages with another session's or an unknown opener are not ours. Our own new tabs are taken below.
        if (page->opener().empty() || !owns(page->opener()) || owns(page->id())) return;
        take_own(page);
        std::erase_if(applying_, [](const Running& each) { return each.done(); });
        if (has_rules())
            applying_.push_back(start(real().set_rules({page}, rules_, Deadline::in(kRulesTimeout))));
    }
    if (opened_) opened_(page);
}

void ContextLease::take_closed(engine::Page& page) {
    if (visibility_ == TabVisibility::Own) {
        auto it = std::ranges::find_if(own_, [&](const auto& each) { return each.get() == &page; });
        bool watched = std::erase_if(watched_, [&](const auto& each) { return each.get() == &page; }) > 0;
        if (it == own_.end() && !watched) return;
        auto keep = it == own_.end() ? nullptr : *it;
        if (keep) {
            own_.erase(it);
            shared_context_->set_page_identity(keep->id(), nullptr);
        }
        if (closed_) closed_(page);
    } else if (closed_) {
        closed_(page);
    }
}

Task<std::shared_ptr<engine::Page>> ContextLease::new_page(Deadline deadline) {
    auto first = std::exchange(first_page_, nullptr);
    if (first && !first->is_closed() && !first->has_crashed()) co_return first;
    auto page = co_await real().new_page(deadline);
    if (visibility_ == TabVisibility::Own && !owns(page->id())) take_own(page);
    if (has_rules()) co_await real().set_rules({page}, rules_, deadline);
    co_return page;
}

Task<> ContextLease::change_rules(engine::NetworkRules rules, Deadline deadline) {
    co_await real().set_rules(own_, rules, deadline);
    if (rules.routes) rules_.routes = std::move(rules.routes);
    if (rules.offline) rules_.offline = rules.offline;
    if (rules.throttling) rules_.throttling = rules.throttling;
}

Task<> ContextLease::set_offline(bool offline, Deadline deadline) {
    return has_own_tabs() ? change_rules({.offline = offline}, deadline)
                          : real().set_offline(offline, deadline);
}

Task<> ContextLease::set_throttling(engine::Throttling throttling, Deadline deadline) {
    return has_own_tabs() ? change_rules({.throttling = throttling}, deadline)
                          : real().set_throttling(throttling, deadline);
}

const std::vector<engine::Route>& ContextLease::routes() const {
    static const std::vector<engine::Route> kNone;
    if (!has_own_tabs()) return real().routes();
    return rules_.routes ? *rules_.routes : kNone;
}

Task<> ContextLease::set_routes(std::vector<engine::Route> routes, Deadline deadline) {
    return has_own_tabs() ? change_rules({.routes = std::move(routes)}, deadline)
                          : real().set_routes(std::move(routes), deadline);
}

Task<> ContextLease::hand_over(std::shared_ptr<engine::Page> page, std::shared_ptr<ContextLease> to,
                               Deadline deadline) {
    std::erase(own_, page);
    to->take_own(page);
    engine::NetworkRules rules{.routes = to->routes(),
                               .offline = to->rules_.offline.value_or(false),
                               .throttling = to->rules_.throttling.value_or(engine::Throttling{})};
    if (has_rules() || to->has_rules()) co_await real().set_rules({page}, std::move(rules), deadline);
}

void ContextLease::unwatch(const engine::Page& page) {
    std::erase_if(watched_, [&](const auto& each) { return each.get() == &page; });
}

ContextLease::~ContextLease() {
    if (!given_back_) pool_->abandon(host_, shared_context_);
}

void ContextLease::lose() {
    pool_->log_.channel("pw:mcp:backend", "browser disconnected");
    if (!std::exchange(given_back_, true)) pool_->abandon(host_, shared_context_);
    slot_.reset();
    // The callback may drop this very context.
    if (auto lost = std::exchange(lost_, nullptr)) lost();
}

Task<> ContextLease::close(Deadline deadline) {
    if (std::exchange(given_back_, true)) co_return;
    listener_->opened = nullptr;
    // Closes our own pages; the context stays for the other sessions.
    for (const auto& page : std::vector(own_)) (void)co_await as_result(page->close(deadline));
    auto given_back = co_await as_result(pool_->give_back(host_, shared_context_, deadline));
    slot_.reset();
    co_await std::move(given_back);
}

}  // namespace browsers
