#include "tools/regex.h"

#include <algorithm>

namespace tools {
namespace {

constexpr std::int64_t kSteps = 20'000'000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char other_case(char c) { return static_cast<char>(c ^ 0x20); }

// The length of an escape in characters: \x41, \u0041, \u{41}, \cA or one letter.
std::size_t escape_length(std::string_view at) {
    if (at.size() < 2) return at.size();
    if (at[1] == 'x') return std::min<std::size_t>(at.size(), 4);
    if (at[1] == 'u' && at.size() > 2 && at[2] == '{') return std::min(at.find('}'), at.size() - 1) + 1;
    if (at[1] == 'u') return std::min<std::size_t>(at.size(), 6);
    if (at[1] == 'c') return std::min<std::size_t>(at.size(), 3);
    if (at[1] == 'k' && at.size() > 2 && at[2] == '<') return std::min(at.find('>'), at.size() - 1) + 1;
    return 2;
}

// Writes a bracket or a single letter so that it matches in both cases.
class CaseFolder {
public:
    explicit CaseFolder(std::string_view source) : rest_(source) {}

    std::string fold() {
        while (!rest_.empty()) {
            if (rest_.front() == '\\') {
                take(escape_length(rest_));
            } else if (rest_.front() == '[') {
                fold_bracket();
            } else if (rest_.starts_with("(?<") && rest_.size() > 3 && is_letter(rest_[3])) {
                take(std::min(rest_.find('>'), rest_.size() - 1) + 1);
            } else {
                fold_character();
            }
        }
        return std::move(folded_);
    }

private:
    void take(std::size_t count) {
        folded_ += rest_.substr(0, count);
        rest_.remove_prefix(std::min(count, rest_.size()));
    }

    void fold_character() {
        char c = rest_.front();
        if (is_letter(c)) {
            folded_ += std::string("[") + c + other_case(c) + "]";
            rest_.remove_prefix(1);
        } else {
            take(1);
        }
    }

    // Adds the other case of each letter and of each range of letters after the bracket.
    void fold_bracket() {
        take(1);
        while (!rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '\\') {
                take(escape_length(rest_));
                continue;
            }
            char first = rest_.front();
            bool range = rest_.size() > 2 && rest_[1] == '-' && is_letter(first) && is_letter(rest_[2]);
            std::string other;
            if (range)
                other = std::string() + other_case(first) + "-" + other_case(rest_[2]);
            else if (is_letter(first))
                other = std::string() + other_case(first);
            take(range ? 3 : 1);
            folded_ += other;
        }
        take(1);
    }

    std::string_view rest_;
    std::string folded_;
};

// Slashes outside of brackets and line breaks are escaped, as in a literal.
std::string printed_source(std::string_view source) {
    if (source.empty()) return "(?:)";
    std::string printed;
    bool in_bracket = false;
    for (std::size_t i = 0; i < source.size(); ++i) {
        char c = source[i];
        if (c == '\\' && i + 1 < source.size()) {
            printed += c;
            printed += source[++i];
            continue;
        }
        if (c == '[') in_bracket = true;
        if (c == ']') in_bracket = false;
        if (c == '\n')
            printed += "\\n";
        else if (c == '/' && !in_bracket)
            printed += "\\/";
        else
            printed += c;
    }
    return printed;
}

Error unknown_flag(std::string_view flags) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "Invalid flags \"" + std::string(flags) + "\" of a regular expression."};
}

}  // namespace

Result<Regex> Regex::create(std::string_view source, std::string_view flags) {
    std::string sorted(flags);
    std::sort(sorted.begin(), sorted.end());
    bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    if (repeated || sorted.find_first_not_of("dgimsuvy") != std::string::npos) return unknown_flag(flags);
    std::string text = "/" + printed_source(source) + "/" + sorted;
    std::string expression(source);
    if (sorted.contains('i')) expression = CaseFolder(source).fold();
    // Sticky expressions match where the text begins or not at all.
    if (sorted.contains('y')) expression = "^(?:" + expression + ")";
    return Regex(TRY(schema::Pattern::create(expression)), std::move(text));
}

Result<Regex> Regex::parse(std::string_view text) {
    std::size_t last = text.rfind('/');
    if (text.starts_with('/') && last > 0) {
        std::string flags(text.substr(last + 1));
        bool literal = std::all_of(flags.begin(), flags.end(), [](char c) { return c >= 'a' && c <= 'z'; });
        if (literal) {
            std::erase(flags, 'g');  // asks for every match, which every search here does anyway
            return create(text.substr(1, last - 1), flags);
        }
    }
    return create(text, "");
}

bool Regex::matches(std::string_view text) const {
    std::int64_t steps = kSteps;
    return pattern_.search(text, steps) == schema::Pattern::Outcome::Match;
}

Result<void> check_argument(std::string_view name, const Result<Regex>& regex) {
    if (regex) return ok();
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "✖ Invalid regular expression\n  → at " + std::string(name) + "\n" +
                            regex.error().message};
}

}  // namespace tools
