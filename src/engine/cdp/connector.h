// Reaching a browser that somebody else started.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/browser.h"
#include "engine/cdp/connection.h"

namespace cdp {

// A line to a browser, and what it told about its tabs on the way.
struct Connected {
    std::shared_ptr<Connection> connection;
    std::vector<std::string> recent_tabs;  // ids, the last used first; empty where it does not say
};

// Finds the browser's WebSocket when the endpoint is an http one, and opens it.
Task<Connected> connect(Loop& loop, engine::ConnectOptions options, Log& log);

}  // namespace cdp
