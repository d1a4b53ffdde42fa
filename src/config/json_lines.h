// Finds the line of a member in a JSON text, which the parser does not store.
#pragma once

#include <string_view>

namespace config {

// The line of the member at a dotted path such as "server.port" in valid JSON; 0 when there is none.
int line_of_key(std::string_view json_text, std::string_view path);

}  // namespace config
