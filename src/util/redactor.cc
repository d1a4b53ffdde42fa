#include "util/redactor.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "util/strings.h"

namespace {

constexpr std::size_t kNone = std::string::npos;
// Shorter texts are likely to be something else than the encoded value.
constexpr std::size_t kMinEncodedLength = 6, kMinLengthInFileNames = 4, kMinSqueezedLength = 4;
constexpr std::size_t kMinWordInAnyCase = 8, kMinLengthInAnyCase = 6, kMinLengthInData = 8;
constexpr std::size_t kMinBeginning = 4, kMinRest = 6;  // of a value that was shortened
constexpr std::size_t kDeepest = 4;                     // encodings within encodings
constexpr std::size_t kMaxBackslashes = 32;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
// What follows the beginning of a text that was shortened.
constexpr std::string_view kCuts[] = {kEllipsis, "\\u2026", "... ("};

bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The value of `digits` hexadecimal digits; -1 for other text.
std::int64_t hex_number(std::string_view text, std::size_t at, std::size_t digits) {
    if (at + digits > text.size()) return -1;
    std::int64_t number = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        int digit = hex_digit(text[at + i]);
        if (digit < 0) return -1;
        number = number * 16 + digit;
    }
    return number;
}

char32_t decode(std::string_view utf8) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    switch (utf8.size()) {
        case 2:
            return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
        case 3:
            return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
        case 4:
            return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 |
                   (byte(3) & 0x3FU);
        default:
            return byte(0);
    }
}

// The part of the value's base64 that does not depend on the text before and after it.
std::string base64_core(const std::string& value, std::size_t before) {
    constexpr std::array<std::size_t, 3> kTouched = {0, 2, 3};
    std::string encoded = base64_encode(std::string(before, '\0') + value);
    std::size_t whole = (before + value.size()) * 8 / 6;
    return encoded.substr(kTouched[before], whole - kTouched[before]);
}

std::string with_url_alphabet(std::string base64) {
    std::ranges::replace(base64, '+', '-');
    std::ranges::replace(base64, '/', '_');
    return base64;
}

