// Excerpts of an indented tree, such as a snapshot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tools {

// For each group of matching lines: three lines around them under their ancestors, with "..." for omitted
// context.
std::vector<std::string> snippets(const std::vector<std::string>& lines,
                                  const std::vector<std::size_t>& matches);

// In lower case, in any script.
std::string lowered(std::string_view text);

}  // namespace tools
