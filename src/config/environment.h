// Options from environment variables: TROUPE_* and PLAYWRIGHT_MCP_*.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/values.h"

namespace config {

using Environment = std::map<std::string, std::string, std::less<>>;

// Those variables of this process that load() looks at.
Environment current_environment();

// Appends what the variables set; unknown TROUPE_* ones become warnings.
Result<void> read_environment(const Environment& environment, const std::filesystem::path& directory,
                              std::vector<Assignment>& assignments, std::vector<std::string>& warnings);

}  // namespace config
