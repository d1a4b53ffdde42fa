// Addresses as agents type them.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace session {

// Completes an address: a whole one stays; one below `base`, if given; else with http:// before localhost and
// https:// before others.
std::string complete_url(std::string_view typed, std::string_view base = {});
// The address to hand to the browser: with http:// before a port of this machine that was typed without it.
std::string browser_url(const std::string& url);

// Completes an address like complete_url; InvalidUrl, in the browser's words, when it could not go there.
Result<std::string> check_url(std::string_view typed, std::string_view base = {});

// PolicyDenied for an address of the local disk.
Result<void> check_not_local(std::string_view url);

}  // namespace session
