// Resolves and checks combinations of options.
#pragma once

#include <string>
#include <vector>

#include "config/values.h"

namespace config {

// Adjusts the values where one option overrides another.
void resolve_values(Values& values, std::vector<std::string>& warnings);

// Returns the first contradiction, or the first required file that is missing.
Result<void> check(const Values& values);

}  // namespace config
