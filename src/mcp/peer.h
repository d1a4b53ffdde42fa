// The transport interfaces that the protocol needs.
#pragma once

#include <string>

namespace mcp {

// Sends one client the messages that belong to no request. Lives as long as its Connection.
class Peer {
public:
    virtual ~Peer() = default;
    virtual void send(std::string message) = 0;
    // Whether the client is disconnected, may come back, and has nothing in progress.
    virtual bool is_absent() const { return false; }
};

// Sends one client the messages of one request. `notify` any number of times, then `respond` once, unless the
// client cancelled the request: then the ResponseSink is only dropped.
class ResponseSink {
public:
    virtual ~ResponseSink() = default;
    virtual void notify(std::string message) = 0;
    // `http_status` is for transports that have one.
    virtual void respond(std::string message, int http_status) = 0;
    // See tools::Client::release_stream.
    virtual void release_stream() {}
};

}  // namespace mcp
