// Why a document did not come: the one place that gives the browser's reason an error code.
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace engine {

// The address in the browser's form as far as it is shown: "http://example.com" becomes
// "http://example.com/".
std::string as_browsers_show(std::string_view url);

// "net::ERR_… at <url>". NetworkError, which a retry may fix, when a connection failed; NavigationFailed when
// the reason lies in the address or in the answer.
Error navigation_failed(std::string_view failure, std::string_view url);

// Whether the address is that of the browser's own page about a document that did not come.
bool is_error_page(std::string_view url);

}  // namespace engine
