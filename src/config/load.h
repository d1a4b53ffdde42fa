// Combines flags, environment and file into one Config, or an error with its place and remedy.
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
    bool as_json = false;  // --json, for commands that print
    HistoryArguments history = {};
    std::string file = {};  // see Arguments
    Config config = {};
    Values values = {};                      // every option by its key, with its origin
    std::vector<std::string> warnings = {};  // to be logged once there is a log
};

// `arguments` are those after the program's name; relative paths start at `directory`. Precedence, lowest
// first: defaults, a .env file in the directory, the file, PLAYWRIGHT_MCP_*, TROUPE_*, flags. With a
// `client_on_stdin`, variables with shared names cannot make the server listen. Help, Version and
// ConfigSchema use only the command line.
Result<Loaded> load(const std::vector<std::string>& arguments, const Environment& environment,
                    const std::filesystem::path& directory, bool client_on_stdin = false);

}  // namespace config
