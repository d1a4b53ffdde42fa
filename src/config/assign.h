// From one thing a person wrote, and the place where it stood, to the options it sets.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "config/values.h"

namespace config {

// Appends what `text` behind a flag, in a variable or in an INI file sets. Relative paths of scripts and
// secrets start at `directory`.
Result<void> assign_text(std::vector<Assignment>& to, const Option& option, std::string_view text,
                         const Origin& origin, const std::filesystem::path& directory);
// The same for a value that has its type already.
Result<void> assign(std::vector<Assignment>& to, const Option& option, json::value value,
                    const Origin& origin, const std::filesystem::path& directory);

// Puts the place in front of the message: "troupe.json:4: server.port: expected …".
Error located(Error error, const Origin& origin, std::string_view key);

}  // namespace config
