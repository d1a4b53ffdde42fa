// Arguments of calls that are typed into fields, and may be passwords.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/secrets.h"
#include "session/typed_passwords.h"
#include "util/json.h"

namespace tools {

// Whether the tool of this name types its arguments.
bool types_text(std::string_view tool);
// Whether it presses a single key.
bool types_key(std::string_view tool);
// The texts that the call types.
std::vector<std::string> typed_texts(std::string_view tool, json::value arguments);
// Replaces each typed text by a placeholder: whether it is a password is known only after the call.
json::value without_typed(std::string_view tool, json::value arguments);
// Replaces each text that was typed into a password field by a placeholder, going by the page or by the
// field's name in the arguments. Adds these texts to `passwords`. Marks of secrets stay.
json::value without_passwords(std::string_view tool, json::value arguments,
                              session::TypedPasswords& passwords);

// Replaces each text that is a secret's name, and so stands for its value, by the mark of that secret.
json::value with_secret_marks(std::string_view tool, json::value arguments, const session::Secrets& secrets);

}  // namespace tools
