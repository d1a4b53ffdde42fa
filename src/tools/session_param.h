// The sessionId argument: many sessions on one connection.
#pragma once

#include "tools/tool.h"

namespace tools {

enum class SessionParam {
    Off,
    Stateless,  // for callers without a connection, who have no other way to say which session they mean
    Always
};

struct SessionParamOptions {
    SessionParam when = SessionParam::Off;
    bool required = false;
    bool tab_ids = false;  // also a targetId argument, that names one of the session's tabs
    bool tab_required = false;
    // To whom the tools are listed that make and close sessions, unless their capability lists them to all.
    // Unset: to those who can name sessions.
    std::optional<SessionParam> tools = {};
    // Why a call in that session cannot be made; empty: every one can.
    std::function<std::optional<Error>(const Caller& caller)> refuse = {};
};

// Gives the tool the arguments that say where it acts. They reach it as Caller::session_name and
// Caller::tab_id.
Tool with_session_argument(Tool tool, SessionParamOptions options);

// The sessionId argument, whatever the tool; empty: there is none.
std::string session_argument(const json::value& arguments);

// The session that such a call names, as it does; else what the caller's path names. May be empty.
std::string session_named(const Tool& tool, const Caller& caller, const json::value& arguments);

}  // namespace tools
