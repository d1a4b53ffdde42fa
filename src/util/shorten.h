// Shortens texts of unknown length.
#pragma once

#include <string>
#include <string_view>

// The first whole characters of the text, at most `max_bytes`.
std::string_view beginning(std::string_view text, std::size_t max_bytes);
// The text, or its beginning and the size of the rest.
std::string shortened(std::string text, std::size_t max_bytes);
