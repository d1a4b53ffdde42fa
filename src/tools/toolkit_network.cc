#include "tools/network_text.h"
#include "tools/regex.h"
#include "tools/toolkit.h"
#include "util/strings.h"

namespace tools {
namespace {

using engine::Route;

std::vector<std::string> resource_types() {
    return {"document", "stylesheet", "image",    "media",       "font",      "script", "xhr",
            "fetch",    "websocket",  "manifest", "eventsource", "texttrack", "ping",   "other"};
}

Task<> set_routes(Tab& tab, std::vector<Route> routes) {
    auto context = co_await tab.session().ensure_browser();
    co_await context->set_routes(std::move(routes), tab.action_deadline());
}

Task<std::vector<Route>> routes_of(Tab& tab) {
    auto context = co_await tab.session().ensure_browser();
    co_return context->routes();
}

struct BlockParams {
    std::optional<std::string> pattern;
    std::optional<std::vector<std::string>> resource_types;
    std::optional<bool> blocked;
};

Task<json::value> block_resource(Tab& tab, BlockParams params, Response&) {
    std::vector<std::string> types = params.resource_types.value_or(std::vector<std::string>{});
    if (params.pattern.value_or("").empty() && types.empty()) {
        co_await Error{.code = ErrorCode::MissingParameter,
                       .message = "Either pattern or resourceTypes must be given."};
    }
    Route route{.pattern = params.pattern.value_or("**"), .block = true, .resource_types = types};
    std::vector<Route> routes = co_await routes_of(tab);
    std::erase_if(routes, [&](const Route& each) {
        return each.block && each.pattern == route.pattern && each.resource_types == types;
    });
    if (params.blocked.value_or(true)) routes.push_back(std::move(route));
    auto count = std::ranges::count_if(routes, &Route::block);
    co_await set_routes(tab, std::move(routes));
    co_return json::object{{"activeBlocks", count}};
}

struct MockParams {
    std::string pattern;
    std::optional<int> status;
    std::optional<json::value> body;
    std::optional<std::string> content_type;
    std::optional<std::map<std::string, std::string>> headers;
};

// JSON when the body parses as JSON, the usual type of responses to scripts.
std::string guess_type(std::string_view body) {
    std::string_view text = trim(body);
    bool is_json = (text.starts_with('{') || text.starts_with('[')) && json::parse(text).has_value();
    return is_json ? "application/json" : "text/plain";
}

std::string body_of(const MockParams& params) {
    if (!params.body) return {};
    return params.body->is_string() ? std::string(params.body->get_string()) : json::serialize(*params.body);
}

Task<json::value> mock_response(Tab& tab, MockParams params, Response&) {
    std::string body = body_of(params);
    Route route{.pattern = params.pattern,
                .status = params.status.value_or(200),
                .body = body,
                .content_type = params.content_type};
    if (params.headers) route.answer_headers.assign(params.headers->begin(), params.headers->end());
    bool has_type = route.content_type || std::ranges::any_of(route.answer_headers, [](const auto& header) {
                        return to_lower(header.first) == "content-type";
                    });
    if (!has_type) route.content_type = guess_type(body);
    std::vector<Route> routes = co_await routes_of(tab);
    // A mock of the same pattern replaces the earlier one.
    std::erase_if(routes, [&](const Route& each) {
        return !each.block && each.status && each.pattern == route.pattern;
    });
    routes.push_back(std::move(route));
    co_await set_routes(tab, std::move(routes));
    co_return json::object{{"pattern", params.pattern}, {"status", params.status.value_or(200)}};
}

struct OfflineParams {
    bool offline = false;
};

Task<json::value> set_offline(Tab& tab, OfflineParams params, Response&) {
    auto context = co_await tab.session().ensure_browser();
    co_await context->set_offline(params.offline, tab.action_deadline());
    co_return json::object{{"offline", params.offline}};
}

struct ThrottlingParams {
    std::optional<double> download_speed;
    std::optional<double> upload_speed;
    std::optional<int> latency;
};

Task<json::value> set_throttling(Tab& tab, ThrottlingParams params, Response&) {
    engine::Throttling throttling{.download = params.download_speed,
                                  .upload = params.upload_speed,
                                  .latency = std::chrono::milliseconds(params.latency.value_or(0))};
    auto context = co_await tab.session().ensure_browser();
    co_await context->set_throttling(throttling, tab.action_deadline());
    co_return json::object{{"throttled", throttling != engine::Throttling()}};
}

struct LogParams {
    std::optional<std::string> filter;
};

Task<json::value> get_request_log(Tab& tab, LogParams params, Response&) {
    std::optional<Regex> filter;
    if (!params.filter.value_or("").empty()) filter = co_await Regex::create(*params.filter, "");
    json::array requests;
    for (const engine::RequestEntry& request : tab.page().requests()) {
        if (!filter || filter->matches(request.url)) requests.push_back(to_json(request));
    }
    co_return json::object{{"total", tab.page().requests().size()}, {"requests", std::move(requests)}};
}

}  // namespace

std::vector<Tool> toolkit_network_tools(const SessionResolver& sessions) {
    return {
        toolkit_tool<BlockParams>(
            sessions,
            {
                .name = "block_resource",
                .title = "Block resources",
                .description = "Let matching requests fail, in all tabs, until unblocked.",
                .scope = Scope::Session,
                .params =
                    {
                        {"pattern", &BlockParams::pattern,
                         "Glob for the whole address, like **/*.{png,jpg} or **/ads/**."},
                        {"resourceTypes",
                         &BlockParams::resource_types,
                         "Only requests of these types.",
                         {.choices = resource_types(), .item_aliases = {"resourceType"}}},
                        {"blocked", &BlockParams::blocked, "False takes the same block back. Default true."},
                    },
                .data = object_schema({{"activeBlocks", "integer"}}),
                .handler = block_resource,
            }),
        toolkit_tool<MockParams>(
            sessions,
            {
                .name = "mock_response",
                .title = "Mock a response",
                .description = "Answer matching requests with a made-up response, in all tabs.",
                .scope = Scope::Session,
                .params =
                    {
                        {"pattern",
                         &MockParams::pattern,
                         "Glob for the whole address, like **/api/users.",
                         {.aliases = {"url"}}},
                        {"status",
                         &MockParams::status,
                         "Default 200.",
                         {.minimum = 100,
                          .maximum = 599,
                          .aliases = {"response.status", "response.statusCode", "statusCode"}}},
                        {"body",
                         &MockParams::body,
                         "Body to answer with; an object or list is sent as JSON. Default empty.",
                         {.aliases = {"response.body", "response.json", "json", "response"}}},
                        {"contentType",
                         &MockParams::content_type,
                         "Default: JSON or plain text by the body.",
                         {.aliases = {"response.contentType"}}},
                        {"headers",
                         &MockParams::headers,
                         "Further headers of the answer, by name.",
                         {.aliases = {"response.headers"}}},
                    },
                .data = object_schema({{"pattern", "string"}, {"status", "integer"}}),
                .handler = mock_response,
            }),
        toolkit_tool<OfflineParams>(
            sessions,
            {
                .name = "set_offline",
                .title = "Set offline",
                .description = "Cut the browser off from the network, or connect it again.",
                .scope = Scope::Session,
                .params = {{"offline", &OfflineParams::offline, "While true, every request fails."}},
                .data = object_schema({{"offline", "boolean"}}),
                .handler = set_offline,
            }),
        toolkit_tool<ThrottlingParams>(
            sessions,
            {
                .name = "set_throttling",
                .title = "Set throttling",
                .description = "Slow the network down, in all tabs; without arguments, full speed again.",
                .scope = Scope::Session,
                .params =
                    {
                        {"downloadSpeed",
                         &ThrottlingParams::download_speed,
                         "Bytes a second.",
                         {.minimum = 1}},
                        {"uploadSpeed", &ThrottlingParams::upload_speed, "Bytes a second.", {.minimum = 1}},
                        {"latency",
                         &ThrottlingParams::latency,
                         "Milliseconds before each answer, at least.",
                         {.minimum = 0, .maximum = 60'000}},
                    },
                .data = object_schema({{"throttled", "boolean"}}),
                .handler = set_throttling,
            }),
        toolkit_tool<LogParams>(sessions,
                                {
                                    .name = "get_request_log",
                                    .title = "Get request log",
                                    .description = "The page's requests since its navigation, oldest first.",
                                    .effect = Effect::ReadsPage,
                                    .params = {{"filter", &LogParams::filter,
                                                "Only addresses that match this regular expression."}},
                                    .data = object_schema({{"total", "integer"}, {"requests", "array"}}),
                                    .handler = get_request_log,
                                }),
    };
}

}  // namespace tools
