// Shared parts of the tools for named sessions. They answer as the toolkit does: {success: true, data} or
// {success: false, error: {code, message, …}}.
#pragma once

#include "tools/error_answer.h"
#include "tools/session_param.h"
#include "tools/sessions.h"

namespace tools {

inline constexpr std::string_view kSessionsCapability = "sessions";
inline constexpr std::string_view kSessionIdHelp =
    "The session's id. Default: your own, also called default.";

// The options of an argument that names a session.
inline schema::ParamOptions session_name() {
    return {.min_length = 1, .max_length = kMaxSessionNameLength, .aliases = {"session_id"}};
}

// A handler returns the data of the answer.
template <class Params>
using SessionHandler = Task<json::object> (*)(SessionCatalog catalog, Call call, Params params);
// Converts data to the result to send.
using AnswerShape = ToolResult (*)(json::object data);

ToolResult in_data(json::object data);  // {success: true, data}
ToolResult as_it_is(json::object data);

// Turns errors into answers; passes internal errors up to be logged.
Task<ToolResult> answered(Task<json::object> data, AnswerShape shape, const json::value& arguments);

// Binds the catalog.
template <class Params>
std::function<Task<ToolResult>(Call, Params)> with(SessionCatalog catalog, SessionHandler<Params> handler,
                                                   AnswerShape shape = in_data) {
    return [catalog = std::move(catalog), handler, shape](Call call, Params params) {
        return answered(handler(catalog, call, std::move(params)), shape, call.arguments);
    };
}

Error no_session(const std::string& id);
Error belongs_to_upstream(const std::string& id);

// create_session and create_new_session.
std::vector<Tool> session_creation_tools(const SessionCatalog& catalog);
// Cookies and saved state of sessions.
std::vector<Tool> session_state_tools(const SessionCatalog& catalog);

}  // namespace tools
