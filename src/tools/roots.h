// The client's workspace.
#pragma once

#include "session/session.h"
#include "tools/client.h"

namespace tools {

// Asks the client for its roots, once per session. When the client does not answer, or answers with invalid
// roots, the working directory stays the workspace; a client that is not trusted is not asked.
Task<> learn_roots(session::Session& session, Client& client);

}  // namespace tools
