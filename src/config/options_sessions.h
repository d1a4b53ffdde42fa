// Sessions: who has which browser state.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kSessionOptions[] = {
    {.key = "session.param",
     .type = Type::Bool,
     .flag = "session-param",
     .help = "Give every tool a sessionId argument. Unless given, only over stateless HTTP."},
    {.key = "session.requireId",
     .type = Type::Bool,
     .flag = "require-session-id",
     .fallback = "false",
     .help = "Refuse calls without a sessionId."},
    {.key = "session.isolation",
     .type = Type::Choice,
     .flag = "isolation",
     .value = "<how>",
     .choices = "context|browser|shared",
     .help =
         "What a session has to itself: a context, a browser, or only its tabs. Unless given, the first "
         "session "
         "has a profile on disk, the others and those with a name have contexts; with --isolated, all have."},
    {.key = "session.tabIds",
     .type = Type::Bool,
     .flag = "tab-ids",
     .fallback = "false",
     .help = "Name tabs by id, and let every tool take one."},
    {.key = "session.requireTabId",
     .type = Type::Bool,
     .flag = "require-tab-id",
     .fallback = "false",
     .help = "Refuse calls without a tab's id."},
    {.key = "session.autoAssignTab",
     .type = Type::Bool,
     .flag = "auto-assign-tab",
     .fallback = "false",
     .help = "Open a tab for each new connection, and tell its id."},
    {.key = "session.agentId",
     .flag = "agent-id",
     .value = "<name>",
     .help = "Name of the agent in logs and records. Unless given, what the client calls itself."},
    {.key = "session.maxSessions",
     .type = Type::Integer,
     .fallback = "1000",
     .least = 1,
     .most = 1'000'000,
     .help = "Sessions that have a browser context at once; the next one waits until another is asleep."},
    {.key = "session.maxTabs",
     .type = Type::Integer,
     .least = 1,
     .most = 1'000'000,
     .help = "Tabs that one session has open at most."},
    {.key = "session.maxHeap",
     .type = Type::Integer,
     .least = 1,
     .help = "MiB that the scripts of one tab may use; a tab above it is ended and said to be."},
    {.key = "session.maxScriptTime",
     .type = Type::Duration,
     .fallback = "30000",
     .help =
         "How long a script may keep its page from everything else before it is stopped and the call told; "
         "0 is for ever."},
    {.key = "session.idleTimeout",
     .type = Type::Duration,
     .fallback = "300000",
     .help = "Time after which an unused session hibernates: its state is kept, its context closed, and the "
             "next call brings it back. Only contexts in memory of headless browsers do. 0: never."},
    {.key = "session.grace",
     .type = Type::Duration,
     .fallback = "60000",
     .help = "Time in which a session whose connection was lost can be resumed by its id, and in which an "
             "HTTP client whose stream ended can open another; then it ends, or hibernates if it has a name. "
             "0: ends at once."},
    {.key = "session.sweepInterval",
     .type = Type::Duration,
     .fallback = "30000",
     .least = 1,
     .help = "How often to look for unused sessions."},
};

}  // namespace config
