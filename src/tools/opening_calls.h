// Calls of any tool that open an address: rules about browser_navigate apply to them, too, and those about
// browser_evaluate if the address brings a script.
#pragma once

#include <array>
#include <string_view>

#include "util/json.h"

namespace tools {

// An argument that is an address to open, and the tool that has it.
struct OpeningArgument {
    std::string_view tool, argument;
};

// The complete list; a test compares it with the tools' schemas.
inline constexpr std::array kOpeningArguments{
    OpeningArgument{"browser_navigate", "url"},   OpeningArgument{"browser_tabs", "url"},
    OpeningArgument{"create_new_session", "url"}, OpeningArgument{"create_session", "url"},
    OpeningArgument{"navigate", "url"},
};

// The address that a call opens; null when it opens none.
const json::value* address_to_open(std::string_view tool, const json::value& arguments);

}  // namespace tools
