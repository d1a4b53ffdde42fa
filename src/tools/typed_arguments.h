// The arguments of calls that are typed into fields, and may be passwords.
#pragma once

#include <string_view>
#include <vector>

#include "session/typed_passwords.h"
#include "util/json.h"

namespace tools {

// Whether a tool of this name types its arguments.
bool types_text(std::string_view tool);
// With a mark in place of each text that is typed: whether it is a password is known after the call.
json::value without_typed(std::string_view tool, json::value arguments);
// With a mark in place of each text that was typed into a field for passwords, as the page said or as the
// arguments call the field. These texts are added to `passwords`.
json::value without_passwords(std::string_view tool, json::value arguments,
                              session::TypedPasswords& passwords);

}  // namespace tools
