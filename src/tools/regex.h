// Regular expressions as agents write them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "schema/pattern.h"

namespace tools {

// A JavaScript regular expression that answers whether some part of a text matches. Takes time in proportion
// to the text, whatever the expression; back references, lookbehind and \p{…} are refused.
class Regex {
public:
    static Result<Regex> create(std::string_view source, std::string_view flags);
    // From "pattern" or "/pattern/flags".
    static Result<Regex> parse(std::string_view text);
    bool matches(std::string_view text) const;
    // "/pattern/flags", as JavaScript prints it.
    const std::string& text() const { return text_; }

private:
    Regex(schema::Pattern pattern, std::string text) : pattern_(std::move(pattern)), text_(std::move(text)) {}

    schema::Pattern pattern_;
    std::string text_;
};

// Whether an argument is a regular expression; fails with the usual error for an invalid argument of that
// name.
Result<void> check_argument(std::string_view name, const Result<Regex>& regex);

}  // namespace tools
