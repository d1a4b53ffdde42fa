// Connects a client to its daemon: finds, starts or replaces it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "daemon/paths.h"
#include "util/result.h"
#include "util/spawn.h"

namespace daemons {

struct ConnectOptions {
    DaemonPaths paths;
    std::string version;              // ours
    std::string agent = {};           // --agent-id
    std::filesystem::path directory;  // the client's
    // Starts a daemon that holds the lock for as long as it lives.
    std::function<Result<void>(Descriptor lock)> start;
    std::chrono::milliseconds timeout{30'000};
};

// This client's earlier daemons.
struct History {
    std::int64_t daemons = 0;
    bool had_session = false;  // one of them ran calls of this client
};

// Connects to the daemon and performs the handshake. Starts a daemon where none runs, waits for one that
// another client is starting, and replaces an outdated one without clients. Fails with PolicyDenied when the
// daemon there cannot be used. Blocks.
Result<Descriptor> connect_to_daemon(const ConnectOptions& options, History history = {});

}  // namespace daemons
