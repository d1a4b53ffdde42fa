// Saves the state of a context apart from its pages, and restores it into another one.
#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"
#include "engine/cdp/storage_state.h"

namespace cdp {
namespace {

json::array pairs_to_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
    json::array list;
    for (const auto& [name, value] : pairs) list.push_back(json::array{name, value});
    return list;
}

std::vector<std::pair<std::string, std::string>> pairs_from_json(const json::array& list) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const json::value& each : list)
        pairs.emplace_back(std::string(each.at(0).as_string()), std::string(each.at(1).as_string()));
    return pairs;
}

json::array strings_to_json(const std::vector<std::string>& strings) {
    json::array list;
    for (const std::string& each : strings) list.emplace_back(each);
    return list;
}

std::vector<std::string> strings_from_json(const json::array& list) {
    std::vector<std::string> strings;
    for (const json::value& each : list) strings.emplace_back(each.as_string());
    return strings;
}

json::object to_json(const engine::Route& route) {
    json::object made{{"pattern", route.pattern}, {"block", route.block}};
    if (route.status) made["status"] = *route.status;
    if (route.body) made["body"] = *route.body;
    if (route.content_type) made["contentType"] = *route.content_type;
    if (route.add_headers) made["addHeaders"] = pairs_to_json(*route.add_headers);
    if (route.remove_headers) made["removeHeaders"] = strings_to_json(*route.remove_headers);
    made["resourceTypes"] = strings_to_json(route.resource_types);
    made["answerHeaders"] = pairs_to_json(route.answer_headers);
    return made;
}

engine::Route to_route(const json::object& given) {
    engine::Route route{.pattern = text_of(given, "pattern"), .block = flag_of(given, "block")};
    if (auto status = json::find_integer(given, "status")) route.status = static_cast<int>(*status);
    if (auto body = json::find_string(given, "body")) route.body = std::string(*body);
    if (auto type = json::find_string(given, "contentType")) route.content_type = std::string(*type);
    if (const auto* list = json::find_array(given, "addHeaders")) route.add_headers = pairs_from_json(*list);
    if (const auto* list = json::find_array(given, "removeHeaders"))
        route.remove_headers = strings_from_json(*list);
    if (const auto* list = json::find_array(given, "resourceTypes"))
        route.resource_types = strings_from_json(*list);
    if (const auto* list = json::find_array(given, "answerHeaders"))
        route.answer_headers = pairs_from_json(*list);
    return route;
}

json::object to_json(const engine::Throttling& throttling) {
    json::object made{{"latency", throttling.latency.count()}};
    if (throttling.download) made["download"] = *throttling.download;
    if (throttling.upload) made["upload"] = *throttling.upload;
    return made;
}

engine::Throttling to_throttling(const json::object& given) {
    engine::Throttling throttling{.latency = std::chrono::milliseconds(integer_of(given, "latency"))};
    if (given.contains("download")) throttling.download = number_of(given, "download");
    if (given.contains("upload")) throttling.upload = number_of(given, "upload");
    return throttling;
}

}  // namespace

Task<json::value> Context::capture_saved_state(Reach reach) {
    auto self = shared_from_this();
    json::object state;
    if (options_.offline) state["offline"] = true;
    if (options_.throttling != engine::Throttling{}) state["throttling"] = to_json(options_.throttling);
    if (!routes_->empty()) {
        json::array routes;
        for (const engine::Route& route : routes_->all()) routes.push_back(to_json(route));
        state["routes"] = std::move(routes);
    }
    // The profile itself keeps the rest.
    if (id_.empty()) co_return state;

    state["cookies"] = co_await capture_cookies(browser_->connection()->browser(), id_);
    json::array origins;
    std::set<std::string> unread = visited_;
    for (const auto& page : living_pages()) {
        std::string url = page->url();
        std::string origin =
            url.substr(0, url.find_first_of("/?#", std::min(url.size(), url.find("://") + 3)));
        if (!page->modals().empty() || page->has_crashed() || !unread.contains(origin)) continue;
        auto storage = co_await as_result(page->origin_storage());
        if (!storage) continue;
        unread.erase(origin);
        if (storage->is_object()) origins.push_back(std::move(*storage));
    }
    if (reach == Reach::Everything && !unread.empty()) {
        std::shared_ptr<WorkTab> tab = co_await open_work_tab();
        json::array others = co_await capture_origins(tab->session, {unread.begin(), unread.end()});
        std::ranges::move(others, std::back_inserter(origins));
        unread.clear();
    }
    state["origins"] = std::move(origins);
    json::array left;
    for (const std::string& origin : unread) left.emplace_back(origin);
    state["unread"] = std::move(left);
    co_return state;
}

Task<json::value> Context::save_state(Reach reach, Deadline deadline) {
    return with_deadline(browser_->loop(), capture_saved_state(reach), deadline, "Remembering the context");
}

Task<> Context::take_saved_state(json::value state, Deadline deadline) {
    auto self = shared_from_this();
    const json::object* given = state.if_object();
    if (!given) co_return;
    if (const json::array* cookies = json::find_array(*given, "cookies"); cookies && !id_.empty())
        co_await set_cookies(browser_->connection()->browser(), id_, *cookies);
    if (const json::array* origins = json::find_array(*given, "origins")) {
        for (const json::value& each : *origins) {
            if (each.is_object()) note_visit(text_of(each.get_object(), "origin"));
        }
    }
    if (flag_of(*given, "offline")) co_await set_offline(true, deadline);
    if (const json::object* throttling = json::find_object(*given, "throttling"))
        co_await set_throttling(to_throttling(*throttling), deadline);
    if (const json::array* list = json::find_array(*given, "routes")) {
        std::vector<engine::Route> routes;
        for (const json::value& each : *list) routes.push_back(to_route(each.as_object()));
        co_await set_routes(std::move(routes), deadline);
    }
}

Task<> Context::restore_state(json::value state, Deadline deadline) {
    return with_deadline(browser_->loop(), take_saved_state(std::move(state), deadline), deadline,
                         "Restoring the context");
}

}  // namespace cdp
