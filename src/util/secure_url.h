// Checks that a URL's server is authenticated.
#pragma once

#include <string_view>

#include "util/result.h"

// Fails unless the URL's content cannot be changed in transit: https, or http on this machine. Also fails for
// a URL with credentials or a fragment.
Result<void> check_secure_url(std::string_view url);
