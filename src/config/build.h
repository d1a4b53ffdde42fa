// Builds the typed Config from values by key.
#pragma once

#include <filesystem>

#include "config/config.h"
#include "config/values.h"

namespace config {

// Relative paths start at `directory`.
Config build(const Values& values, const std::filesystem::path& directory);

}  // namespace config
