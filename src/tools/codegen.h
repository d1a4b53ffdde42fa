// The "Ran Playwright code" section: the actions of a call, as a program in the user's language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/page.h"
#include "session/options.h"

namespace tools {

// One action of a user that every language can express.
struct Action {
    enum class Kind { Navigate, Click, Hover, Check, Uncheck, Fill, Press, Select, SetFiles };

    Kind kind;
    std::string locator = {};                    // in the language of the session, without "page."
    std::string text = {};                       // the address, the text to fill in, the key
    std::vector<std::string> options = {};       // to select; files to set
    engine::ClickOptions click = {};             // modifiers also apply to a key
    std::optional<engine::Point> position = {};  // within the element
    std::string page = "page";                   // the page's variable name
};

// One line, or several for a click with options. Codegen::None prints TypeScript.
std::string to_code(const Action& action, session::Codegen language);

// How the language reads a secret from the environment.
std::string secret_code(std::string_view name, session::Codegen language);
// The placeholder for a secret in an action's text until the code is printed.
std::string secret_mark(std::string_view name);
// Replaces the placeholders by look-ups in the environment.
std::string with_secret_code(std::string code, const std::vector<std::string>& names,
                             session::Codegen language);

// The info string of the code fence: js, python, java, csharp.
std::string_view fence_of(session::Codegen language);

}  // namespace tools
