// How the record keeps the status of a request.
#pragma once

#include <string_view>

namespace record {

// The status text of a recorded request that has none of its own.
inline constexpr std::string_view kUsualStatus = "OK";

}  // namespace record
