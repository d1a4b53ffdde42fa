// Connects to a browser that we did not start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/connection.h"

namespace cdp {

// A connection to a browser, and the tabs that it listed on the way.
struct Connected {
    std::shared_ptr<Connection> connection;
    std::vector<std::string> recent_tabs;  // ids, the last used first; empty if not listed
};

// Opens the browser's WebSocket, looking up its URL first if the endpoint is http.
Task<Connected> connect(Loop& loop, engine::ConnectOptions options, Log& log);

}  // namespace cdp
