// The sessionId argument: many sessions on one connection.
#pragma once

#include "session/server_arguments.h"
#include "tools/tool.h"

namespace tools {

enum class SessionParam {
    Off,
    Stateless,  // for callers without a connection, which cannot identify their session otherwise
    Always
};

struct SessionParamOptions {
    SessionParam when = SessionParam::Off;
    bool required = false;
    bool tab_ids = false;  // also a targetId argument, which names one of the session's tabs
    bool tab_required = false;
    bool can_have_tab_ids = true;  // false: the engine of these tools has no tab ids
    // The callers that see the tools to create and close sessions, unless a capability lists these to all.
    // Unset: the callers that can name sessions.
    std::optional<SessionParam> tools = {};
    // The reason why a call in that session is refused; empty: no call is.
    std::function<std::optional<Error>(const Caller& caller)> refuse = {};
};

// Adds the arguments that select a session and tab. The tool gets them as Caller::session_name and
// Caller::tab_id.
Tool with_session_argument(Tool tool, SessionParamOptions options);

inline constexpr int kMaxSessionNameLength = 256;  // bytes

using session::kSessionArguments;
bool is_session_argument(std::string_view argument);
// The sessionId argument as given; null when it was not.
const json::value* find_session_argument(const json::object& arguments);
// The sessionId argument, whatever the tool; empty when there is none.
std::string session_argument(const json::value& arguments);

// The session name in such a call, unchanged; otherwise the name in the caller's path. May be empty.
std::string session_named(const Tool& tool, const Caller& caller, const json::value& arguments);

}  // namespace tools
