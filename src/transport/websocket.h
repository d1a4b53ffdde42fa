// A WebSocket for the rest of the program: texts in, texts out.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace transport {

// One accepted WebSocket. Lives on the main loop; its callbacks stop when it closes.
class WebSocket {
public:
    virtual ~WebSocket() = default;
    virtual void send(std::string text) = 0;
    // Calls `on_text` for every message, and `on_closed` once at the end, whatever ends it.
    virtual void start(std::function<void(std::string)> on_text, std::function<void()> on_closed) = 0;
    // Sends a close frame with a status code; closes at once when the peer does not answer.
    virtual void close(unsigned short code, const std::string& reason) = 0;
    // Bytes not yet sent.
    virtual std::size_t queued() const = 0;
};

// Gets the WebSocket once the handshake is done, or nothing when it failed.
using WebSocketAccepted = std::function<void(std::shared_ptr<WebSocket>)>;

}  // namespace transport
