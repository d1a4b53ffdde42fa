// A registry, served: on standard input and output, or on a listener, until the process is told to end.
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
    Peers peers = Peers::Anybody;  // who is accepted there
    // Ends by itself when nobody was connected for this long; zero: never.
    std::chrono::milliseconds idle_end{0};
    // Told once, when clients can come; the port is 0 when there is none.
    std::function<void(int port)> ready = {};
    std::function<void()> stopping = {};  // no more calls are taken; what was begun is about to end
};

// Runs the loop until the client on standard input is gone, or SIGINT or SIGTERM comes. Then lets calls and
// answers end within two seconds.
Result<void> run_service(Loop& loop, tools::Registry& registry, ServiceOptions options, Log& log,
                         Metrics& metrics);

}  // namespace transport