std::string hex_text(std::string_view value, std::string_view digits) {
    std::string text;
    for (char c : value) {
        auto byte = static_cast<unsigned char>(c);
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

bool is_white_space(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x3000 || code == 0xFEFF;
}

template <class Each>
void for_each_character(std::string_view text, Each each) {
    while (!text.empty()) {
        std::size_t size = std::max<std::size_t>(utf8_sequence_length(text), 1);
        each(text.substr(0, size), decode(text.substr(0, size)));
        text.remove_prefix(size);
    }
}

// The value as snapshots show it: white space as single spaces, none at the ends, and no zero-width spaces
// and soft hyphens.
std::string squeezed(std::string_view value) {
    std::string text;
    bool follows_space = false;
    for_each_character(value, [&](std::string_view bytes, char32_t code) {
        if (code == 0x200B || code == 0xAD) return;
        bool is_space = is_white_space(code);
        if (!is_space && follows_space && !text.empty()) text += ' ';
        if (!is_space) text += bytes;
        follows_space = is_space;
    });
    return text;
}

// The value as previews of elements show it, on one line.
std::string with_arrows(std::string_view value) {
    std::string text;
    for (char c : value) text += c == '\n' ? "\xE2\x86\xB5" : c == '\t' ? "\xE2\x87\x86" : std::string(1, c);
    return text;
}

// The letters that most languages use, in upper case. A pattern itself accepts ASCII letters of any case.
std::string upper(std::string_view value) {
    std::string text;
    for_each_character(value, [&](std::string_view bytes, char32_t code) {
        if (code == 0xDF) {
            text += "SS";
            return;
        }
        bool is_latin = code >= 0xE0 && code <= 0xFE && code != 0xF7;
        bool is_greek = code >= 0x3B1 && code <= 0x3C9 && code != 0x3C2;
        bool is_cyrillic = code >= 0x430 && code <= 0x44F;
        if (is_latin || is_greek || is_cyrillic)
            code -= 0x20;
        else if (code >= 0x450 && code <= 0x45F)
            code -= 0x50;
        else {
            text += bytes;
            return;
        }
        text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    });
    return text;
}

// Percent-encodes all except letters, digits and the characters in `kept`.
std::string as_uri(std::string_view value, std::string_view kept, bool is_form) {
    std::string text;
    for (char c : value) {
        if (is_plain(c) || kept.contains(c))
            text += c;
        else if (c == ' ' && is_form)
            text += '+';
        else
            text += "%" + hex_text({&c, 1}, "0123456789ABCDEF");
    }
    return text;
}

// The value as scripts write it before they encode it as base64.
std::set<std::string> encoded_ways(const std::string& value) {
    std::string quoted = json::serialize(json::value(value));
    return {value, quoted.substr(1, quoted.size() - 2), as_uri(value, "-_.!~*'()", false),
            as_uri(value, "*-._", true)};
}

// From the first character's byte to the last one's, so that it is the same in either byte order. Empty for
// values with other than ASCII characters.
std::string as_utf16(std::string_view value) {
    std::string text;
    for (char c : value) {
        if (static_cast<unsigned char>(c) >= 0x80) return {};
        if (!text.empty()) text += '\0';
        text += c;
    }
    return text;
}

// Short words are likely to be something else in another case.
bool is_distinct_in_any_case(std::string_view value) {
    auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    auto is_letter = [&](char c) { return is_plain(c) && !is_digit(c); };
    return value.size() >= kMinWordInAnyCase ||
           (value.size() >= kMinLengthInAnyCase && std::ranges::any_of(value, is_digit) &&
            std::ranges::any_of(value, is_letter));
}

// Names can contain characters that would end a JSON text around the mark.
std::string mark_of(const std::string& name) {
    std::string plain = name;
    for (char& c : plain) {
        if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
    }
    return "<secret>" + plain + "</secret>";
}

struct Entity {
    char32_t code;
    std::string_view name;
};
constexpr Entity kEntities[] = {{'"', "quot;"}, {'&', "amp;"},   {'<', "lt;"},
                                {'>', "gt;"},   {'\'', "apos;"}, {' ', "nbsp;"}};

struct Escape {
    char32_t code;
    char letter;
};
constexpr Escape kEscapes[] = {{'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\b', 'b'}, {'\f', 'f'}, {0, '0'}};

std::size_t skip_backslashes(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && text[end] == '\\' && end - at < kMaxBackslashes) ++end;
    return end;
}

char32_t decode_first(std::string_view text, std::size_t at, std::size_t skip) {
    std::size_t size = 0;
    std::string bytes;
    for (std::size_t i = at; bytes.size() < 4; i += 3 + skip) {
        std::int64_t byte = i < text.size() && text[i] == '%' ? hex_number(text, i + 1 + skip, 2) : -1;
        if (byte < 0) break;
        bytes += static_cast<char>(byte);
    }
    size = std::max<std::size_t>(utf8_sequence_length(bytes), 1);
    return bytes.empty() ? 0 : decode(std::string_view(bytes).substr(0, size));
}

// The characters that the escape at this position may stand for.
std::vector<char32_t> codes_at(std::string_view text, std::size_t at) {
    std::vector<char32_t> codes;
    auto add = [&](std::int64_t code) {
        if (code >= 0) codes.push_back(static_cast<char32_t>(code));
    };
    if (text[at] == '%') {
        for (std::size_t skip = 0; skip < 2 * kDeepest; skip += 2) {
            add(hex_number(text, at + 1 + skip, 2));
            if (!codes.empty() && codes.back() >= 0x80) add(decode_first(text, at, skip));
            if (!text.substr(at + 1 + skip).starts_with("25")) break;
        }
    } else if (text[at] == '\\') {
        std::size_t after = skip_backslashes(text, at);
        if (after >= text.size()) return codes;
        char c = text[after];
        if (!is_plain(c)) add(static_cast<unsigned char>(c));
        for (const Escape& escape : kEscapes) {
            if (c == escape.letter) add(escape.code);
        }
        if (c == 'x') add(hex_number(text, after + 1, 2));
        std::int64_t code = c == 'u' ? hex_number(text, after + 1, 4) : -1;
        add(code);
        std::size_t low = skip_backslashes(text, after + 5);
        if (code >= 0xD800 && code < 0xDC00 && low < text.size() && text[low] == 'u') {
            std::int64_t second = hex_number(text, low + 1, 4);
            if (second >= 0) add(((code & 0x3FF) << 10) + (second & 0x3FF) + 0x10000);
        }
    } else {
        std::size_t name = at + 1;
        for (std::size_t depth = 0; depth < kDeepest; ++depth, name += 4) {
            for (const Entity& entity : kEntities) {
                if (text.substr(name).starts_with(entity.name)) add(entity.code);
            }
            if (name + 2 < text.size() && text[name] == '#') {
                bool hexadecimal = text[name + 1] == 'x' || text[name + 1] == 'X';
                std::string digits(text.substr(name + (hexadecimal ? 2 : 1), 8));
                add(std::strtol(digits.c_str(), nullptr, hexadecimal ? 16 : 10));
            }
            if (!text.substr(name).starts_with("amp;")) break;
        }
    }
    return codes;
}

}  // namespace

