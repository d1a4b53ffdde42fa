#include "schema/pattern_parser.h"

#include <algorithm>

namespace schema {
namespace {

using Code = Pattern::Code;
using Op = Pattern::Op;
using Set = Pattern::Set;

constexpr std::size_t kMaxCode = 20'000;
constexpr int kMaxGroups = 50;  // nested
constexpr std::int64_t kMaxCount = 100'000;

constexpr char32_t kLastCodePoint = 0x10FFFF;

Set digits() { return {{'0', '9'}}; }
Set word_characters() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }
Set line_ends() { return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}; }
Set spaces() {
    return {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
            {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
}

Set complement(Set set) {
    std::sort(set.begin(), set.end());
    Set rest;
    char32_t next = 0;
    for (auto [first, last] : set) {
        if (first > next) rest.emplace_back(next, first - 1);
        next = std::max<char32_t>(next, last + 1);
    }
    if (next <= kLastCodePoint) rest.emplace_back(next, kLastCodePoint);
    return rest;
}

std::int32_t length(const Code& code) { return static_cast<std::int32_t>(code.size()); }
void append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

std::optional<int> hex_digit(char32_t c) {
    if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
    return {};
}

bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

Code PatternParser::parse() {
    Code code = alternatives(0);
    if (!failed() && !at_end()) fail("unmatched )");
    code.push_back({Op::Match});
    return code;
}

void PatternParser::fail(std::string_view reason) {
    if (!failed()) error_ = reason;
    at_ = source_.size();
}

bool PatternParser::take(std::u32string_view text) {
    if (std::u32string_view(source_).substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
}

Code PatternParser::alternatives(int depth) {
    if (depth > kMaxGroups) fail("groups are nested too deep");
    Code code = sequence(depth);
    while (take(U"|")) {
        Code right = sequence(depth);
        Code both{{Op::Split, 1, length(code) + 2}};
        append(both, code);
        both.push_back({Op::Jump, length(right) + 1});
        append(both, right);
        code = std::move(both);
        if (code.size() > kMaxCode) fail("it is too large");
    }
    return code;
}

Code PatternParser::sequence(int depth) {
    Code code;
    while (!at_end() && peek() != '|' && peek() != ')') {
        Code atom;
        bool repeatable = true;
        if (take(U"^")) {
            atom = {{Op::Begin}};
            repeatable = false;
        } else if (take(U"$")) {
            atom = {{Op::End}};
            repeatable = false;
        } else if (take(U".")) {
            atom = set_of(complement(line_ends()));
        } else if (take(U"(")) {
            atom = group(depth + 1);
        } else if (take(U"[")) {
            atom = set_of(bracket());
        } else if (take(U"\\")) {
            repeatable = peek() != 'b' && peek() != 'B';
            atom = escape();
        } else if (peek() == '*' || peek() == '+' || peek() == '?') {
            fail("nothing to repeat");
        } else {
            atom = {{Op::Char, static_cast<std::int32_t>(source_[at_++])}};
        }
        if (auto count = quantifier()) {
            if (!repeatable) fail("nothing to repeat");
            atom = repeat(atom, *count);
        }
        append(code, atom);
        if (code.size() > kMaxCode) fail("it is too large");
    }
    return code;
}

Code PatternParser::group(int depth) {
    Op look = Op::Match;  // none
    if (take(U"?=")) {
        look = Op::Ahead;
    } else if (take(U"?!")) {
        look = Op::NotAhead;
    } else if (take(U"?<=") || take(U"?<!")) {
        fail("lookbehind is not supported");
    } else if (take(U"?<")) {
        while (!at_end() && peek() != '>') ++at_;
        if (!take(U">")) fail("unfinished group name");
    } else if (!take(U"?:") && peek() == '?') {
        fail("unknown kind of group");
    }
    Code body = alternatives(depth);
    if (!take(U")")) fail("unmatched (");
    if (look == Op::Match) return body;
    Code code{{look, length(body) + 2}};
    append(code, body);
    code.push_back({Op::Match});
    return code;
}

Code PatternParser::set_of(Set set) {
    sets_.push_back(std::move(set));
    return {{Op::Set, static_cast<std::int32_t>(sets_.size() - 1)}};
}

Code PatternParser::escape() {
    if (take(U"b")) return {{Op::Boundary}};
    if (take(U"B")) return {{Op::NoBoundary}};
    if (auto set = class_escape(peek())) {
        ++at_;
        return set_of(std::move(*set));
    }
    if (peek() >= '1' && peek() <= '9') fail("backreferences are not supported");
    if (peek() == 'k') fail("backreferences are not supported");
    return {{Op::Char, static_cast<std::int32_t>(character_escape())}};
}

std::optional<Set> PatternParser::class_escape(char32_t letter) const {
    switch (letter) {
        case 'd':
            return digits();
        case 'D':
            return complement(digits());
        case 'w':
            return word_characters();
        case 'W':
            return complement(word_characters());
        case 's':
            return spaces();
        case 'S':
            return complement(spaces());
        default:
            return {};
    }
}

char32_t PatternParser::character_escape() {
    if (at_end()) {
        fail("it ends with a backslash");
        return 0;
    }
    char32_t c = source_[at_++];
    switch (c) {
        case 't':
            return '\t';
        case 'n':
            return '\n';
        case 'v':
            return '\v';
        case 'f':
            return '\f';
        case 'r':
            return '\r';
        case '0':
            return '\0';
        case 'x':
            return hexadecimal(2);
        case 'c':
            if (!is_letter(peek())) fail("\\c needs a letter");
            return at_end() ? 0 : source_[at_++] % 32;
        case 'u': {
            if (take(U"{")) {
                char32_t point = 0;
                while (auto digit = hex_digit(peek())) {
                    point =
                        std::min<char32_t>(point * 16 + static_cast<char32_t>(*digit), kLastCodePoint + 1);
                    ++at_;
                }
                if (!take(U"}") || point > kLastCodePoint) fail("bad \\u{…}");
                return point;
            }
            char32_t high = hexadecimal(4);
            if (high >= 0xD800 && high < 0xDC00 && take(U"\\u")) {
                char32_t low = hexadecimal(4);
                if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
                return 0x10000 + ((high - 0xD800) << 10) + (low & 0x3FF);
            }
            return high;
        }
        case 'p':
        case 'P':
            fail("\\p{…} is not supported");
            return 0;
        default:
            if (is_letter(c)) fail("unknown escape");
            return c;
    }
}

char32_t PatternParser::hexadecimal(int count) {
    char32_t point = 0;
    for (int i = 0; i < count; ++i) {
        auto digit = hex_digit(peek());
        if (!digit) {
            fail("bad hexadecimal escape");
            return 0;
        }
        point = point * 16 + static_cast<char32_t>(*digit);
        ++at_;
    }
    return point;
}

Set PatternParser::bracket() {
    bool negated = take(U"^");
    Set set;
    while (!at_end() && peek() != ']') {
        auto first = bracket_member(set);
        if (peek() != '-' || peek(1) == ']' || at_ + 1 >= source_.size()) {
            if (first) set.emplace_back(*first, *first);
            continue;
        }
        ++at_;  // the dash
        auto last = bracket_member(set);
        if (first && last) {
            if (*first > *last) fail("range out of order");
            set.emplace_back(*first, *last);
        } else {  // [\w-.]: as in browsers, the dash is literal
            set.emplace_back('-', '-');
            if (first) set.emplace_back(*first, *first);
            if (last) set.emplace_back(*last, *last);
        }
    }
    if (!take(U"]")) fail("unmatched [");
    return negated ? complement(std::move(set)) : set;
}

std::optional<char32_t> PatternParser::bracket_member(Set& set) {
    if (!take(U"\\")) return source_[at_++];
    if (auto members = class_escape(peek())) {
        ++at_;
        set.insert(set.end(), members->begin(), members->end());
        return {};
    }
    if (take(U"b")) return '\b';
    return character_escape();
}

std::optional<std::int64_t> PatternParser::number() {
    if (peek() < '0' || peek() > '9') return {};
    std::int64_t value = 0;
    while (peek() >= '0' && peek() <= '9') {
        value =
            std::min<std::int64_t>(value * 10 + static_cast<std::int64_t>(source_[at_++] - '0'), kMaxCount);
    }
    return value;
}

std::optional<PatternParser::Count> PatternParser::quantifier() {
    std::optional<Count> count;
    if (take(U"*")) {
        count = Count{0, -1};
    } else if (take(U"+")) {
        count = Count{1, -1};
    } else if (take(U"?")) {
        count = Count{0, 1};
    } else if (peek() == '{') {
        std::size_t start = at_++;
        auto minimum = number();
        auto maximum = minimum;
        if (minimum && take(U",")) maximum = number().value_or(-1);
        if (!minimum || !take(U"}")) {
            at_ = start;  // a brace that is no quantifier is literal
            return {};
        }
        if (*maximum >= 0 && *maximum < *minimum) fail("numbers out of order in {}");
        count = Count{*minimum, *maximum};
    }
    if (count) take(U"?");  // lazy or greedy: the same texts match
    return count;
}

Code PatternParser::repeat(const Code& body, Count count) {
    std::int64_t copies = std::max<std::int64_t>(count.minimum, count.maximum) + 1;
    if (copies * (length(body) + 2) > static_cast<std::int64_t>(kMaxCode)) {
        fail("it is too large");
        return {};
    }
    Code code;
    for (std::int64_t i = 0; i < count.minimum; ++i) append(code, body);
    if (count.maximum < 0) {
        code.push_back({Op::Split, 1, length(body) + 2});
        append(code, body);
        code.push_back({Op::Jump, -(length(body) + 1)});
        return code;
    }
    for (std::int64_t left = count.maximum - count.minimum; left > 0; --left) {
        code.push_back({Op::Split, 1, static_cast<std::int32_t>(left * (length(body) + 1))});
        append(code, body);
    }
    return code;
}

}  // namespace schema
