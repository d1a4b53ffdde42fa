#include "engine/glob.h"

#include <algorithm>

#include "util/json.h"

namespace engine {
namespace {

// Rejects patterns whose groups expand to more alternatives than anybody means.
constexpr std::size_t kMaxAlternatives = 1000;

Error invalid(std::string_view pattern, std::string_view why) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "Invalid glob pattern " + json::serialize(json::value(std::string(pattern))) + ": " +
                       std::string(why)};
}

}  // namespace

Result<Glob> Glob::create(std::string_view pattern) {
    using Kind = Token::Kind;
    // The expansions of the pattern so far, and the alternatives of the group being read.
    std::vector<Tokens> whole{{}}, group;
    bool in_group = false;
    auto add = [&](Token token) {
        if (in_group) {
            group.back().push_back(token);
        } else {
            for (Tokens& tokens : whole) tokens.push_back(token);
        }
    };
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            add({Kind::Character, pattern[++i]});
        } else if (c == '*') {
            bool after_slash = i > 0 && pattern[i - 1] == '/';
            std::size_t end = std::min(pattern.find_first_not_of('*', i), pattern.size());
            bool deep = end - i > 1;
            bool folders = deep && end < pattern.size() && pattern[end] == '/';
            i = folders ? end : end - 1;
            if (folders)
                add({after_slash ? Kind::MoreFolders : Kind::Folders});
            else
                add({deep ? Kind::Anything : Kind::Part});
        } else if (c == '{') {
            if (in_group) return invalid(pattern, "nested '{' is not supported");
            in_group = true;
            group.assign(1, {});
        } else if (c == '}') {
            if (!in_group) return invalid(pattern, "unmatched '}'");
            in_group = false;
            if (whole.size() * group.size() > kMaxAlternatives)
                return invalid(pattern, "too many alternatives");
            std::vector<Tokens> longer;
            for (const Tokens& before : whole) {
                for (const Tokens& choice : group) {
                    longer.push_back(before);
                    longer.back().insert(longer.back().end(), choice.begin(), choice.end());
                }
            }
            whole = std::move(longer);
        } else if (c == ',' && in_group) {
            group.emplace_back();
        } else {
            add({Kind::Character, c});
        }
    }
    if (in_group) return invalid(pattern, "unmatched '{'");
    Glob glob;
    glob.alternatives_ = std::move(whole);
    return glob;
}

bool Glob::matches(std::string_view text) const {
    return std::ranges::any_of(alternatives_, [&](const Tokens& tokens) { return match(tokens, text); });
}

// Tracks, token by token, which prefixes of the text the pattern so far can match.
bool Glob::match(const Tokens& tokens, std::string_view text) {
    std::vector<bool> reached(text.size() + 1, false), next;
    reached[0] = true;
    for (const Token& token : tokens) {
        next.assign(text.size() + 1, false);
        bool going = false;    // an earlier position was reached and nothing has ended the match since
        bool earlier = false;  // the same for positions before the previous one
        for (std::size_t i = 0; i <= text.size(); ++i) {
            bool after_slash = i > 0 && text[i - 1] == '/';
            switch (token.kind) {
                case Token::Kind::Character:
                    next[i] = i > 0 && reached[i - 1] && text[i - 1] == token.character;
                    break;
                case Token::Kind::Part:
                    going = reached[i] || (going && !after_slash);
                    next[i] = going;
                    break;
                case Token::Kind::Anything:
                    going = going || reached[i];
                    next[i] = going;
                    break;
                case Token::Kind::Folders:
                    next[i] = going && after_slash;
                    going = going || reached[i];
                    break;
                case Token::Kind::MoreFolders:
                    next[i] = reached[i] || (earlier && after_slash);
                    earlier = going;
                    going = going || reached[i];
                    break;
            }
        }
        reached.swap(next);
    }
    return reached.back();
}

}  // namespace engine
