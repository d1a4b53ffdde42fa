// Flags, environment and file -> one Config, or an error that says where and what to change.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/arguments.h"
#include "config/config.h"
#include "config/environment.h"
#include "config/values.h"

namespace config {

struct Loaded {
    Command command = Command::Serve;
    bool as_json = false;  // --json, for what prints
    HistoryArguments history = {};
    std::string file = {};  // see Arguments
    Config config = {};
    Values values = {};                      // every option by its key, with its origin
    std::vector<std::string> warnings = {};  // for the log, once there is one
};

// `arguments` is what stands behind the program's name; relative paths start at `directory`. Defaults give
// way to the file, it to PLAYWRIGHT_MCP_*, these to TROUPE_*, these to flags. For Help, Version and
// ConfigSchema nothing but the command line is looked at.
Result<Loaded> load(const std::vector<std::string>& arguments, const Environment& environment,
                    const std::filesystem::path& directory);

}  // namespace config
