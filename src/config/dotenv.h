// Files of NAME=value lines, as the dotenv package for Node reads them.
#pragma once

#include <string_view>

#include "util/json.h"

namespace config {

// Maps names to values. Supports comments, `export`, and quotes ('…', "…" with \n, `…`) that may span lines.
json::object parse_dotenv(std::string_view text);

}  // namespace config
