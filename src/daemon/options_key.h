// Decides which clients can share a daemon.
#pragma once

#include <filesystem>
#include <string>

#include "config/load.h"

namespace daemons {

// Equal for all clients that one daemon can serve alike: a hash of every option except logging and idle
// options, and of the places of this user's files and screen.
std::string options_key(const config::Loaded& loaded, const std::filesystem::path& directory);

// Whether some option names a file in text that depends on the directory. All other paths were made absolute.
bool depends_on_directory(const config::Config& config);

}  // namespace daemons
