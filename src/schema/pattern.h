// ECMAScript regular expressions, as JSON Schema's "pattern" uses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/result.h"

namespace schema {

// A compiled pattern. It only answers whether some part of a text matches, in time proportional to pattern ×
// text for every pattern: no backtracking and no recursion on the text. Works on code points. Backreferences,
// lookbehind and \p{…} are refused.
class Pattern {
public:
    enum class Outcome { Match, NoMatch, TooCostly };

    static Result<Pattern> create(std::string_view source);

    // Counts its work down from `steps`; TooCostly once they are used up or the text is over 64 KiB.
    Outcome search(std::string_view text, std::int64_t& steps) const;

    const std::string& source() const { return source_; }

    enum class Op : std::uint8_t {
        Char,
        Set,
        Split,
        Jump,
        Begin,
        End,
        Boundary,
        NoBoundary,
        Ahead,
        NotAhead,
        Match
    };

    // Jumps are relative to the instruction, so that a piece of code can be moved and repeated.
    struct Instruction {
        Op op;
        std::int32_t first = 0;   // Char: the code point; Set: its index; else a jump
        std::int32_t second = 0;  // Split: the other jump
    };
    using Code = std::vector<Instruction>;
    // Ranges of code points, both ends included.
    using Set = std::vector<std::pair<char32_t, char32_t>>;

private:
    std::string source_;
    Code code_;
    std::vector<Set> sets_;
};

}  // namespace schema
