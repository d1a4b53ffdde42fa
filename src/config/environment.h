// Options from environment variables: TROUPE_*, PLAYWRIGHT_MCP_* and the other names in the table.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/values.h"

namespace config {

using Environment = std::map<std::string, std::string, std::less<>>;

// Returns the variables of this process that load() reads.
Environment current_environment();

// Whether other programs use this name, too: SERVER_PORT.
bool is_shared_variable(std::string_view name);

// Appends the assignments of the variables. Unknown TROUPE_* variables become warnings, and so do invalid
// values of shared names, which may be meant for another program.
Result<void> read_environment(const Environment& environment, const std::filesystem::path& directory,
                              std::vector<Assignment>& assignments, std::vector<std::string>& warnings);

// The same for the .env file in that directory, limited to options that such a file may set and that
// `environment` does not. Shared names do not count, with a warning, beside names that we do not know and
// none of ours or of Playwright MCP's: then the file is probably another program's.
Result<void> read_dotenv(const Environment& environment, const std::filesystem::path& directory,
                         std::vector<Assignment>& assignments, std::vector<std::string>& warnings);

}  // namespace config
