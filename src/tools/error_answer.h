// Errors and answers as JSON, for callers that are programs.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "tools/content.h"
#include "util/json.h"
#include "util/result.h"

namespace tools {

// {success: false, error: {code, message, details, retryable, suggestion}}. The details are an object:
// `context`, the error's own details, and as `log` the lines of its message after the first.
json::object error_answer(const Error& error, json::object context = {});

// The same as a tool result.
ToolResult structured(const Error& error, json::object context = {});

// The arguments of a call that its error's details repeat: selector, url, timeout, sessionId …
json::object said_of(const json::value& arguments);

// The schema of every structured answer; `data` is the schema of a successful one.
json::object answer_schema(json::object data);
// {"type": "object", "properties": {name: {"type": type}, …}}
json::object object_schema(std::initializer_list<std::pair<std::string_view, std::string_view>> members);

}  // namespace tools
