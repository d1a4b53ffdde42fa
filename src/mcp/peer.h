// What the protocol needs from a transport.
#pragma once

#include <string>

namespace mcp {

// Towards one client: messages that belong to no request. Lives as long as its Connection.
class Peer {
public:
    virtual ~Peer() = default;
    virtual void send(std::string message) = 0;
    // Whether the client is away, may come back, and has nothing under way.
    virtual bool is_absent() const { return false; }
};

// Towards one client: the messages of one request. `notify` any number of times, then `respond` once,
// unless the client cancelled the request: then the Outlet is only dropped.
class Outlet {
public:
    virtual ~Outlet() = default;
    virtual void notify(std::string message) = 0;
    // `http_status` is for transports that have such a thing.
    virtual void respond(std::string message, int http_status) = 0;
    // See tools::Client::release_stream.
    virtual void release_stream() {}
};

}  // namespace mcp
