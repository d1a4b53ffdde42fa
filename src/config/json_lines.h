// Where in a JSON text something stands; the parser does not remember.
#pragma once

#include <string_view>

namespace config {

// The line of the member at a dotted path such as "server.port" in valid JSON; 0 when there is none.
int line_of_key(std::string_view json_text, std::string_view path);

}  // namespace config
