// Errors and answers as JSON, for callers that are programs.
#pragma once

#include "tools/content.h"
#include "util/json.h"
#include "util/result.h"

namespace tools {

// {error: {code, message, details, retryable, suggestion}}
json::object error_answer(const Error& error);

// The same as the result of a call.
ToolResult structured(const Error& error);

// What every structured answer looks like; `data` is the schema of a successful one.
json::object answer_schema(json::object data);

}  // namespace tools
