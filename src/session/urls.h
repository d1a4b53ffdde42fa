// Addresses as agents type them.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace session {

// The address itself when it is a whole one; else with http:// before localhost and https:// before others.
std::string complete_url(std::string_view typed);
// The address to hand to the browser: with http:// before a port of this machine that was typed without it.
std::string browser_url(const std::string& url);

// PolicyDenied for an address of the local disk.
Result<void> check_not_local(std::string_view url);

}  // namespace session
