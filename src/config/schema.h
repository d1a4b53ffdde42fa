// The JSON Schema of a configuration file.
#pragma once

#include "util/json.h"

namespace config {

// JSON Schema 2020-12, with descriptions, choices, ranges and defaults from the table of options.
json::value schema();

}  // namespace config
