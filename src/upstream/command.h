// Parses the command line of a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace upstream {

// Splits a line into words, with a shell's quotes and backslashes; nothing is expanded.
Result<std::vector<std::string>> split_command(std::string_view line);

// Parses the setting: a line, or a list of words.
Result<std::vector<std::string>> parse_command(const json::value& setting);

}  // namespace upstream
