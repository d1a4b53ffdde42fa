// Checks that names and patterns of tools in the configuration match a tool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace tools {

// Fails with the first one that matches no tool: a rule about a misspelt tool would never apply. Prompts
// match as "prompts/<name>", tools of pages by their prefix.
Result<void> check_tool_names(std::string_view setting, const std::vector<std::string>& patterns,
                              const std::vector<std::string>& known);

}  // namespace tools
