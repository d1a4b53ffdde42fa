#include <array>

#include "tools/browser_tools.h"
#include "tools/network_text.h"
#include "tools/regex.h"
#include "util/strings.h"

namespace tools {
namespace {

struct RequestsParams {
    bool include_static = false;
    std::optional<std::string> filter;
    bool all = false;
    std::optional<std::string> filename;
};

Result<void> check_filter(const RequestsParams& params) {
    if (params.filter.value_or("").empty()) return ok();
    return check_argument("filter", Regex::create(*params.filter, ""));
}

Task<> list_requests(Tab& tab, RequestsParams params, Response& response) {
    std::optional<Regex> filter;
    if (!params.filter.value_or("").empty()) filter = co_await Regex::create(*params.filter, "");
    std::vector<std::string> lines;
    std::size_t hidden = 0;
    auto list = [&](const std::vector<engine::RequestEntry>& requests, std::size_t number) {
        for (const engine::RequestEntry& request : requests) {
            ++number;
            if (!params.include_static && !is_fetch(request) && has_succeeded(request)) {
                ++hidden;
            } else if (!filter || filter->matches(request.url)) {
                lines.push_back(std::to_string(number) + ". " + to_line(request));
            }
        }
    };
    const engine::Page& page = tab.page();
    if (params.all) list(page.earlier_requests(), page.requests_before() - page.earlier_requests().size());
    list(page.requests(), page.requests_before());
    if (hidden > 0) {
        lines.push_back("\nNote: " + std::to_string(hidden) + " static request" + (hidden == 1 ? "" : "s") +
                        " not shown, run with \"static\" option to see " + (hidden == 1 ? "it" : "them") +
                        ".");
    }
    co_await response.add_result(
        "Network", join(lines, "\n"),
        {.prefix = "network", .extension = "log", .given = params.filename.value_or("")});
}

enum class Part { RequestHeaders, RequestBody, ResponseHeaders, ResponseBody };
constexpr auto enum_names(Part) {
    return std::to_array<schema::EnumName<Part>>({{Part::RequestHeaders, "request-headers"},
                                                  {Part::RequestBody, "request-body"},
                                                  {Part::ResponseHeaders, "response-headers"},
                                                  {Part::ResponseBody, "response-body"}});
}

struct RequestParams {
    std::int64_t index = 0;
    std::optional<Part> part;
    std::optional<std::string> filename;

    std::string name() const { return filename.value_or(""); }
};

// It is no error when the browser no longer has the body: the answer says so.
Task<> show_response_body(Tab& tab, engine::RequestEntry request, std::string name, Response& response) {
    if (!request.status) co_return;
    std::string type = content_type(request);
    auto body = co_await as_result(tab.page().response_body(request, tab.action_deadline()));
    if (!body) {
        if (body.error().code == ErrorCode::BrowserCrashed) co_await body.error();
        if (can_have_body(request)) response.add_text(join({body.error().message, body.error().hint}, "\n"));
        co_return;
    }
    if (is_text_type(type)) {
        co_await response.add_result("Response body", body->bytes,
                                     {.prefix = "response", .extension = "txt", .given = name});
    } else if (can_have_body(request) && !body->bytes.empty()) {
        OutputFile file = co_await response.output_file(
            {.prefix = "response", .extension = extension_for(type), .given = name});
        co_await response.write(file, body->bytes);
        response.add_text(file.shown);
    }
}

Task<> show_part(Tab& tab, const engine::RequestEntry& request, const RequestParams& params,
                 Response& response) {
    session::FileName sent{.prefix = "request", .extension = "txt", .given = params.name()};
    session::FileName received{.prefix = "response", .extension = "txt", .given = params.name()};
    switch (*params.part) {
        case Part::RequestHeaders:
            co_await response.add_result("Request headers", to_text(request.request_headers), sent);
            break;
        case Part::RequestBody:
            if (!request.post_data.empty())
                co_await response.add_result("Request body", request.post_data, sent);
            break;
        case Part::ResponseHeaders:
            if (request.status)
                co_await response.add_result("Response headers", to_text(request.response_headers), received);
            break;
        case Part::ResponseBody:
            co_await show_response_body(tab, request, params.name(), response);
            break;
    }
}

// Numbers continue across all documents of a tab, so that a number never refers to another request.
const engine::RequestEntry* find_request(const engine::Page& page, std::size_t number) {
    std::size_t before = page.requests_before();
    const auto& requests = number > before ? page.requests() : page.earlier_requests();
    std::size_t first = number > before ? before : before - requests.size();
    return number > first && number - first <= requests.size() ? &requests[number - first - 1] : nullptr;
}

Task<> show_request(Tab& tab, RequestParams params, Response& response) {
    const engine::RequestEntry* found = find_request(tab.page(), static_cast<std::size_t>(params.index));
    if (!found) {
        response.add_error("Request #" + std::to_string(params.index) +
                           " not found. Use browser_network_requests to see available indexes.");
        co_return;
    }
    // A copy: the list may grow while the body is read.
    engine::RequestEntry request = *found;
    if (params.part) {
        co_await show_part(tab, request, params, response);
    } else {
        co_await response.add_result("Request", to_details(request, static_cast<std::size_t>(params.index)),
                                     {.prefix = "request", .extension = "log", .given = params.name()});
    }
}

}  // namespace

std::vector<Tool> network_tools(const SessionResolver& sessions) {
    return {
        tab_tool<RequestsParams>(
            sessions,
            {
                .name = "browser_network_requests",
                .title = "List network requests",
                .description =
                    "List the page's requests by number; browser_network_request shows one in full.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"static",
                         &RequestsParams::include_static,
                         "Also successful images, scripts, styles and the like.",
                         {.default_value = false}},
                        {"filter", &RequestsParams::filter,
                         "Only addresses that match this regular expression."},
                        {"all",
                         &RequestsParams::all,
                         "Since the tab was opened, not only since the last navigation.",
                         {.default_value = false}},
                        {"filename", &RequestsParams::filename, kFileHelp},
                    },
                .check = check_filter,
                .handler = list_requests,
            }),
        tab_tool<RequestParams>(
            sessions,
            {
                .name = "browser_network_request",
                .title = "Show network request details",
                .description = "Show one request in full: headers, timing, or the part asked for.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"index",
                         &RequestParams::index,
                         "Its number in browser_network_requests.",
                         {.minimum = 1}},
                        {"part", &RequestParams::part, "Only this part."},
                        {"filename", &RequestParams::filename, kFileHelp},
                    },
                .handler = show_request,
            }),
    };
}

}  // namespace tools
