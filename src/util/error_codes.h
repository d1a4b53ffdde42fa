// The meaning and remedy of each error code: the one table behind structured answers and docs/errors.md.
#pragma once

#include <span>
#include <string_view>

#include "util/result.h"

struct ErrorCodeInfo {
    ErrorCode code;
    std::string_view name;  // in the protocol
    bool retryable;         // whether the same call may succeed later without a change
    std::string_view meaning;
    std::string_view suggestion;  // for an error without a hint of its own
};

// In the order of the enumerators.
std::span<const ErrorCodeInfo> error_codes();
const ErrorCodeInfo& about(ErrorCode code);
