// Errors and answers as JSON, for callers that are programs.
#pragma once

#include "session/secrets.h"
#include "util/json.h"
#include "util/result.h"

namespace tools {

// {error: {code, message, details, retryable, suggestion}}
json::object error_answer(const Error& error);

// What every structured answer looks like; `data` is the schema of a successful one.
json::object answer_schema(json::object data);

// Every text of the value without the secrets in it.
json::value redacted(json::value value, const session::Secrets& secrets);

}  // namespace tools
