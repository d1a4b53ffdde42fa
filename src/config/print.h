// The configuration in effect, to read. Secrets show as ***.
#pragma once

#include <string>

#include "config/load.h"
#include "util/json.h"

namespace config {

// One line a value: key, value, origin. What is unset or without effect yet is left out unless given.
std::string print(const Loaded& loaded);
// The same as JSON: {"server.port": {"value": 8931, "origin": "flag --port"}}.
std::string print_json(const Loaded& loaded);
// The values as a configuration file would have them: {"server": {"port": 8931}}.
json::object effective(const Values& values);

}  // namespace config
