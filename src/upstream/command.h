// The command of a server, as a person writes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"
#include "util/result.h"

namespace upstream {

// Words parted by spaces, with a shell's quotes and backslashes; nothing is expanded.
Result<std::vector<std::string>> split_command(std::string_view line);

// From the setting: a line, or a list of words.
Result<std::vector<std::string>> parse_command(const json::value& setting);

}  // namespace upstream
