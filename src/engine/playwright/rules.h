// Which DevTools commands the helper may use. A command without a rule is refused.
#pragma once

#include <string_view>

namespace playwright {

// The destination of a command: the browser as a whole, or one target of the session.
enum class CommandScope { Browser, Target };

enum class Rule {
    Refuse,
    Ignore,      // answered as if it were done: the server decides about it
    Forward,     // bound to the session's own context and forwarded
    OwnTarget,   // forwarded when it names a target of the session, or none
    OwnWindow,   // forwarded when it names a window of the session
    OwnSession,  // forwarded when it names a session of the helper
    // The proxy answers the following itself.
    AutoAttach,
    Attach,
    AttachBrowser,
    ListTargets,
    CreateTarget,
};

Rule rule_for(std::string_view method, CommandScope scope);

}  // namespace playwright
