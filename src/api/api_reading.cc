// The API's reads of the record.
#include <charconv>

#include "api/api.h"
#include "store/time_text.h"
#include "util/strings.h"

namespace api {
namespace {

Result<std::optional<std::int64_t>> number(const ApiRequest& request, std::string_view name) {
    std::string given = request.parameter(name);
    if (given.empty()) return std::optional<std::int64_t>();
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc{} || end != given.data() + given.size() || value < 0) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = std::string(name) + " must be a whole number, not \"" + given + "\"."};
    }
    return std::optional(value);
}

}  // namespace

Task<ApiAnswer> Api::content(ApiRequest request) {
    tools::Caller reader = request.caller;
    reader.session_name = request.parameter("session_id");
    // Python clients write True.
    std::string reset = to_lower(request.parameter("reset_cursor"));
    if (!reset.empty() && reset != "true" && reset != "false" && reset != "1" && reset != "0")
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "reset_cursor must be true or false, not \"" + reset + "\"."};
    tools::ContentRequest wanted{.ref_id = request.path_argument,
                                 .search_for = request.parameter("search_for"),
                                 .reset_cursor = reset == "true" || reset == "1",
                                 .since = request.parameter("since")};
    if (auto depth = co_await number(request, "depth")) wanted.depth = static_cast<int>(*depth);
    if (auto max = co_await number(request, "max_chars")) wanted.max_chars = static_cast<std::size_t>(*max);
    std::string text = co_await tools::read_content(options_.history, identify(reader), std::move(wanted));
    json::object answer{{"ref_id", request.path_argument}, {"content", std::move(text)}};
    json::array pictures;
    for (tools::RecordedPicture& each :
         co_await tools::read_pictures(options_.history, identify(reader), request.path_argument))
        pictures.push_back(
            json::object{{"mimeType", std::move(each.mime_type)}, {"data", std::move(each.data)}});
    if (!pictures.empty()) answer["pictures"] = std::move(pictures);
    co_return ApiAnswer{.body = std::move(answer)};
}

Task<ApiAnswer> Api::console(ApiRequest request) {
    auto messages = co_await tools::read_console(options_.history, identify(request.caller),
                                                 request.path_argument, request.parameter("level"));
    json::array listed;
    for (const store::ConsoleMessage& each : messages) {
        json::object message{{"level", store::to_string(each.level)},
                             {"message", each.message},
                             {"timestamp", store::to_text(each.timestamp)}};
        if (!each.url.empty())
            message["location"] = json::object{{"url", each.url},
                                               {"line", each.line},
                                               {"column", each.column},
                                               {"lineNumber", each.line},
                                               {"columnNumber", each.column}};
        listed.push_back(std::move(message));
    }
    co_return ApiAnswer{.body =
                            json::object{{"ref_id", request.path_argument}, {"messages", std::move(listed)}}};
}

Task<ApiAnswer> Api::history(ApiRequest request) {
    tools::HistoryRequest wanted{.session = request.parameter("session"),
                                 .tool = request.parameter("tool"),
                                 .since = request.parameter("since"),
                                 .until = request.parameter("until"),
                                 .text = request.parameter("text")};
    wanted.before = co_await number(request, "before");
    if (auto limit = co_await number(request, "limit"))
        wanted.limit = static_cast<int>(std::clamp<std::int64_t>(*limit, 1, 1000));
    co_return ApiAnswer{
        .body = co_await tools::list_history(options_.history, request.caller, std::move(wanted))};
}

}  // namespace api