// The positions in a text where the matched characters of a pattern may end.
class Redactor::Cursor {
public:
    Cursor(std::string_view text, std::size_t at) : text_(text) { ends_[count_++] = at; }

    // Returns false, and stays, when the unit follows at no position.
    bool advance(const Unit& unit, bool in_file_names) {
        std::array<std::size_t, kMaxEnds> from;
        std::size_t many = count_;
        std::copy_n(ends_.begin(), many, from.begin());
        count_ = 0;
        for (std::size_t i = 0; i < many; ++i) read(unit, from[i], in_file_names);
        if (count_ > 0) return true;
        count_ = many;
        std::copy_n(from.begin(), many, ends_.begin());
        return false;
    }
    std::size_t end() const { return *std::max_element(ends_.begin(), ends_.begin() + count_); }
    // The end of a beginning that a shortened text ends with.
    std::size_t end_of_cut() const {
        std::size_t end = this->end();
        auto is_cut = [&](std::size_t at) {
            return std::ranges::any_of(kCuts, [&](std::string_view cut) { return has(at, cut); });
        };
        if (end >= text_.size() || is_cut(end)) return end < text_.size() ? end : kNone;
        if (text_[end] != '%' && text_[end] != '\\' && text_[end] != '&') return kNone;
        // The cut may be within the encoding of a character.
        for (std::size_t at = end + 1; at < end + kLongestEncoding && at < text_.size(); ++at) {
            if (is_cut(at)) return at;
        }
        return kNone;
    }

private:
    static constexpr std::size_t kMaxEnds = 24, kLongestEncoding = 10;

    void add(std::size_t end) {
        if (count_ < kMaxEnds &&
            std::find(ends_.begin(), ends_.begin() + count_, end) == ends_.begin() + count_)
            ends_[count_++] = end;
    }
    bool has(std::size_t at, std::string_view text) const {
        return at <= text_.size() && text_.substr(at).starts_with(text);
    }

    void read(const Unit& unit, std::size_t at, bool in_file_names) {
        if (at >= text_.size()) return;
        std::string_view bytes(unit.bytes.data(), unit.size);
        if (has(at, bytes) || (unit.other_case != 0 && text_[at] == unit.other_case)) add(at + bytes.size());
        switch (text_[at]) {
            case '%':
                read_percent(unit, bytes, at);
                break;
            case '\\':
                read_escape(unit, at);
                break;
            case '&':
                read_entity(unit, at);
                break;
            case '+':
                if (unit.code == ' ') add(at + 1);
                break;
            case '\'':
            case '"':
                // YAML and tables double quotes within quotes.
                if (unit.code == static_cast<char32_t>(text_[at]) && at + 1 < text_.size() &&
                    text_[at + 1] == text_[at])
                    add(at + 2);
                break;
            default:
                break;
        }
        if (in_file_names && !unit.is_plain && (text_[at] == '_' || text_[at] == '-')) add(at + 1);
    }

