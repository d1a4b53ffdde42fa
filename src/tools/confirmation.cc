#include "tools/confirmation.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>

#include "util/crypto.h"
#include "util/strings.h"

namespace tools {
namespace {

constexpr std::size_t kMaxWhole = 16 << 10;  // of all arguments together
constexpr std::size_t kMaxShort = 200;
constexpr std::size_t kShownEnd = 1'000;
constexpr std::size_t kMaxAddresses = 40, kMaxAddress = 200;

struct Argument {
    std::string name;
    std::string value;  // as JSON
};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string_view beginning(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    while (max > 0 && is_continuation(text[max])) --max;
    return text.substr(0, max);
}

std::string_view ending(std::string_view text, std::size_t max) {
    if (text.size() <= max) return text;
    std::size_t start = text.size() - max;
    while (start < text.size() && is_continuation(text[start])) ++start;
    return text.substr(start);
}

// Control characters, invisible characters, and characters that change the direction of the text after them.
bool is_deceptive(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x115F || c == 0x1160 ||
           c == 0x3164 || c == 0xFFA0 || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) ||
           c == 0xFEFF || (c >= 0xE0000 && c <= 0xE0FFF);
}

// The text on one line, as it is shown to a person: every name and value in a question goes through this.
std::string without_deception(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        auto first = static_cast<unsigned char>(text[i]);
        std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        std::uint32_t c = length == 1 ? first : first & (0xFFU >> (length + 1));
        for (std::size_t j = 1; j < length && i + j < text.size(); ++j)
            c = c << 6 | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
        if (is_deceptive(c)) {
            char escaped[16];
            std::snprintf(escaped, sizeof escaped, "\\u{%X}", c);
            plain += escaped;
        } else {
            plain += text.substr(i, length);
        }
        i += length;
    }
    return plain;
}

// The addresses in the text: everything written as scheme://….
std::vector<std::string> addresses_in(std::string_view text) {
    std::set<std::string> seen;
    std::vector<std::string> found;
    for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
        std::size_t start = at;
        auto is_scheme = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+';
        };
        while (start > 0 && is_scheme(text[start - 1])) --start;
        std::size_t end = std::min(text.find_first_of(" \t\"'`<>\\)", at + 3), text.size());
        std::string address(beginning(text.substr(start, end - start), kMaxAddress));
        if (found.size() < kMaxAddresses && seen.insert(address).second) found.push_back(std::move(address));
    }
    return found;
}

std::string digest(const Argument& argument) {
    std::string text = argument.name + ": " + std::to_string(argument.value.size()) + " bytes, SHA-256 " +
                       hex_encode(sha256(argument.value));
    if (auto addresses = addresses_in(argument.value); !addresses.empty())
        text += "\n  addresses in it: " + without_deception(join(addresses, " "));
    return text + "\n  begins: " + without_deception(beginning(argument.value, kShownEnd)) +
           "\n  ends: " + without_deception(ending(argument.value, kShownEnd));
}

std::vector<Argument> short_ones_first(const json::value& arguments) {
    std::vector<Argument> all;
    if (const json::object* members = arguments.if_object()) {
        for (const auto& [name, value] : *members)
            all.push_back({without_deception(name), json::serialize(value)});
    }
    std::ranges::sort(all, {}, [](const Argument& each) {
        return std::pair{each.value.size(), std::string_view(each.name)};
    });
    return all;
}

}  // namespace

std::string confirmation_text(const Tool& tool, const json::value& arguments, const policy::Subject& who) {
    // A page chooses the titles of its tools, so they must not appear in the server's question.
    bool has_title = !tool.title.empty() && tool.capability != "webmcp";
    std::string text = "Allow " + without_deception(tool.name) +
                       (has_title ? " (" + without_deception(tool.title) + ")" : "") +
                       (who.session.empty() ? "" : " in the session " + without_deception(who.session)) + "?";
    std::vector<Argument> all = short_ones_first(arguments);
    if (all.empty()) return text + " It has no arguments.";
    std::size_t size = 0;
    for (const Argument& each : all) size += each.name.size() + each.value.size();
    for (const Argument& each : all) {
        bool whole = size <= kMaxWhole || each.value.size() <= kMaxShort;
        text += "\n" + (whole ? each.name + ": " + without_deception(each.value) : digest(each));
    }
    // Many short arguments can hide something as well as a long one.
    if (text.size() > 2 * kMaxWhole)
        text = std::string(beginning(text, kMaxWhole)) + "\n… " + std::to_string(text.size() - kMaxWhole) +
               " more bytes of " + std::to_string(all.size()) +
               " arguments, too many to show: decline unless you know what they are.";
    return text;
}

}  // namespace tools
