#include "util/strings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t start = 0;;) {
        std::size_t end = text.find(separator, start);
        parts.emplace_back(text.substr(start, end - start));
        if (end == std::string_view::npos) return parts;
        start = end + 1;
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string joined;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) joined += separator;
        joined += part;
    }
    return joined;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t i = 0; (i = text.find(what, i)) != std::string::npos; i += by.size())
        text.replace(i, what.size(), by);
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n\f\v";
    std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

namespace {
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
}  // namespace

std::string to_lower(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
    return lowered;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t utf8_sequence_length(std::string_view text) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) return 0;
    unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    // Rejects overlong forms, surrogates and code points past U+10FFFF.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return length;
}

bool is_valid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = utf8_sequence_length(text.substr(i));
        if (length == 0) return false;
        i += length;
    }
    return true;
}

std::string well_formed(std::string text) {
    if (is_valid_utf8(text)) return text;
    std::string formed;
    for (std::size_t i = 0; i < text.size();) {
        std::string_view rest = std::string_view(text).substr(i);
        std::size_t length = utf8_sequence_length(rest);
        bool half_pair =
            rest.size() >= 3 && rest[0] == '\xED' && (rest[1] & 0xE0) == 0xA0 && (rest[2] & 0xC0) == 0x80;
        if (length > 0)
            formed += rest.substr(0, length);
        else
            formed += "\xEF\xBF\xBD";
        i += length > 0 ? length : half_pair ? 3 : 1;
    }
    return formed;
}

bool matches_glob(std::string_view text, std::string_view pattern) {
    std::size_t t = 0, p = 0, star = std::string_view::npos, star_text = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

namespace {

// Two letters in the wrong order are one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before, above, row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            auto same = [&](std::size_t x, std::size_t y) { return lower(a[x - 1]) == lower(b[y - 1]); };
            row[j] = std::min({above[j - 1] + (same(i, j) ? 0 : 1), above[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& candidates) {
    if (typed.size() > 200) return {};
    std::string best;
    // Two changes make any other word of a very short one.
    std::size_t best_distance = (typed.size() < 4 ? 1 : std::max<std::size_t>(2, typed.size() / 3)) + 1;
    for (const std::string& candidate : candidates) {
        std::size_t distance = edit_distance(typed, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

namespace {
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> base64_values() {
    std::array<int, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kBase64.size(); ++i)
        values[static_cast<unsigned char>(kBase64[i])] = static_cast<int>(i);
    values['-'] = 62;
    values['_'] = 63;
    return values;
}
constexpr auto kBase64Values = base64_values();
}  // namespace

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        auto byte = [&](std::size_t k) -> unsigned {
            return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0;
        };
        unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
        text += kBase64[group >> 18];
        text += kBase64[group >> 12 & 63];
        text += i + 1 < bytes.size() ? kBase64[group >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? kBase64[group & 63] : '=';
    }
    return text;
}

Result<std::string> base64_decode(std::string_view text) {
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    if (text.size() % 4 == 1)
        return Error{.code = ErrorCode::InvalidArgument, .message = "Base64 text is cut short."};
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    unsigned group = 0;
    int bits = 0;
    for (char c : text) {
        int value = kBase64Values[static_cast<unsigned char>(c)];
        if (value < 0) {
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = std::string("Base64 text holds the character '") + c + "'."};
        }
        group = group << 6 | static_cast<unsigned>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes += static_cast<char>(group >> bits & 0xFF);
        }
    }
    return bytes;
}

std::string hex_encode(std::string_view bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (unsigned char byte : bytes) {
        text += kHex[byte >> 4];
        text += kHex[byte & 15];
    }
    return text;
}

std::string percent_encode(std::string_view text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string encoded;
    for (char c : text) {
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                     c == '.' || c == '_' || c == '~';
        if (plain) {
            encoded += c;
        } else {
            auto byte = static_cast<unsigned char>(c);
            encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
        }
    }
    return encoded;
}

std::string percent_decode(std::string_view text) {
    auto from_hex = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool escape =
            text[i] == '%' && i + 2 < text.size() && from_hex(text[i + 1]) >= 0 && from_hex(text[i + 2]) >= 0;
        decoded += escape ? static_cast<char>(from_hex(text[i + 1]) * 16 + from_hex(text[i + 2])) : text[i];
        if (escape) i += 2;
    }
    return decoded;
}

std::string escape_html(std::string_view text) {
    std::string escaped;
    for (char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}
