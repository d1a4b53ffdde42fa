// Where a daemon is found: its socket, its lock and its log.
#pragma once

#include <filesystem>
#include <string>

#include "util/result.h"

namespace daemons {

struct Place {
    std::filesystem::path socket;
    std::filesystem::path lock;  // held by the daemon while it lives, and by the client that starts it
    std::filesystem::path log;
};

// The place of the daemon with this key. Makes the directories; fails when others could get at them.
Result<Place> find_place(const std::string& key);

}  // namespace daemons
