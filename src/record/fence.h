// Answers whose words may be a page's, marked as that.
#pragma once

#include "tools/content.h"

namespace record {

// What a fence adds to a text, at the most.
inline constexpr std::size_t kFenceRoom = 300;

// The result with every text of it between two lines that no page can know beforehand, below a line that says
// what they mean. Structured content says so in a member of its own: there JSON keeps the words apart.
tools::ToolResult fenced(tools::ToolResult result);
// The same for what is read by its URI. JSON stays JSON; any other text is plain text from then on.
tools::ResourceContents fenced(tools::ResourceContents contents);

}  // namespace record