    void read_percent(const Unit& unit, std::string_view bytes, std::size_t at) {
        for (std::size_t depth = 0; depth < kDeepest; ++depth) {
            std::size_t end = at;
            for (char c : bytes) {
                end = end == kNone ? kNone : percent(end, static_cast<unsigned char>(c), depth);
            }
            if (end != kNone) add(end);
            if (unit.code >= 0x80 && unit.code < 0x100) {
                std::size_t latin = percent(at, unit.code, depth);
                if (latin != kNone) add(latin);
            }
        }
    }
    std::size_t percent(std::size_t at, std::int64_t byte, std::size_t depth) const {
        if (at >= text_.size() || text_[at] != '%') return kNone;
        ++at;
        for (std::size_t i = 0; i < depth; ++i, at += 2) {
            if (!has(at, "25")) return kNone;
        }
        return hex_number(text_, at, 2) == byte ? at + 2 : kNone;
    }

    // Each level of JSON within JSON doubles the backslashes.
    void read_escape(const Unit& unit, std::size_t at) {
        std::size_t after = skip_backslashes(text_, at);
        if (unit.code == '\\') {
            for (std::size_t end = at + 1; end <= after; end = at + 2 * (end - at)) add(end);
        }
        if (after >= text_.size()) return;
        char c = text_[after];
        if (!unit.is_plain && unit.size == 1 && c == unit.bytes[0]) add(after + 1);
        for (const Escape& escape : kEscapes) {
            if (unit.code == escape.code && c == escape.letter) add(after + 1);
        }
        if (c == 'x' && hex_number(text_, after + 1, 2) == static_cast<std::int64_t>(unit.code))
            add(after + 3);
        if (c != 'u') return;
        std::int64_t code = hex_number(text_, after + 1, 4);
        if (code == static_cast<std::int64_t>(unit.code)) add(after + 5);
        if (unit.code < 0x10000 || code != static_cast<std::int64_t>(0xD7C0 + (unit.code >> 10))) return;
        std::size_t low = skip_backslashes(text_, after + 5);
        if (low > after + 5 && low < text_.size() && text_[low] == 'u' &&
            hex_number(text_, low + 1, 4) == static_cast<std::int64_t>(0xDC00 + (unit.code & 0x3FF)))
            add(low + 5);
    }

    void read_entity(const Unit& unit, std::size_t at) {
        ++at;
        for (std::size_t depth = 0; depth < kDeepest; ++depth) {
            for (const Entity& entity : kEntities) {
                if (unit.code == entity.code && has(at, entity.name)) add(at + entity.name.size());
            }
            if (has(at, "#")) read_number_entity(unit, at + 1);
            if (!has(at, "amp;")) return;
            at += 4;
        }
    }
    void read_number_entity(const Unit& unit, std::size_t at) {
        bool hexadecimal = has(at, "x") || has(at, "X");
        if (hexadecimal) ++at;
        char32_t code = 0;
        std::size_t end = at;
        for (; end < text_.size() && end - at < 8; ++end) {
            int digit = hex_digit(text_[end]);
            if (digit < 0 || (!hexadecimal && digit > 9)) break;
            code = code * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit);
        }
        if (end > at && code == unit.code && has(end, ";")) add(end + 1);
    }

    std::string_view text_;
    std::array<std::size_t, kMaxEnds> ends_;
    std::size_t count_ = 0;
};

Redactor::Redactor(const std::map<std::string, std::string>& values, std::string_view name_of_all) {
    for (const auto& [name, value] : values) {
        if (!value.empty()) add_value(mark_of(name_of_all.empty() ? name : std::string(name_of_all)), value);
    }
    std::ranges::sort(patterns_, [](const Pattern& a, const Pattern& b) {
        return a.units.size() != b.units.size() ? a.units.size() > b.units.size() : a.mark < b.mark;
    });
    if (!patterns_.empty()) pairs_.resize(256 * 256);
    for (std::size_t i = 0; i < patterns_.size(); ++i) index(static_cast<std::uint16_t>(i));
}

