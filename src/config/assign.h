// Turns one setting and its origin into assignments to options.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "config/values.h"

namespace config {

// Appends the assignments of `text` from a flag, a variable or an INI file. Relative paths of scripts and
// secrets start at `directory`. `key` is the option's key as written, for errors.
Result<void> assign_text(std::vector<Assignment>& to, const Option& option, std::string_view key,
                         std::string_view text, const Origin& origin, const std::filesystem::path& directory);
// The same for a value that has its type already.
Result<void> assign(std::vector<Assignment>& to, const Option& option, json::value value,
                    const Origin& origin, const std::filesystem::path& directory);

// Prefixes the message with the origin: "troupe.json:4: server.port: expected …".
Error located(Error error, const Origin& origin, std::string_view key);

}  // namespace config
