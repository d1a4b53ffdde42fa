// Serves a registry on standard input and output, or on a listener, until the process is told to end.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "mcp/server.h"
#include "transport/endpoints.h"

namespace transport {

struct ServiceOptions {
    mcp::ServerOptions server;
    HttpLimits http;
    EndpointOptions endpoints;
    // Without a port and a socket, the client is on standard input and output.
    std::optional<int> port;
    std::filesystem::path socket;
    Peers peers = Peers::Anybody;  // accepted users of the socket
    // Stops when no client was connected for this long; zero: never.
    std::chrono::milliseconds idle_end{0};
    // Called once, when clients can connect; the port is 0 when there is none.
    std::function<void(int port)> ready = {};
    std::function<void()> stopping = {};  // called when no more calls are accepted, before open calls end
};

// Runs the loop until the client on standard input disconnects, or SIGINT or SIGTERM arrives. Then lets calls
// and answers end within two seconds.
Result<void> run_service(Loop& loop, tools::Registry& registry, ServiceOptions options, Log& log,
                         Metrics& metrics);

}  // namespace transport
