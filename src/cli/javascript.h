// Small changes to recorded JavaScript that distinguish strings and comments from code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// The code with one of its variables renamed. Members and keys of that name stay.
std::string with_variable_renamed(std::string_view code, std::string_view from, std::string_view to);

// The environment variable for the value that a redactor replaced by <secret>NAME</secret>.
using VariableOf = std::function<std::string(std::string_view name)>;
// The code with such marks in its strings replaced by look-ups in the environment.
std::string with_environment(std::string_view code, const VariableOf& variable_of);

// The strings of the code, quotes included.
std::vector<std::string_view> strings_of(std::string_view code);
// The code with its last string replaced by other code.
std::string with_last_string(std::string_view code, std::string_view replacement);

// The code with its lines indented, except those inside of templates.
std::string indented(std::string_view code);

// Whether a script is one function, one expression, or statements. Goes by its tokens only: what is not
// certainly an expression counts as statements, which run alike.
enum class Script { Function, Expression, Statements };
Script kind_of_script(std::string_view script);

// process.env.NAME
std::string environment_variable(std::string_view name);

}  // namespace cli
