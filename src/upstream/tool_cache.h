// What tools a server had when it was last asked, so that ours need not start it to know.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "util/json.h"

namespace upstream {

// The list that is kept in `file`; nothing when there is none.
std::optional<std::vector<json::object>> read_tool_list(const std::filesystem::path& file);
// Keeps it there. A place that cannot be written costs only the next start its head start.
void write_tool_list(const std::filesystem::path& file, const std::vector<json::object>& tools);

}  // namespace upstream
