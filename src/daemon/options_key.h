// Which clients can share a daemon.
#pragma once

#include <filesystem>
#include <string>

#include "config/load.h"

namespace daemons {

// The same for all clients that a daemon can serve alike: a hash of every option but those that only say how
// it logs and how long it stays, and of where this user's files and screen are.
std::string options_key(const config::Loaded& loaded, const std::filesystem::path& directory);

// Whether some option names a file in words that mean another one elsewhere. All others were made absolute.
bool depends_on_directory(const config::Config& config);

}  // namespace daemons
