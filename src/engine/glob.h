// URL patterns with Playwright's syntax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace engine {

// `*` matches within one part of a path, `**` matches anything, `**/` matches whole parts, `{a,b}` matches
// either, and `\` escapes the next character. The whole URL must match.
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
