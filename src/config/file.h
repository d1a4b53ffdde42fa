// Options from a configuration file, JSON or INI.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/values.h"

namespace config {

// Appends what the file's text sets. A text that begins with { is JSON, any other INI; a byte order mark may
// stand in front. `name` is what messages call the file; relative script paths start at `directory`.
Result<void> read_settings(std::string_view text, const std::string& name,
                           const std::filesystem::path& directory, std::vector<Assignment>& assignments,
                           std::vector<std::string>& warnings);

}  // namespace config
