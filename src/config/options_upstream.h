// The table, part six: the engine that drives the browser, and the MCP server behind this one.
#pragma once

#include "config/option.h"

namespace config {

inline constexpr Option kUpstreamOptions[] = {
    {.key = "browser.engine",
     .type = Type::Choice,
     .flag = "engine",
     .value = "<engine>",
     .choices = "native|upstream",
     .default_value = "native",
     .dotenv = FromDotenv::No,
     .help = "What drives the browser: this server, or an MCP server of its own behind each session. Unless "
             "given, upstream for Firefox, WebKit, --endpoint and --extension, which are Playwright's, and "
             "native for all else."},
    {.key = "upstream.command",
     .type = Type::Json,
     .other_variables = "PLAYWRIGHT_MCP_COMMAND",
     .choices = "string|array",
     .default_value = "npx -y @playwright/mcp@latest",
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
     .default_value = "stdio",
     .help = "How to talk to it. Over http it is given --port and a free port from 20000 to 32767."},
    {.key = "upstream.startTimeout",
     .type = Type::Duration,
     .default_value = "60000",
     .min = 1,
     .help = "Time it may take until it answers the handshake."},
    {.key = "upstream.pingInterval",
     .type = Type::Duration,
     .default_value = "30000",
     .min = 100,
     .help = "Time between pings. When three in a row have no answer, it is ended and started anew."},
    {.key = "upstream.isolate",
     .type = Type::Choice,
     .choices = "auto|always|never",
     .default_value = "auto",
     .dotenv = FromDotenv::No,
     .help =
         "Whether each session's server gets a browser profile of its own: by --isolated where "
         "its --help lists that (always: in any case), else by a profile directory of its own. Unless "
         "never, PLAYWRIGHT_MCP_ISOLATED says so too, for servers behind a wrapper. A command that names a "
         "profile or a browser has its way."},
    {.key = "upstream.warm",
     .type = Type::Bool,
     .default_value = "false",
     .help = "Keep a spare one started, so that the next session need not wait for its program to load."},
};

}  // namespace config
