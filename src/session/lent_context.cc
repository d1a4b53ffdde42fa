#include "session/lent_context.h"

namespace session {
namespace {

constexpr std::chrono::seconds kRulesTimeout{10};

}  // namespace

std::shared_ptr<ContextHub> ContextHub::create(std::shared_ptr<engine::Context> context,
                                               std::shared_ptr<engine::Way> way) {
    std::shared_ptr<ContextHub> hub(new ContextHub(std::move(context), std::move(way)));
    std::weak_ptr<ContextHub> weak = hub;
    hub->context_->on_page_opened([weak](const std::shared_ptr<engine::Page>& page) {
        auto self = weak.lock();
        if (self)
            self->tell([&](Listener& listener) {
                if (listener.opened) listener.opened(page);
            });
    });
    hub->context_->on_page_closed([weak](engine::Page& page) {
        auto self = weak.lock();
        if (self)
            self->tell([&](Listener& listener) {
                if (listener.closed) listener.closed(page);
            });
    });
    hub->context_->on_lost([weak] {
        auto self = weak.lock();
        if (self)
            self->tell([](Listener& listener) {
                if (listener.lost) listener.lost();
            });
    });
    return hub;
}

ContextHub::~ContextHub() {
    context_->on_page_opened(nullptr);
    context_->on_page_closed(nullptr);
    context_->on_lost(nullptr);
}

std::shared_ptr<ContextHub::Listener> ContextHub::listen() {
    auto listener = std::make_shared<Listener>();
    listeners_.push_back(listener);
    return listener;
}

void ContextHub::set_page_holder(const std::string& page, std::shared_ptr<const engine::Holder> holder) {
    if (!way_) return;
    if (holder)
        way_->page_holders.insert_or_assign(page, std::move(holder));
    else
        way_->page_holders.erase(page);
}

LentContext::LentContext(std::shared_ptr<Pool> pool, Pool::HostPtr host, std::shared_ptr<ContextHub> hub,
                         Sight sight, Place place, std::shared_ptr<engine::Page> first_page)
    : pool_(std::move(pool)),
      host_(std::move(host)),
      hub_(std::move(hub)),
      listener_(hub_->listen()),
      sight_(sight),
      place_(std::move(place)),
      first_page_(std::move(first_page)) {
    listener_->opened = [this](const std::shared_ptr<engine::Page>& page) { take_opened(page); };
    listener_->closed = [this](engine::Page& page) { take_closed(page); };
    listener_->lost = [this] { lose(); };
}

bool LentContext::owns(std::string_view page) const {
    return std::ranges::any_of(own_, [&](const auto& each) { return each->id() == page; });
}

void LentContext::take_own(const std::shared_ptr<engine::Page>& page) {
    own_.push_back(page);
    hub_->set_page_holder(page->id(), holder_);
}

void LentContext::take_opened(const std::shared_ptr<engine::Page>& page) {
    if (sight_ == Sight::Own) {
        // What somebody else opened, or nobody that we know of, is not ours. Our own new tabs are taken
        // below.
        if (page->opener().empty() || !owns(page->opener()) || owns(page->id())) return;
        take_own(page);
        std::erase_if(applying_, [](const Running& each) { return each.done(); });
        if (has_rules())
            applying_.push_back(start(real().set_rules({page}, rules_, Deadline::in(kRulesTimeout))));
    }
    if (opened_) opened_(page);
}

void LentContext::take_closed(engine::Page& page) {
    if (sight_ == Sight::Own) {
        auto it = std::ranges::find_if(own_, [&](const auto& each) { return each.get() == &page; });
        bool watched = std::erase_if(watched_, [&](const auto& each) { return each.get() == &page; }) > 0;
        if (it == own_.end() && !watched) return;
        auto keep = it == own_.end() ? nullptr : *it;
        if (keep) {
            own_.erase(it);
            hub_->set_page_holder(keep->id(), nullptr);
        }
        if (closed_) closed_(page);
    } else if (closed_) {
        closed_(page);
    }
}

Task<std::shared_ptr<engine::Page>> LentContext::new_page(Deadline deadline) {
    auto first = std::exchange(first_page_, nullptr);
    if (first && !first->is_closed() && !first->has_crashed()) co_return first;
    auto page = co_await real().new_page(deadline);
    if (sight_ == Sight::Own && !owns(page->id())) take_own(page);
    if (has_rules()) co_await real().set_rules({page}, rules_, deadline);
    co_return page;
}

Task<> LentContext::change_rules(engine::NetworkRules rules, Deadline deadline) {
    co_await real().set_rules(own_, rules, deadline);
    if (rules.routes) rules_.routes = std::move(rules.routes);
    if (rules.offline) rules_.offline = rules.offline;
    if (rules.throttling) rules_.throttling = rules.throttling;
}

Task<> LentContext::set_offline(bool offline, Deadline deadline) {
    return has_own_tabs() ? change_rules({.offline = offline}, deadline)
                          : real().set_offline(offline, deadline);
}

Task<> LentContext::set_throttling(engine::Throttling throttling, Deadline deadline) {
    return has_own_tabs() ? change_rules({.throttling = throttling}, deadline)
                          : real().set_throttling(throttling, deadline);
}

const std::vector<engine::Route>& LentContext::routes() const {
    static const std::vector<engine::Route> kNone;
    if (!has_own_tabs()) return real().routes();
    return rules_.routes ? *rules_.routes : kNone;
}

Task<> LentContext::set_routes(std::vector<engine::Route> routes, Deadline deadline) {
    return has_own_tabs() ? change_rules({.routes = std::move(routes)}, deadline)
                          : real().set_routes(std::move(routes), deadline);
}

Task<> LentContext::hand_over(std::shared_ptr<engine::Page> page, std::shared_ptr<LentContext> to,
                              Deadline deadline) {
    std::erase(own_, page);
    to->take_own(page);
    engine::NetworkRules rules{.routes = to->routes(),
                               .offline = to->rules_.offline.value_or(false),
                               .throttling = to->rules_.throttling.value_or(engine::Throttling{})};
    if (has_rules() || to->has_rules()) co_await real().set_rules({page}, std::move(rules), deadline);
}

void LentContext::unwatch(const engine::Page& page) {
    std::erase_if(watched_, [&](const auto& each) { return each.get() == &page; });
}

LentContext::~LentContext() {
    if (!given_back_) pool_->abandon(host_, hub_);
}

void LentContext::lose() {
    pool_->log_.channel("pw:mcp:backend", "browser disconnected");
    if (!std::exchange(given_back_, true)) pool_->abandon(host_, hub_);
    place_.reset();
    // Its listener may drop this very context.
    if (auto lost = std::exchange(lost_, nullptr)) lost();
}

Task<> LentContext::close(Deadline deadline) {
    if (std::exchange(given_back_, true)) co_return;
    listener_->opened = nullptr;
    // The context stays, for the others; what was ours in it goes.
    for (const auto& page : std::vector(own_)) (void)co_await as_result(page->close(deadline));
    auto given_back = co_await as_result(pool_->give_back(host_, hub_, deadline));
    place_.reset();
    co_await std::move(given_back);
}

}  // namespace session
