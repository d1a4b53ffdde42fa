// Network settings for all pages of a context.
#include "engine/cdp/context.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

Task<> apply(std::shared_ptr<Page> page, std::shared_ptr<const Routes> routes, std::optional<bool> offline,
             std::optional<engine::Throttling> throttling) {
    if (routes) co_await page->set_routes(std::move(routes));
    if (offline) co_await page->set_offline(*offline);
    if (throttling) co_await page->set_throttling(*throttling);
}

}  // namespace

std::vector<std::shared_ptr<Page>> Context::living_pages() {
    std::vector<std::shared_ptr<Page>> pages;
    for (const auto& weak : all_pages_) {
        auto page = weak.lock();
        if (page && !page->is_closed()) pages.push_back(std::move(page));
    }
    return pages;
}

Task<> Context::set_offline(bool offline, Deadline deadline) {
    auto self = shared_from_this();
    options_.offline = offline;
    for (const auto& page : living_pages()) {
        auto set = co_await as_result(with_deadline(browser_->loop(), page->set_offline(offline), deadline,
                                                    "Setting the network state"));
        // Ignore a page that closed meanwhile.
        if (!set && !page->is_closed()) co_await set.error();
    }
}

Task<> Context::set_throttling(engine::Throttling throttling, Deadline deadline) {
    auto self = shared_from_this();
    options_.throttling = throttling;
    for (const auto& page : living_pages()) {
        auto set = co_await as_result(with_deadline(browser_->loop(), page->set_throttling(throttling),
                                                    deadline, "Setting the network's speed"));
        if (!set && !page->is_closed()) co_await set.error();
    }
}

Task<> Context::set_routes(std::vector<engine::Route> routes, Deadline deadline) {
    auto self = shared_from_this();
    routes_ = std::make_shared<const Routes>(co_await Routes::create(std::move(routes)));
    for (const auto& page : living_pages())
        co_await with_deadline(browser_->loop(), page->set_routes(routes_), deadline, "Setting the routes");
}

Task<> Context::set_rules(std::vector<std::shared_ptr<engine::Page>> pages, engine::NetworkRules rules,
                          Deadline deadline) {
    auto self = shared_from_this();
    std::shared_ptr<const Routes> routes;
    if (rules.routes)
        routes = std::make_shared<const Routes>(co_await Routes::create(std::move(*rules.routes)));
    for (const auto& each : pages) {
        auto page = std::dynamic_pointer_cast<Page>(each);
        if (!page || page->is_closed()) continue;
        auto set = co_await as_result(with_deadline(browser_->loop(),
                                                    apply(page, routes, rules.offline, rules.throttling),
                                                    deadline, "Setting what holds for a tab's network"));
        if (!set && !page->is_closed()) co_await set.error();
    }
}

}  // namespace cdp
