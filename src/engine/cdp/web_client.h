// HTTP and WebSocket to a browser's DevTools server.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cdp/connection.h"
#include "engine/cdp/endpoint.h"

namespace cdp {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpAnswer {
    int status = 0;
    std::string reason = {};
    std::string location = {};  // of a redirect
    std::string body = {};
};
// A server's answer to a WebSocket upgrade request.
struct Handshake {
    std::unique_ptr<Transport> transport;  // null: the server refused
    HttpAnswer answer;
};

// Both fail with NetworkError and a fragment like "connect ECONNREFUSED 127.0.0.1:9222". Certificates are
// verified. Dropping the Task closes the connection.
Task<HttpAnswer> http_get(Loop& loop, ServerAddress address, Headers headers);
Task<Handshake> open_websocket(Loop& loop, ServerAddress address, Headers headers);

}  // namespace cdp
