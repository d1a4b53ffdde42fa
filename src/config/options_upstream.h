// The table, part six: what drives the browser, and the MCP server behind this one where another does.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kUpstreamOptions[] = {
    {.key = "browser.engine",
     .type = Type::Choice,
     .flag = "engine",
     .value = "<engine>",
     .choices = "native|upstream",
     .fallback = "native",
     .help = "What drives the browser: this server, or an MCP server of its own behind each session. Unless "
             "given, upstream for Firefox, WebKit, --endpoint and --extension, which are Playwright's, and "
             "native for all else."},
    {.key = "upstream.command",
     .type = Type::Json,
     .choices = "string|array",
     .fallback = "npx -y @playwright/mcp@latest",
     .help = "MCP server to start for a session, as one line or as a list. What is set for browsers and "
             "pages is passed on to it as flags. Given with the engine native, sessions can ask for it: "
             "create_session with engine upstream."},
    {.key = "upstream.env",
     .type = Type::Map,
     .separator = '=',
     .secret = true,
     .help = "Its further environment."},
    {.key = "upstream.cwd",
     .type = Type::Path,
     .help = "Its working directory. Unless given, this server's."},
    {.key = "upstream.transport",
     .type = Type::Choice,
     .choices = "stdio|http",
     .fallback = "stdio",
     .help = "How to talk to it. Over http it is given --port and a free port from 20000 to 39999."},
    {.key = "upstream.startTimeout",
     .type = Type::Duration,
     .fallback = "60000",
     .least = 1,
     .help = "Time it may take until it answers the handshake."},
    {.key = "upstream.isolate",
     .type = Type::Choice,
     .choices = "auto|always|never",
     .fallback = "auto",
     .help =
         "Whether each session's server is told to keep its browser profile to itself: by --isolated where "
         "its --help lists that (always: in any case), else by a profile directory of its own. Unless "
         "never, PLAYWRIGHT_MCP_ISOLATED says so too, for servers behind a wrapper. A command that names a "
         "profile or a browser has its way."},
    {.key = "upstream.warm",
     .type = Type::Bool,
     .fallback = "false",
     .help = "Keep a spare one started, so that the next session need not wait for its program to load."},
};

}  // namespace config
