// Sessions: which caller uses which browser state.
#pragma once

#include "config/option.h"
#include "config/shorthands.h"

namespace config {

inline constexpr Option kSessionOptions[] = {
    {.key = "session.param",
     .type = Type::Bool,
     .flag = "session-param",
     .help = "Give every tool a sessionId argument. Unless given, only over stateless HTTP."},
    {.key = "session.requireId",
     .type = Type::Bool,
     .flag = "require-session-id",
     .default_value = "false",
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
     .default_value = "false",
     .needs = "--engine native",
     .help = "Name tabs by id, and let every tool take one."},
    {.key = "session.requireTabId",
     .type = Type::Bool,
     .flag = "require-tab-id",
     .other_keys = "tabIsolation.requireTabId",
     .default_value = "false",
     .needs = "--engine native",
     .help = "Refuse calls without a tab's id."},
    {.key = "session.autoAssignTab",
     .type = Type::Bool,
     .flag = "auto-assign-tab",
     .other_keys = "tabIsolation.autoAssignTab",
     .default_value = "false",
     .needs = "--engine native",
     .help = "Open a tab for each new connection, and report its id."},
    {.key = "session.agentId",
     .flag = "agent-id",
     .value = "<name>",
     .other_keys = "agentId|tabIsolation.agentId",
     .dotenv = FromDotenv::Yes,
     .help = "Name of the agent in logs and records. Unless given, what the client calls itself."},
    {.key = "",
     .type = Type::Duration,
     .other_keys = "session.defaultTimeout",
     .hidden = true,
     .help = "Another name of timeouts.action and timeouts.navigation.",
     .expand = expand_default_timeout},
    {.key = "",
     .type = Type::Bool,
     .other_keys = "session.persistentSessions",
     .hidden = true,
     .help = "The opposite of browser.isolated.",
     .expand = expand_persistent_sessions},
    {.key = "session.maxSessions",
     .type = Type::Integer,
     .default_value = "1000",
     .min = 1,
     .max = 1'000'000,
     .help = "Sessions that have a browser context at once; the next one waits until another is asleep."},
    {.key = "session.maxTabs",
     .type = Type::Integer,
     .default_value = "50",
     .max = 1'000'000,
     .help = "Tabs that one session has open at most. What pages open beyond them is closed at once, and the "
             "next answer says so. 0: no limit."},
    {.key = "session.maxWorkers",
     .type = Type::Integer,
     .default_value = "100",
     .max = 1'000'000,
     .help = "Workers that the pages of one session run at most; shared and service workers count for their "
             "context. Those beyond them are ended before their script runs. 0: no limit."},
    {.key = "session.maxDownloadBytes",
     .type = Type::Integer,
     .default_value = "1073741824",
     .help = "Bytes of all files together that one session downloads, each counted as 4096 at least. A "
             "download beyond them is cancelled and its file removed. 0: no limit."},
    {.key = "session.maxConsoleBytes",
     .type = Type::Integer,
     .default_value = "33554432",
     .help = "Bytes of all console files together that one session writes. Messages beyond them are in no "
             "file, and the next answer says so. 0: no limit."},
    {.key = "session.maxResultBytes",
     .type = Type::Integer,
     .default_value = "8388608",
     .help = "Bytes of one answer. What does not fit goes to a file, or is left out where there can be none, "
             "and the answer says so. Clients of the official SDK end at 10 MiB. 0: no limit."},
    {.key = "session.maxHeap",
     .type = Type::Integer,
     .min = 1,
     .help = "MiB that the scripts of one tab may use; a tab above it is ended and said to be."},
    {.key = "session.maxScriptTime",
     .type = Type::Duration,
     .default_value = "30000",
     .help = "How long a script may keep its page from everything else before it is stopped and the call "
             "reports it; "
             "0 is for ever."},
    {.key = "session.idleTimeout",
     .type = Type::Duration,
     .default_value = "300000",
     .help = "Time after which an unused session hibernates: its state is kept, its context closed, and the "
             "next call brings it back. Only contexts in memory of headless browsers do. 0: never."},
    {.key = "session.grace",
     .type = Type::Duration,
     .default_value = "60000",
     .help = "Time in which a session whose connection was lost can be resumed by its id, and in which an "
             "HTTP client whose stream ended can open another; then it ends, or hibernates if it has a name. "
             "0: ends at once."},
    {.key = "session.sweepInterval",
     .type = Type::Duration,
     .default_value = "30000",
     .min = 1,
     .help = "How often to look for unused sessions."},
};

}  // namespace config
