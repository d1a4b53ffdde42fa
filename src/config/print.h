// Prints the effective configuration. Secrets show as ***.
#pragma once

#include <string>

#include "config/load.h"
#include "util/json.h"

namespace config {

// One line per value: key, value, origin. Omits options that are unset or have no effect yet, unless given.
std::string print(const Loaded& loaded);
// The same as JSON: {"server.port": {"value": 8931, "origin": "flag --port"}}.
std::string print_json(const Loaded& loaded);
// The values in the form of a configuration file: {"server": {"port": 8931}}.
json::object effective(const Values& values);

}  // namespace config
