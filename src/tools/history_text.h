// What is shown of recorded texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records.h"

namespace tools {

// The lines with this text (in any case), each under the lines it belongs to.
std::string lines_with(std::string_view snapshot, std::string_view text);
// The lines of the first `depth` levels; what is left out is counted.
std::string upper_levels(std::string_view snapshot, int depth);
// Whole lines up to `max_chars`, and how much is missing.
std::string cut_off(std::string_view text, std::size_t max_chars);
// "[ERROR] message @ url:line", one line a message.
std::string console_text(const std::vector<store::ConsoleMessage>& messages);
// All texts of a recorded result.
std::string result_text(std::string_view result_json);
// The first picture of that type in it, as base64.
std::optional<std::string> result_picture(std::string_view result_json, std::string_view mime_type);

}  // namespace tools
