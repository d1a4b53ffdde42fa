// Addresses as agents type them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace session {

// The address itself when it is a whole one; else with http:// before localhost and https:// before others.
std::string complete_url(std::string_view typed);
// The address to hand to the browser: with http:// before a port of this machine that was typed without it.
std::string browser_url(const std::string& url);

// PolicyDenied for an address of the local disk.
Result<void> check_not_local(std::string_view url);

// Says which addresses pages may request: those that an allowed origin matches (any, when there is none) and
// no blocked one. An origin is "https://example.com", "http://localhost:*" or a bare host with or without a
// port.
std::function<bool(const std::string& url)> origin_filter(const std::vector<std::string>& allowed,
                                                          const std::vector<std::string>& blocked);

}  // namespace session
