// Formats recorded texts for display.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/records.h"

namespace tools {

// The lines that contain this text (ignoring case), each below its parent lines.
std::string lines_with(std::string_view snapshot, std::string_view text);
// The lines of the first `depth` levels, with a count of the omitted ones.
std::string upper_levels(std::string_view snapshot, int depth);
// Whole lines up to `max_chars`, and how much is missing.
std::string cut_off(std::string_view text, std::size_t max_chars);
// "[ERROR] message @ url:line", one line a message.
std::string console_text(const std::vector<store::ConsoleMessage>& messages);
// All texts of a recorded result.
std::string result_text(std::string_view result_json);
struct RecordedPicture {
    std::string mime_type, data;  // in base64
};
// All pictures of a recorded result.
std::vector<RecordedPicture> result_pictures(std::string_view result_json);

}  // namespace tools
