// The flat schemas that elicitation/create may ask a user to fill in.
#pragma once

#include "util/json.h"
#include "util/result.h"

namespace schema {

// Whether `schema` is such a form: an object whose properties are strings, numbers, booleans, a choice of
// strings (enum, or oneOf with titles) or a list of such choices. The error names the first property that is
// not.
Result<void> check_form(const json::object& schema);

}  // namespace schema
