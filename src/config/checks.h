// What options mean to each other: which give way, and which cannot stand together.
#pragma once

#include <string>
#include <vector>

#include "config/values.h"

namespace config {

// Makes the values agree where one decides over another.
void settle(Values& values, std::vector<std::string>& warnings);

// The first contradiction, or a file that has to exist and does not.
Result<void> check(const Values& values);

}  // namespace config
