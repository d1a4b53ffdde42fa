// Checks of a page, as lines of a test in the user's language.
#pragma once

#include <string>

#include "session/options.h"

namespace tools {

struct Assertion {
    enum class Kind { Visible, Value, Checked, Unchecked, Snapshot };

    Kind kind;
    std::string locator;    // in the language of the session, without "page."
    std::string text = {};  // the value, or the accessibility tree
};

// Codegen::None prints TypeScript.
std::string to_code(const Assertion& assertion, session::Codegen language);

}  // namespace tools
