// Parses text from a user into a value of the option's type.
#pragma once

#include <string>
#include <string_view>

#include "config/option.h"
#include "util/json.h"
#include "util/result.h"

namespace config {

// Parses `text` from a flag, a variable or an INI file. The error says what was expected and what was given,
// but not where.
Result<json::value> from_text(const Option& option, std::string_view text);
// The same for a member of a JSON file.
Result<json::value> from_json(const Option& option, const json::value& given);
// Parses an INI value of undeclared type: as JSON if valid, else as text.
json::value from_undeclared_text(std::string_view text);

// "a whole number from 0 to 65535"
std::string expectation(const Option& option);

}  // namespace config
