// Compiles the text of a regular expression to the code that Pattern runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/pattern.h"

namespace schema {

// Parses one expression by recursive descent; each piece becomes its own relocatable code.
class PatternParser {
public:
    explicit PatternParser(std::u32string source) : source_(std::move(source)) {}

    // Sets `error` and returns nothing useful when the expression is invalid.
    Pattern::Code parse();

    const std::string& error() const { return error_; }
    std::vector<Pattern::Set> take_sets() { return std::move(sets_); }

private:
    struct Count {
        std::int64_t minimum = 0;
        std::int64_t maximum = 0;  // -1: no limit
    };

    Pattern::Code alternatives(int depth);
    Pattern::Code sequence(int depth);
    Pattern::Code group(int depth);
    Pattern::Code escape();
    Pattern::Code set_of(Pattern::Set set);
    Pattern::Set bracket();
    // One member of a bracket: a class such as \d is added to `set`, a single character is returned.
    std::optional<char32_t> bracket_member(Pattern::Set& set);
    // \d, \w, \s and their complements; nothing for another letter.
    std::optional<Pattern::Set> class_escape(char32_t letter) const;
    char32_t character_escape();
    char32_t hexadecimal(int digits);
    std::optional<Count> quantifier();
    std::optional<std::int64_t> number();
    Pattern::Code repeat(const Pattern::Code& body, Count count);

    bool failed() const { return !error_.empty(); }
    void fail(std::string_view reason);
    bool at_end() const { return at_ >= source_.size(); }
    char32_t peek(std::size_t ahead = 0) const {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : U'\0';
    }
    bool take(std::u32string_view text);

    std::u32string source_;
    std::size_t at_ = 0;
    std::string error_;
    std::vector<Pattern::Set> sets_;
};

}  // namespace schema
