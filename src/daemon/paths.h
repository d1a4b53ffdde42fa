// The paths of a daemon: its socket, its lock and its log.
#pragma once

#include <filesystem>
#include <string>

#include "util/result.h"

namespace daemons {

struct DaemonPaths {
    std::filesystem::path socket;
    std::filesystem::path lock;  // held by the daemon while it lives, and by the client that starts it
    std::filesystem::path log;
};

// The paths of the daemon with this key. Makes the directories; fails when other users could access them.
Result<DaemonPaths> find_paths(const std::string& key);

}  // namespace daemons
