// Size limits of results.
#pragma once

#include <string>
#include <string_view>

#include "tools/content.h"

namespace tools {

// "It has 9 bytes; an answer may have 8 (session.maxResultBytes)." `how` follows the first number.
std::string over_limit(std::size_t bytes, std::size_t limit, std::string_view how = {});
// Structured answers are sent as text and as structured content.
inline constexpr std::string_view kSentTwice = ", as text and as structured content together";
// What this JSON takes in a message then.
std::size_t size_sent_twice(std::string_view json_text);
// The structured answer in the place of one that is larger. The same call would be again, so it is not worth
// another try.
json::object too_large(std::size_t bytes, std::size_t limit, std::string hint);
// Bytes of a text in a message, where quotes and control characters take more than one. At most kMaxEscaped
// times the text's size.
std::size_t wire_size(std::string_view text);
inline constexpr std::size_t kMaxEscaped = 6;
// The size of the texts and pictures to send.
std::size_t size_of(const ToolResult& result);
std::size_t size_of(const ResourceContents& contents);
// Cuts longer results and says so. For results that their tool has not shortened itself: those of the record,
// of pages' own tools and of other servers.
void keep_within(std::size_t limit, ToolResult& result);

}  // namespace tools
