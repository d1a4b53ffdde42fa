// Sessions by name: made, listed, closed, saved.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "session/sessions.h"
#include "tools/tool.h"

namespace tools {

// What the session tools need: the sessions, and whose a caller's are.
struct SessionCatalog {
    session::Sessions* sessions = nullptr;
    std::function<std::string(const Caller& caller)> owner_of = {};
    // The session that a caller has without naming one.
    std::function<session::SessionKey(const Caller& caller)> key_of = {};
};

// A session as its owner is told of it.
json::object describe(const std::string& name, const session::Sessions::Entry& entry);

std::vector<Tool> named_session_tools(const SessionCatalog& catalog);

}  // namespace tools
