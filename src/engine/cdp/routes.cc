#include "engine/cdp/routes.h"

#include <algorithm>

#include "engine/cdp/fields.h"
#include "util/strings.h"

namespace cdp {
namespace {

json::object header(std::string_view name, std::string_view value) {
    return {{"name", name}, {"value", value}};
}

std::string header_of(const json::object& request, std::string_view name) {
    const json::object* headers = json::find_object(request, "headers");
    for (const auto& [key, value] : headers ? *headers : json::object()) {
        if (to_lower(key) == name && value.is_string()) return std::string(value.get_string());
    }
    return {};
}

// Lets a page read our answer in the name of another origin.
void allow_origin(json::array& headers, const std::string& origin) {
    if (origin.empty()) return;
    headers.push_back(header("access-control-allow-origin", origin));
    headers.push_back(header("access-control-allow-credentials", "true"));
    headers.push_back(header("vary", "Origin"));
}

bool makes_answer(const engine::Route& route) { return route.status || route.body; }

json::object made_answer(const engine::Route& route, const json::object& request) {
    std::string body = route.body.value_or("");
    json::array headers;
    if (route.content_type) headers.push_back(header("content-type", *route.content_type));
    if (!body.empty()) headers.push_back(header("content-length", std::to_string(body.size())));
    for (const auto& [name, value] : route.answer_headers) {
        // Two of them would reach the page as one header with both values.
        std::string key = to_lower(name);
        bool is_made =
            (key == "content-type" && route.content_type) || (key == "content-length" && !body.empty());
        if (!is_made) headers.push_back(header(name, value));
    }
    allow_origin(headers, header_of(request, "origin"));
    return {{"responseCode", route.status.value_or(200)},
            {"responseHeaders", std::move(headers)},
            {"body", base64_encode(body)}};
}

// The browser asks for permission first, and only we can grant it for a mocked answer.
json::object made_preflight_answer(const json::object& request) {
    json::array headers;
    allow_origin(headers, header_of(request, "origin"));
    headers.push_back(
        header("access-control-allow-methods", header_of(request, "access-control-request-method")));
    std::string wanted = header_of(request, "access-control-request-headers");
    if (!wanted.empty()) headers.push_back(header("access-control-allow-headers", wanted));
    return {{"responseCode", 204}, {"responseHeaders", std::move(headers)}};
}

json::array changed_headers(const engine::Route& route, const json::object& request) {
    std::vector<std::pair<std::string, std::string>> headers;
    auto remove = [&](std::string_view name) {
        std::erase_if(headers, [&](const auto& each) { return to_lower(each.first) == to_lower(name); });
    };
    const json::object* sent = json::find_object(request, "headers");
    for (const auto& [name, value] : sent ? *sent : json::object()) {
        if (value.is_string()) headers.emplace_back(name, value.get_string());
    }
    if (route.add_headers) {
        for (const auto& [name, value] : *route.add_headers) {
            remove(name);
            headers.emplace_back(name, value);
        }
    }
    if (route.remove_headers) {
        for (const std::string& name : *route.remove_headers) remove(name);
    }
    json::array list;
    for (const auto& [name, value] : headers) list.push_back(header(name, value));
    return list;
}

}  // namespace

Result<Routes> Routes::create(std::vector<engine::Route> routes) {
    Routes made;
    for (const engine::Route& route : routes) {
        // Browsers write a site's first page with a trailing slash.
        std::string pattern = route.pattern.empty() ? "**" : route.pattern;
        std::size_t host = pattern.find("://");
        bool bare =
            host != std::string::npos && pattern.find_first_of("/?#*{\\", host + 3) == std::string::npos;
        engine::Glob glob = TRY(engine::Glob::create(bare ? pattern + "/" : pattern));
        made.patterns_.push_back(std::move(glob));
    }
    made.routes_ = std::move(routes);
    return made;
}

const engine::Route* Routes::find(const std::string& url, const std::string& resource_type) const {
    for (std::size_t i = routes_.size(); i-- > 0;) {
        const auto& types = routes_[i].resource_types;
        auto has = [&](std::string_view type) { return std::ranges::find(types, type) != types.end(); };
        // The browser does not distinguish fetch() from XMLHttpRequest at this point.
        bool script_asks = resource_type == "xhr" || resource_type == "fetch";
        bool of_type = types.empty() || has(resource_type) || (script_asks && (has("xhr") || has("fetch")));
        if (of_type && patterns_[i].matches(url)) return &routes_[i];
    }
    return nullptr;
}

bool Routes::take(Session& session, const json::object& paused) const {
    const json::object* request = json::find_object(paused, "request");
    if (routes_.empty() || !request) return false;
    std::string url = text_of(*request, "url");
    const engine::Route* route =
        find(url.substr(0, url.find('#')), to_lower(text_of(paused, "resourceType")));
    if (!route) return false;
    if (route->block) {
        session.post("Fetch.failRequest",
                     {{"requestId", text_of(paused, "requestId")}, {"errorReason", "BlockedByClient"}});
        return true;
    }
    // The server redirected here: its answer is the requested one.
    bool redirected = !text_of(paused, "redirectedRequestId").empty();
    if (redirected && makes_answer(*route)) return false;
    bool preflight = text_of(*request, "method") == "OPTIONS" &&
                     !header_of(*request, "access-control-request-method").empty();
    json::object answer;
    if (makes_answer(*route)) {
        answer = preflight ? made_preflight_answer(*request) : made_answer(*route, *request);
    } else if (!preflight) {
        answer["headers"] = changed_headers(*route, *request);
    }
    answer["requestId"] = text_of(paused, "requestId");
    session.post(makes_answer(*route) ? "Fetch.fulfillRequest" : "Fetch.continueRequest", answer);
    return true;
}

}  // namespace cdp
