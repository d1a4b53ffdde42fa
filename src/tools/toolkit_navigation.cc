#include <array>

#include "tools/toolkit.h"

namespace engine {

constexpr auto enum_names(LoadState) {
    return std::to_array<schema::EnumName<LoadState>>({{LoadState::Load, "load"},
                                                       {LoadState::DomContentLoaded, "domcontentloaded"},
                                                       {LoadState::NetworkIdle, "networkidle"}});
}

}  // namespace engine

namespace tools {
namespace {

using engine::LoadState;

constexpr std::string_view kStateHelp =
    "domcontentloaded: parsed; load: with its images and scripts; networkidle: no request for half a second.";

session::Operation going(const Tab& tab, std::string_view name, std::optional<int> timeout) {
    return {
        .name = name,
        .limit = timeout ? std::chrono::milliseconds(*timeout) : tab.session().options().navigation_timeout};
}

Deadline deadline_of(const Tab& tab, const session::Operation& operation) {
    return tab.deadline_in(operation.limit, "a navigation");
}

Task<json::value> where_we_are(Tab& tab) {
    json::object place{{"url", tab.page().url()}};
    // A dialog that opens at once stops the page's script, and then the title cannot be read.
    std::optional<std::string> title;
    co_await tab.until_modal(capture_into(tab.page().title(tab.action_deadline()), title));
    place["title"] = title.value_or("");
    auto status = tab.page().document_status();
    place["status"] = status ? json::value(status->status) : json::value(nullptr);
    co_return place;
}

json::object place_schema() {
    json::object schema = object_schema({{"url", "string"}, {"title", "string"}});
    schema["properties"].as_object()["status"] = json::object{{"type", json::array{"integer", "null"}}};
    return schema;
}

json::object timed_place_schema() {
    json::object schema = place_schema();
    schema["properties"].as_object()["timing"] = json::object{{"type", "object"}};
    return schema;
}

struct NavigateParams {
    std::string url;
    std::optional<LoadState> wait_until;
    std::optional<int> timeout;
};

Task<json::value> navigate(Tab& tab, NavigateParams params, Response&) {
    LoadState state = params.wait_until.value_or(LoadState::Load);
    co_await tab.navigate_until(params.url, state, going(tab, "page.goto", params.timeout));
    json::value place = co_await where_we_are(tab);
    std::optional<json::value> timing;
    co_await tab.until_modal(capture_into(tab.page().read("timing", "", {}, tab.action_deadline()), timing));
    place.get_object()["timing"] = timing && timing->is_object() ? *timing : json::object{};
    co_return place;
}

struct HistoryParams {
    std::optional<LoadState> wait_until;
    std::optional<int> timeout;
};

enum class Direction { Back, Forward };

Task<> step(Tab& tab, Direction direction, LoadState state, Deadline deadline) {
    bool went = direction == Direction::Back ? co_await tab.page().go_back(deadline)
                                             : co_await tab.page().go_forward(deadline);
    if (!went) {
        std::string way = direction == Direction::Back ? "back" : "forward";
        co_await Error{.code = ErrorCode::NavigationFailed,
                       .message = "There is no page to go " + way + " to.",
                       .hint = "Go to an address with navigate."};
    }
    co_await tab.page().wait_for_load(state, deadline);
}

Task<json::value> go(Tab& tab, Direction direction, HistoryParams params) {
    session::Operation operation =
        going(tab, direction == Direction::Back ? "page.goBack" : "page.goForward", params.timeout);
    Deadline deadline = deadline_of(tab, operation);
    co_await tab.run(operation, step(tab, direction, params.wait_until.value_or(LoadState::Load), deadline));
    co_return co_await where_we_are(tab);
}

Task<json::value> go_back(Tab& tab, HistoryParams params, Response&) {
    return go(tab, Direction::Back, params);
}
Task<json::value> go_forward(Tab& tab, HistoryParams params, Response&) {
    return go(tab, Direction::Forward, params);
}

struct ReloadParams {
    std::optional<bool> ignore_cache;
    std::optional<int> timeout;
};

Task<json::value> reload(Tab& tab, ReloadParams params, Response&) {
    using Cache = engine::Page::Cache;
    session::Operation operation = going(tab, "page.reload", params.timeout);
    Cache cache = params.ignore_cache.value_or(false) ? Cache::Ignore : Cache::Use;
    co_await tab.run(operation, tab.page().reload(cache, deadline_of(tab, operation)));
    co_return co_await where_we_are(tab);
}

struct LoadParams {
    std::optional<LoadState> state;
    std::optional<int> timeout;
};

Task<json::value> wait_for_load(Tab& tab, LoadParams params, Response&) {
    session::Operation operation = going(tab, "page.waitForLoadState", params.timeout);
    co_await tab.run(operation, tab.page().wait_for_load(params.state.value_or(LoadState::Load),
                                                         deadline_of(tab, operation)));
    co_return co_await where_we_are(tab);
}

constexpr std::string_view kNavigationTimeoutHelp =
    "Milliseconds to wait. Default: the server's navigation timeout.";

}  // namespace

std::vector<Tool> toolkit_navigation_tools(const SessionResolver& sessions) {
    schema::ParamList<HistoryParams> history = {
        {"waitUntil", &HistoryParams::wait_until, kStateHelp},
        {"timeout", &HistoryParams::timeout, kNavigationTimeoutHelp, {.minimum = 1}},
    };
    return {
        toolkit_tool<NavigateParams>(
            sessions,
            {
                .name = "navigate",
                .title = "Navigate",
                .description = "Open a URL in the current tab.",
                .params =
                    {
                        {"url", &NavigateParams::url, "Address; https:// is assumed, http:// for localhost."},
                        {"waitUntil", &NavigateParams::wait_until, kStateHelp},
                        {"timeout", &NavigateParams::timeout, kNavigationTimeoutHelp, {.minimum = 1}},
                    },
                .limit = Limit::Navigation,
                .data = timed_place_schema(),
                .handler = navigate,
            }),
        toolkit_tool<HistoryParams>(sessions,
                                    {
                                        .name = "go_back",
                                        .title = "Go back",
                                        .description = "Go back one page in the tab's history.",
                                        .params = history,
                                        .limit = Limit::Navigation,
                                        .data = place_schema(),
                                        .handler = go_back,
                                    }),
        toolkit_tool<HistoryParams>(sessions,
                                    {
                                        .name = "go_forward",
                                        .title = "Go forward",
                                        .description = "Go forward one page in the tab's history.",
                                        .params = history,
                                        .limit = Limit::Navigation,
                                        .data = place_schema(),
                                        .handler = go_forward,
                                    }),
        toolkit_tool<ReloadParams>(
            sessions,
            {
                .name = "reload",
                .title = "Reload",
                .description = "Load the page again.",
                .params =
                    {
                        {"ignoreCache", &ReloadParams::ignore_cache, "Ask the server for everything anew."},
                        {"timeout", &ReloadParams::timeout, kNavigationTimeoutHelp, {.minimum = 1}},
                    },
                .limit = Limit::Navigation,
                .data = place_schema(),
                .handler = reload,
            }),
        toolkit_tool<LoadParams>(
            sessions,
            {
                .name = "wait_for_load",
                .title = "Wait for load",
                .description = "Wait until the page has come so far.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"state", &LoadParams::state, kStateHelp},
                        {"timeout", &LoadParams::timeout, kNavigationTimeoutHelp, {.minimum = 1}},
                    },
                .limit = Limit::Navigation,
                .data = place_schema(),
                .handler = wait_for_load,
            }),
    };
}

}  // namespace tools
