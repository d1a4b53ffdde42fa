// Marks answers whose text a page may have written.
#pragma once

#include "tools/content.h"

namespace record {

// The maximum length that the marks add to a text.
inline constexpr std::size_t kUntrustedMarkRoom = 300;

// The result with each text between two lines that no page can predict, below a line that explains them.
// Structured content carries the explanation in a member of its own, because JSON keeps the texts apart.
tools::ToolResult mark_untrusted(tools::ToolResult result);
// The same for the contents of a resource. JSON stays JSON; any other text becomes plain text.
tools::ResourceContents mark_untrusted(tools::ResourceContents contents);

}  // namespace record