// Two bytes suffice to skip most text.
void Redactor::index(std::uint16_t number) {
    const Pattern& pattern = patterns_[number];
    const Unit& first = pattern.units.front();
    by_first_[first.code].push_back(number);
    std::string begins(1, first.bytes[0]), follows = "%\\&";
    if (first.other_case != 0) {
        by_first_[static_cast<unsigned char>(first.other_case)].push_back(number);
        begins += first.other_case;
    }
    for (std::size_t from = 1; !pattern.is_coded && from + kMinRest <= pattern.units.size(); ++from)
        rests_[pattern.units[from].code].push_back({number, static_cast<std::uint16_t>(from)});
    if (pattern.in_file_names && !first.is_plain) {
        in_file_names_.push_back(number);
        begins += "-_";
    }
    if (first.code == ' ') begins += '+';
    if (first.code == '"' || first.code == '\'') follows += first.bytes[0];
    if (pattern.units.size() > 1) {
        const Unit& second = pattern.units[1];
        follows += second.bytes[0];
        if (second.other_case != 0) follows += second.other_case;
        if (second.code == ' ') follows += '+';
        if (pattern.in_file_names && !second.is_plain) follows += "-_";
    }
    if (first.size > 1) follows += first.bytes[1];
    for (char begin : begins) {
        std::size_t row = static_cast<unsigned char>(begin) * 256U;
        if (pattern.units.size() == 1)
            std::fill_n(pairs_.begin() + static_cast<std::ptrdiff_t>(row), 256, true);
        for (char next : follows) pairs_[row + static_cast<unsigned char>(next)] = true;
    }
}

bool Redactor::may_begin(std::string_view text, std::size_t at) const {
    char c = text[at];
    if (c == '%' || c == '\\' || c == '&') return true;
    unsigned char next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    return pairs_[static_cast<unsigned char>(c) * 256U + next] ||
           (c == kEllipsis[0] && text.substr(at).starts_with(kEllipsis));
}

void Redactor::add(const std::string& mark, std::string_view text, bool any_case) {
    Pattern pattern{.mark = mark, .units = {}, .in_data = text.size() >= kMinLengthInData};
    std::size_t plain = 0;
    for_each_character(text, [&](std::string_view bytes, char32_t code) {
        Unit unit{.size = static_cast<std::uint8_t>(bytes.size()), .code = code};
        std::ranges::copy(bytes, unit.bytes.begin());
        unit.is_plain = bytes.size() == 1 && is_plain(bytes[0]);
        plain += unit.is_plain ? 1 : 0;
        constexpr char kCaseBit = 'a' ^ 'A';
        bool is_letter = unit.is_plain && bytes[0] > '9';
        if (any_case && is_letter) unit.other_case = static_cast<char>(bytes[0] ^ kCaseBit);
        pattern.units.push_back(unit);
    });
    pattern.in_file_names = plain >= kMinLengthInFileNames && !text.contains('\0');
    patterns_.push_back(std::move(pattern));
}

void Redactor::add_value(const std::string& mark, const std::string& value) {
    std::set<std::string> shown{value, with_arrows(value), upper(value)}, coded;
    if (std::string text = squeezed(value); text.size() >= kMinSqueezedLength)
        shown.insert({text, upper(text)});
    if (value.size() >= kMinEncodedLength) {
        for (const std::string& way : encoded_ways(value)) {
            for (std::size_t before : {0, 1, 2}) {
                std::string core = base64_core(way, before);
                coded.insert({core, with_url_alphabet(core)});
            }
        }
        coded.insert({hex_text(value, "0123456789abcdef"), hex_text(value, "0123456789ABCDEF")});
        coded.insert(as_utf16(value));
        coded.erase("");
    }
    for (const std::string& text : shown) add(mark, text, is_distinct_in_any_case(text));
    for (const std::string& text : coded) {
        add(mark, text, false);
        patterns_.back().is_coded = true;
    }
}

std::size_t Redactor::match(const Pattern& pattern, std::string_view text, std::size_t at, std::size_t from) {
    Cursor cursor(text, at);
    for (std::size_t i = from; i < pattern.units.size(); ++i) {
        if (cursor.advance(pattern.units[i], pattern.in_file_names)) continue;
        return i - from >= kMinBeginning ? cursor.end_of_cut() : kNone;
    }
    return cursor.end();
}

// After an ellipsis, the rest of a value whose beginning was left out.
void Redactor::match_rest(std::string_view text, std::size_t at, Match& best) const {
    std::size_t after = at + kEllipsis.size();
    if (after >= text.size()) return;
    std::size_t length = std::max<std::size_t>(utf8_sequence_length(text.substr(after)), 1);
    auto begin = rests_.find(decode(text.substr(after, length)));
    if (begin == rests_.end()) return;
    for (const Rest& rest : begin->second) {
        std::size_t end = match(patterns_[rest.pattern], text, after, rest.from);
        if (end != kNone && end > best.end) best = {end, &patterns_[rest.pattern]};
    }
}

