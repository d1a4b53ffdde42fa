// The text shown to a person before a call that needs their confirmation.
#pragma once

#include <string>

#include "policy/policy.h"
#include "tools/tool.h"

namespace tools {

// Shows all arguments, short ones first, so that a long one cannot push them out of sight. When that is too
// much to show a person, a long argument is shown by its length, its SHA-256, the addresses in it, its
// beginning and its end. Characters that change how the text looks are written as escapes.
std::string confirmation_text(const Tool& tool, const json::value& arguments, const policy::Subject& who);

}  // namespace tools
