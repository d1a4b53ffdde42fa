// The transport interface that the client side of the protocol needs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace mcp {

// A client transport to one server: sends and receives whole messages. Lives on the loop.
class ClientTransport {
public:
    // Called from the loop, never from inside one of the functions below. Each may destroy the transport.
    struct Handlers {
        std::function<void(std::string message)> on_message;
        // This request will get no answer, because its HTTP request failed; others may still get theirs.
        std::function<void(std::int64_t request, Error reason)> on_request_failed;
        // The last call: the server is disconnected. Not called after close().
        std::function<void(Error reason)> on_close;
    };

    virtual ~ClientTransport() = default;

    // Called once, before the first message.
    virtual void start(Handlers handlers) = 0;
    // `request` is the id of a message that expects an answer.
    virtual void send(std::string message, std::optional<std::int64_t> request) = 0;
    // No longer waits for an answer to this request: it came, or the caller gave up.
    virtual void release(std::int64_t request) { static_cast<void>(request); }
    // The handshake agreed on this version; the next message is notifications/initialized.
    virtual void set_protocol_version(std::string_view version) { static_cast<void>(version); }
    // Closes the connection in the transport's own way. No handler is called afterwards.
    virtual void close() = 0;
};

}  // namespace mcp
