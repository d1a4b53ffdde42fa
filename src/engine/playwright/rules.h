// What the helper's DevTools commands may do. Whatever is not named here is refused.
#pragma once

#include <string_view>

namespace playwright {

// Where a command goes to: the browser as a whole, or one target of the session.
enum class Line { Browser, Target };

enum class Rule {
    Refuse,
    Ignore,      // answered as if it were done: it is the server's own business
    Forward,     // concerns only the session's own context, to which it is bound
    OwnTarget,   // forwarded when it names a target of the session, or none
    OwnWindow,   // forwarded when it names a window of the session
    OwnSession,  // forwarded when it names a session of the helper
    // Answered by the proxy itself.
    AutoAttach,
    Attach,
    AttachBrowser,
    ListTargets,
    CreateTarget,
};

Rule rule_for(std::string_view method, Line line);

}  // namespace playwright
