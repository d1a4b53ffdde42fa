// From what a person wrote to a value of the option's type.
#pragma once

#include <string>
#include <string_view>

#include "config/option.h"
#include "util/json.h"
#include "util/result.h"

namespace config {

// The value that `text` means behind a flag, in a variable or in an INI file. The error says what was
// expected and what was got, not where.
Result<json::value> from_text(const Option& option, std::string_view text);
// The same for a member of a JSON file.
Result<json::value> from_json(const Option& option, const json::value& given);
// What an INI file means by a value whose type nobody declared: JSON where it is some, else text.
json::value from_undeclared_text(std::string_view text);

// "a whole number from 0 to 65535"
std::string expectation(const Option& option);

}  // namespace config
