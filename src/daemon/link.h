// A client's way to its daemon: finds it, starts it, replaces it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "daemon/place.h"
#include "util/result.h"
#include "util/spawn.h"

namespace daemons {

struct LinkOptions {
    Place place;
    std::string version;              // ours
    std::string agent = {};           // --agent-id
    std::filesystem::path directory;  // the client's
    // Starts a daemon that holds the lock for as long as it lives.
    std::function<Result<void>(Descriptor lock)> start;
    std::chrono::milliseconds patience{30'000};
};

// A connection to the daemon, past the first lines. Starts a daemon where none lives, waits for one that
// another client is starting, and replaces an outdated one that nobody uses. PolicyDenied when the daemon
// there is not one to talk to. Blocks; `generation` is how many daemons this client had before.
Result<Descriptor> connect_to_daemon(const LinkOptions& options, std::int64_t generation);

}  // namespace daemons
