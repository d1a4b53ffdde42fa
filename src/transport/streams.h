// MCP over transports that stay open in both directions: legacy HTTP+SSE, WebSocket, lines of JSON.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "mcp/connection.h"
#include "transport/http.h"

namespace transport {

// HTTP+SSE of 2024-11-05: GET /sse opens the stream and names the URL that messages are POSTed to.
class LegacySse {
public:
    explicit LegacySse(mcp::Server& server);
    ~LegacySse();

    void open(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller);
    void post(const std::shared_ptr<HttpExchange>& exchange, const tools::Caller& caller);
    void close();
    std::size_t count() const { return clients_.size(); }

private:
    class Client;
    mcp::Server& server_;
    std::map<std::string, std::shared_ptr<Client>, std::less<>> clients_;
};

// WebSocket, with the subprotocol "mcp" or none: one message per text frame.
class WebSocketClients {
public:
    explicit WebSocketClients(mcp::Server& server);
    ~WebSocketClients();

    // The socket is closed when its caller's authentication expires.
    void open(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller,
              std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max());
    void close();
    std::size_t count() const { return clients_.size(); }

private:
    class Client;
    mcp::Server& server_;
    std::list<std::shared_ptr<Client>> clients_;
    // A socket whose peer never answers our close frame may outlive this.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace transport
