// Checks server.oauth, so that a mistake lets no client in.
#pragma once

#include "config/values.h"

namespace config {

Result<void> check_oauth(const Values& values);

}  // namespace config
