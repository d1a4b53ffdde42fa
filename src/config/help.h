// The text of troupe --help.
#pragma once

#include <string>

namespace config {

// Usage, commands, and the effective flags by group, at most 100 columns wide.
std::string help();

}  // namespace config
