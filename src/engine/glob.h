// Patterns for addresses, as Playwright's users write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace engine {

// `*` stands for anything within one part of a path, `**` for anything at all, `**/` for whole parts, `{a,b}`
// for either, and `\` takes the next character as it is. The whole address must match.
class Glob {
public:
    static Result<Glob> create(std::string_view pattern);

    bool matches(std::string_view text) const;

private:
    struct Token {
        enum class Kind { Character, Part, Anything, Folders, MoreFolders } kind;
        char character = 0;
    };
    using Tokens = std::vector<Token>;

    static bool match(const Tokens& tokens, std::string_view text);

    std::vector<Tokens> alternatives_;
};

}  // namespace engine
