#include <array>
#include <cmath>

#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

using engine::Route;

struct RouteParams {
    std::string pattern;
    std::optional<double> status;
    std::optional<std::string> body;
    std::optional<std::string> content_type;
    std::optional<std::vector<std::string>> headers;
    std::optional<std::string> remove_headers;
};

Result<Route> to_route(const RouteParams& params) {
    Route route{.pattern = params.pattern, .body = params.body, .content_type = params.content_type};
    if (params.status) {
        if (*params.status != std::floor(*params.status) || *params.status < 100 || *params.status > 999) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "Invalid status " + to_javascript(*params.status) +
                                    ": expected a whole number from 100 to 999"};
        }
        route.status = static_cast<int>(*params.status);
    }
    if (params.headers) route.add_headers.emplace();
    for (const std::string& header : params.headers.value_or(std::vector<std::string>{})) {
        std::size_t colon = header.find(':');
        if (colon == 0 || colon == std::string::npos) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "Invalid header \"" + header + "\": expected \"Name: Value\""};
        }
        route.add_headers->emplace_back(trim(header.substr(0, colon)), trim(header.substr(colon + 1)));
    }
    if (!params.remove_headers.value_or("").empty()) {
        route.remove_headers.emplace();
        for (const std::string& name : split(*params.remove_headers, ','))
            route.remove_headers->emplace_back(trim(name));
    }
    return route;
}

Task<> add_route(Session& session, RouteParams params, Response& response) {
    auto route = to_route(params);
    if (!route) {
        response.add_error(route.error().message);
        co_return;
    }
    auto context = co_await session.ensure_browser();
    std::vector<Route> routes = context->routes();
    routes.push_back(std::move(*route));
    co_await context->set_routes(std::move(routes), session.deadline());
    response.add_text("Route added for pattern: " + params.pattern);
    response.add_code("await page.context().route(" + quote(params.pattern) +
                      ", async route => { /* route handler */ });");
}

std::string shortened(const std::string& body) {
    constexpr std::size_t kShown = 50;
    std::size_t end = 0;
    for (std::size_t count = 0; end < body.size() && count < kShown; ++count)
        end += std::max<std::size_t>(utf8_sequence_length(std::string_view(body).substr(end)), 1);
    return end < body.size() ? body.substr(0, end) + "..." : body;
}

std::string to_line(const Route& route) {
    std::vector<std::string> details;
    if (route.block) details.emplace_back("blocked");
    if (!route.resource_types.empty()) details.push_back("types=" + join(route.resource_types, ","));
    if (route.status) details.push_back("status=" + std::to_string(*route.status));
    if (route.body) details.push_back("body=" + shortened(*route.body));
    if (!route.content_type.value_or("").empty()) details.push_back("contentType=" + *route.content_type);
    if (route.add_headers) {
        json::object headers;
        for (const auto& [name, value] : *route.add_headers) headers[name] = value;
        details.push_back("addHeaders=" + json::serialize(headers));
    }
    if (route.remove_headers) details.push_back("removeHeaders=" + join(*route.remove_headers, ","));
    return route.pattern + (details.empty() ? "" : " (" + join(details, ", ") + ")");
}

Task<> list_routes(Session& session, schema::NoParams, Response& response) {
    auto context = co_await session.ensure_browser();
    std::vector<std::string> lines;
    for (const Route& route : context->routes())
        lines.push_back(std::to_string(lines.size() + 1) + ". " + to_line(route));
    response.add_text(lines.empty() ? "No active routes" : join(lines, "\n"));
}

struct UnrouteParams {
    std::optional<std::string> pattern;
};

Task<> remove_routes(Session& session, UnrouteParams params, Response& response) {
    auto context = co_await session.ensure_browser();
    std::vector<Route> routes = context->routes();
    std::string pattern = params.pattern.value_or("");
    std::size_t removed = std::erase_if(
        routes, [&](const Route& route) { return pattern.empty() || route.pattern == pattern; });
    if (removed > 0) co_await context->set_routes(std::move(routes), session.deadline());
    response.add_text(pattern.empty()
                          ? "Removed all " + std::to_string(removed) + " route(s)"
                          : "Removed " + std::to_string(removed) + " route(s) for pattern: " + pattern);
}

enum class NetworkState { Online, Offline };
constexpr auto enum_names(NetworkState) {
    return std::to_array<schema::EnumName<NetworkState>>(
        {{NetworkState::Online, "online"}, {NetworkState::Offline, "offline"}});
}

struct StateParams {
    NetworkState state = NetworkState::Online;
};

Task<> set_state(Session& session, StateParams params, Response& response) {
    bool offline = params.state == NetworkState::Offline;
    auto context = co_await session.ensure_browser();
    co_await run_as({.name = "browserContext.setOffline"}, context->set_offline(offline, session.deadline()));
    response.add_text("Network is now " + std::string(schema::name_of(params.state)));
    response.add_code("await page.context().setOffline(" + std::string(offline ? "true" : "false") + ");");
}

}  // namespace

std::vector<Tool> route_tools(const SessionResolver& sessions) {
    return {
        session_tool<RouteParams>(
            sessions,
            {
                .name = "browser_route",
                .title = "Mock network requests",
                .description = "Answer matching requests with a made-up response, or send them on with other "
                               "headers when neither status nor body is given.",
                .capability = "network",
                .params =
                    {
                        {"pattern", &RouteParams::pattern,
                         "Glob for the whole address, like **/api/users or **/*.{png,jpg}."},
                        {"status", &RouteParams::status, "Status to answer with. Default 200."},
                        {"body", &RouteParams::body, "Body to answer with."},
                        {"contentType", &RouteParams::content_type,
                         "Type of the body, like application/json."},
                        {"headers", &RouteParams::headers, "Headers to send on, each like \"Name: Value\"."},
                        {"removeHeaders", &RouteParams::remove_headers,
                         "Names of headers not to send on, parted by commas."},
                    },
                .handler = add_route,
            }),
        session_tool<schema::NoParams>(sessions,
                                       {
                                           .name = "browser_route_list",
                                           .title = "List network routes",
                                           .description = "List the routes in effect.",
                                           .effect = Effect::ReadsPage,
                                           .capability = "network",
                                           .handler = list_routes,
                                       }),
        session_tool<UnrouteParams>(
            sessions,
            {
                .name = "browser_unroute",
                .title = "Remove network routes",
                .description = "Remove the routes of a pattern, or all.",
                .capability = "network",
                .params = {{"pattern", &UnrouteParams::pattern, "As it was given. Left out, all routes go."}},
                .handler = remove_routes,
            }),
        session_tool<StateParams>(
            sessions,
            {
                .name = "browser_network_state_set",
                .title = "Set network state",
                .description = "Cut the browser off from the network, or connect it again.",
                .capability = "network",
                .params = {{"state", &StateParams::state, "While offline, every request fails."}},
                .handler = set_state,
            }),
    };
}

}  // namespace tools