void Redactor::match(char32_t first, std::string_view text, std::size_t at, Match& best) const {
    auto begin = by_first_.find(first);
    if (begin == by_first_.end()) return;
    for (std::uint16_t i : begin->second) {
        std::size_t end = match(patterns_[i], text, at);
        if (end != kNone && end > best.end) best = {end, &patterns_[i]};
    }
}

Redactor::Match Redactor::match(std::string_view text, std::size_t at) const {
    Match best;
    std::size_t length = std::max<std::size_t>(utf8_sequence_length(text.substr(at)), 1);
    match(decode(text.substr(at, length)), text, at, best);
    switch (text[at]) {
        case '%':
        case '\\':
        case '&':
            for (char32_t code : codes_at(text, at)) match(code, text, at, best);
            break;
        case '+':
            match(' ', text, at, best);
            break;
        case kEllipsis[0]:
            if (text.substr(at).starts_with(kEllipsis)) match_rest(text, at, best);
            break;
        case '-':
        case '_':
            for (std::uint16_t i : in_file_names_) {
                std::size_t end = match(patterns_[i], text, at);
                if (end != kNone && end > best.end) best = {end, &patterns_[i]};
            }
            break;
        default:
            break;
    }
    return best;
}

bool Redactor::finds_any(std::string_view text) const {
    if (patterns_.empty()) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (may_begin(text, at) && match(text, at).pattern) return true;
    }
    return false;
}

template <class Mark>
std::string Redactor::replace(std::string text, Mark mark) const {
    if (patterns_.empty()) return text;
    std::string clean;
    std::size_t kept = 0, end = 0;  // end of the copied text, and of the last value
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!may_begin(text, at)) continue;
        Match found = match(text, at);
        // Overlapping values are removed completely.
        if (!found.pattern || found.end <= end) continue;
        if (at >= end) clean.append(text, kept, at - kept);
        clean += mark(*found.pattern);
        kept = end = found.end;
    }
    if (end == 0) return text;
    return clean.append(text, kept);
}

std::string Redactor::without_parameters(std::string text) const {
    constexpr std::string_view kBefore = "?&#;", kAfter = "&#;\"'`<>()[]{}\\ \t\r\n", kMark = "<redacted>";
    for (const std::string& name : parameters_) {
        std::string key = name + "=";
        for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
            bool is_parameter = at > 0 && kBefore.contains(text[at - 1]);
            at += key.size();
            std::size_t end = std::min(text.find_first_of(kAfter, at), text.size());
            if (!is_parameter || end == at) continue;
            text.replace(at, end - at, kMark);
            at += kMark.size();
        }
    }
    return text;
}

std::string Redactor::redact(std::string text) const {
    return without_parameters(
        replace(std::move(text), [](const Pattern& pattern) { return std::string_view(pattern.mark); }));
}

std::string Redactor::redact(std::string text, std::string_view mark) const {
    return without_parameters(replace(std::move(text), [&](const Pattern&) { return mark; }));
}

bool Redactor::changes(std::string_view text) const {
    return finds_any(text) || std::ranges::any_of(parameters_, [&](const std::string& name) {
               return text.contains(name + "=");
           });
}

std::string Redactor::redact_bytes(std::string bytes) const {
    if (!bytes.contains('\0') || is_valid_utf8(bytes)) return redact(std::move(bytes));
    if (patterns_.empty()) return bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (!may_begin(bytes, at)) continue;
        Match found = match(bytes, at);
        if (!found.pattern || !found.pattern->in_data) continue;
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  bytes.begin() + static_cast<std::ptrdiff_t>(found.end), '*');
        at = found.end - 1;
    }
    return bytes;
}

// Within a longer number, a short value is a coincidence.
bool Redactor::hides_number(std::string_view digits) const {
    if (patterns_.empty()) return false;
    if (digits.starts_with('-')) digits.remove_prefix(1);
    for (std::size_t at = 0; at < digits.size(); ++at) {
        Match found = may_begin(digits, at) ? match(digits, at) : Match();
        if (!found.pattern) continue;
        if (found.end - at == digits.size() || found.end - at >= kMinEncodedLength) return true;
    }
    return false;
}
