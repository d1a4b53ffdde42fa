#include "tools/session_tools.h"

namespace tools {
namespace {

ToolResult as_result_of(json::object answer) {
    ToolResult result = ToolResult::text(json::serialize(answer));
    result.structured = std::move(answer);
    return result;
}

std::string about(const std::string& id) { return json::serialize(json::object{{"sessionId", id}}); }

}  // namespace

ToolResult in_data(json::object data) { return as_result_of({{"success", true}, {"data", std::move(data)}}); }

ToolResult as_it_is(json::object data) { return as_result_of(std::move(data)); }

Task<ToolResult> answered(Task<json::object> data, AnswerShape shape, const json::value& arguments) {
    auto given = co_await as_result(std::move(data));
    if (given) co_return shape(std::move(*given));
    if (given.error().code == ErrorCode::InternalError) co_await given.error();
    co_return structured(given.error(), said_of(arguments));
}

Error no_session(const std::string& id) {
    return Error{
        .code = ErrorCode::SessionNotFound,
        .message = "There is no session \"" + id + "\".",
        .hint =
            "list_sessions shows yours. create_session makes one, and so does browser_navigate with a new "
            "sessionId.",
        .details = about(id)};
}

Error belongs_to_upstream(const std::string& id) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = "The browser of session \"" + id + "\" is another server's: it is not ours to read.",
        .hint = "Use the tools of the upstream engine in it.",
        .details = about(id)};
}

}  // namespace tools
