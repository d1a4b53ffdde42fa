// The client's workspace.
#pragma once

#include "session/session.h"
#include "tools/client.h"

namespace tools {

// Asks the client for its roots, once for each session. A client that does not answer, or answers nonsense,
// leaves the working directory as the workspace; one whose word does not count is not asked.
Task<> learn_roots(session::Session& session, Client& client);

}  // namespace tools
