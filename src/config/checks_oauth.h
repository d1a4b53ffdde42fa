// What server.oauth must be, so that nobody gets in by a mistake.
#pragma once

#include "config/values.h"

namespace config {

Result<void> check_oauth(const Values& values);

}  // namespace config
