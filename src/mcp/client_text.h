// Finds the parts of a JSON text, so that they can be passed on byte for byte.
// These functions only look for boundaries: the text must have been parsed before.
#pragma once

#include <string_view>
#include <vector>

namespace mcp {

// The value of an object's member as it is written; empty when there is none. Of duplicate keys the last one
// counts. A key written with escapes is not found.
std::string_view member_text(std::string_view object, std::string_view key);
std::vector<std::string_view> element_texts(std::string_view array);

}  // namespace mcp
