#include "util/result.h"

#include "util/error_codes.h"

std::string_view to_string(ErrorCode code) { return about(code).name; }

bool Error::retryable() const { return about(code).retryable; }

std::string Error::to_string() const { return hint.empty() ? message : message + " " + hint; }
