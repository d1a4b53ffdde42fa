// From values by key to the typed struct.
#pragma once

#include <filesystem>

#include "config/config.h"
#include "config/values.h"

namespace config {

// Relative paths start at `directory`.
Config build(const Values& values, const std::filesystem::path& directory);

}  // namespace config
