// Which servers may be trusted to be who they say they are.
#pragma once

#include <string_view>

#include "util/result.h"

// Fails unless what comes from the URL cannot be changed on its way: https, or http on this machine. A URL
// with credentials or a fragment is none.
Result<void> check_secure_url(std::string_view url);
