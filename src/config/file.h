// Options from a configuration file, JSON or INI.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/values.h"

namespace config {

// Appends the assignments of a file's text: JSON if it begins with {, else INI; a byte order mark may come
// first. `name` is the file's name in messages; relative script paths start at `directory`.
Result<void> read_settings(std::string_view text, const std::string& name,
                           const std::filesystem::path& directory, std::vector<Assignment>& assignments,
                           std::vector<std::string>& warnings);

}  // namespace config
