// Formats values as source code.
#pragma once

#include <string>
#include <string_view>

#include "util/json.h"

namespace tools {

// The text as a string literal between `quote`s, ' or ".
std::string quote(std::string_view text, char mark = '\'');

enum class Layout { Lines, OneLine };
// A JavaScript value as Playwright's code generator prints it: keys sorted, single quotes.
std::string to_javascript(const json::value& value, Layout layout = Layout::Lines);

// As JavaScript prints it: 3, 1.5.
std::string to_javascript(double number);

}  // namespace tools
