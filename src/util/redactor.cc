#include "util/redactor.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "util/strings.h"

namespace {

constexpr std::size_t kNone = std::string::npos;
// Below this, what encodes the value may well be something else.
constexpr std::size_t kLeastEncoded = 6, kLeastLowered = 8, kLeastInFileNames = 4;
constexpr std::size_t kDeepest = 4;  // encodings within encodings
constexpr std::size_t kMostBackslashes = 32;

bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The number that `digits` hexadecimal digits write; -1 for something else.
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

// What stays the same of the value's base64, whatever stands before and behind it.
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

// Names can hold what would end a JSON text that the mark is put into.
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
    while (end < text.size() && text[end] == '\\' && end - at < kMostBackslashes) ++end;
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

// The characters that the escape at this place may stand for.
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

// Where in a text the characters of a pattern may end that were matched so far.
class Redactor::Cursor {
public:
    Cursor(std::string_view text, std::size_t at) : text_(text) { ends_[count_++] = at; }

    // False when the unit follows nowhere.
    bool advance(const Unit& unit, bool in_file_names) {
        std::array<std::size_t, kMaxEnds> from;
        std::size_t many = count_;
        std::copy_n(ends_.begin(), many, from.begin());
        count_ = 0;
        for (std::size_t i = 0; i < many; ++i) read(unit, from[i], in_file_names);
        return count_ > 0;
    }
    std::size_t end() const { return *std::max_element(ends_.begin(), ends_.begin() + count_); }

private:
    static constexpr std::size_t kMaxEnds = 24;

    void add(std::size_t end) {
        if (count_ < kMaxEnds &&
            std::find(ends_.begin(), ends_.begin() + count_, end) == ends_.begin() + count_)
            ends_[count_++] = end;
    }
    bool has(std::size_t at, std::string_view text) const { return text_.substr(at).starts_with(text); }

    void read(const Unit& unit, std::size_t at, bool in_file_names) {
        if (at >= text_.size()) return;
        std::string_view bytes(unit.bytes.data(), unit.size);
        if (has(at, bytes)) add(at + bytes.size());
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
                // YAML and tables double their quotes.
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

// Most text is passed over by a look at two bytes.
void Redactor::index(std::uint16_t number) {
    const Pattern& pattern = patterns_[number];
    const Unit& first = pattern.units.front();
    by_first_[first.code].push_back(number);
    std::string begins(1, first.bytes[0]), follows = "%\\&";
    if (pattern.in_file_names && !first.is_plain) {
        in_file_names_.push_back(number);
        begins += "-_";
    }
    if (first.code == ' ') begins += '+';
    if (first.code == '"' || first.code == '\'') follows += first.bytes[0];
    if (pattern.units.size() > 1) {
        const Unit& second = pattern.units[1];
        follows += second.bytes[0];
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
    return pairs_[static_cast<unsigned char>(c) * 256U + next];
}

void Redactor::add(const std::string& mark, std::string_view text) {
    Pattern pattern{.mark = mark, .units = {}};
    std::size_t plain = 0;
    while (!text.empty()) {
        std::size_t size = std::max<std::size_t>(utf8_sequence_length(text), 1);
        Unit unit{.size = static_cast<std::uint8_t>(size), .code = decode(text.substr(0, size))};
        std::ranges::copy(text.substr(0, size), unit.bytes.begin());
        unit.is_plain = size == 1 && is_plain(text[0]);
        plain += unit.is_plain ? 1 : 0;
        pattern.units.push_back(unit);
        text.remove_prefix(size);
    }
    pattern.in_file_names = plain >= kLeastInFileNames;
    patterns_.push_back(std::move(pattern));
}

void Redactor::add_value(const std::string& mark, const std::string& value) {
    std::set<std::string> ways{value};
    if (value.size() >= kLeastLowered) ways.insert(to_lower(value));  // as part of a host's name
    if (value.size() >= kLeastEncoded) {
        for (std::size_t before : {0, 1, 2}) {
            std::string core = base64_core(value, before);
            ways.insert({core, with_url_alphabet(core)});
        }
        ways.insert({hex_text(value, "0123456789abcdef"), hex_text(value, "0123456789ABCDEF")});
    }
    for (const std::string& text : ways) add(mark, text);
}

std::size_t Redactor::match(const Pattern& pattern, std::string_view text, std::size_t at) {
    Cursor cursor(text, at);
    for (const Unit& unit : pattern.units) {
        if (!cursor.advance(unit, pattern.in_file_names)) return kNone;
    }
    return cursor.end();
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
    if (empty()) return false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (may_begin(text, at) && match(text, at).pattern) return true;
    }
    return false;
}

template <class Mark>
std::string Redactor::replace(std::string text, Mark mark) const {
    if (empty()) return text;
    std::string clean;
    std::size_t kept = 0, end = 0;  // what is copied so far, and where the last value ends
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!may_begin(text, at)) continue;
        Match found = match(text, at);
        // Of values that overlap, nothing stays.
        if (!found.pattern || found.end <= end) continue;
        if (at >= end) clean.append(text, kept, at - kept);
        clean += mark(*found.pattern);
        kept = end = found.end;
    }
    if (end == 0) return text;
    return clean.append(text, kept);
}

std::string Redactor::redact(std::string text) const {
    return replace(std::move(text), [](const Pattern& pattern) { return std::string_view(pattern.mark); });
}

std::string Redactor::redact(std::string text, std::string_view mark) const {
    return replace(std::move(text), [&](const Pattern&) { return mark; });
}

json::value Redactor::redact_all(json::value value) const {
    if (empty()) return value;
    if (json::array* items = value.if_array()) {
        for (json::value& item : *items) item = redact_all(std::move(item));
    } else if (json::object* members = value.if_object()) {
        json::object clean;
        for (auto& member : *members)
            clean[redact(std::string(member.key()))] = redact_all(std::move(member.value()));
        value = std::move(clean);
    } else if (value.is_string()) {
        value = redact(std::string(value.get_string()));
    } else if (value.is_number()) {
        std::string digits = json::serialize(value);
        if (finds_any(digits)) value = redact(std::move(digits));
    }
    return value;
}
