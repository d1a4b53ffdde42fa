#include "util/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <boost/json/parse_options.hpp>
#include <boost/json/stream_parser.hpp>

#include "util/strings.h"

namespace json {

namespace {

struct Parsed {
    value result;
    boost::json::error_code error;
    std::size_t used;
};

Parsed parse_once(std::string_view text, int depth) {
    boost::json::parse_options options;
    options.max_depth = static_cast<std::size_t>(depth);
    boost::json::stream_parser parser({}, options);
    boost::json::error_code error;
    std::size_t used = parser.write_some(text.data(), text.size(), error);
    if (!error && used < text.size()) error = boost::json::error::extra_data;
    if (!error) parser.finish(error);
    return {error ? value(nullptr) : parser.release(), error, std::min(used, text.size())};
}

// The code unit of an escape \uXXXX at the beginning of the text.
std::optional<unsigned> code_unit(std::string_view text) {
    constexpr std::size_t kLength = 6;
    if (text.size() < kLength || !text.starts_with("\\u")) return std::nullopt;
    unsigned unit = 0;
    const char* end = text.data() + kLength;
    auto [at, error] = std::from_chars(text.data() + 2, end, unit, 16);
    if (error != std::errc() || at != end) return std::nullopt;
    return unit;
}

// Returns the text with every escaped lone surrogate replaced.
std::string with_whole_pairs(std::string_view text) {
    auto is_first = [](unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; };
    auto is_second = [](unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; };
    std::string whole(text);
    for (std::size_t i = 0; (i = whole.find('\\', i)) != std::string::npos;) {
        std::string_view rest = std::string_view(whole).substr(i);
        std::optional<unsigned> unit = code_unit(rest);
        if (!unit) {
            i += 2;
            continue;
        }
        std::optional<unsigned> next = is_first(*unit) ? code_unit(rest.substr(6)) : std::nullopt;
        bool is_pair = next && is_second(*next);
        if (!is_pair && (is_first(*unit) || is_second(*unit))) whole.replace(i, 6, "\\ufffd");
        i += is_pair ? 12 : 6;
    }
    return whole;
}

}  // namespace

// JavaScript's strings may contain lone surrogates and UTF-8 cannot: they become U+FFFD. Only texts that fail
// to parse are searched for them.
Result<value> parse(std::string_view text, int depth) {
    Parsed parsed = parse_once(text, depth);
    std::string whole;
    if (parsed.error && (text.contains("\\ud") || text.contains("\\uD"))) {
        whole = with_whole_pairs(text);
        text = whole;
        parsed = parse_once(text, depth);
    }
    if (!parsed.error) return std::move(parsed.result);
    std::size_t at = parsed.used;
    auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    std::size_t line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = "Invalid JSON at line " + std::to_string(line) + ", column " +
                   std::to_string(at - std::min(line_start, at) + 1) + ": " + parsed.error.message() + ".",
    };
}

namespace {

// Prints numbers like JavaScript, because clients compare such texts: 1.0 is 1, 0.0001 keeps its zeros.
void append_number(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    double size = std::fabs(number);
    bool fixed = number == 0 || (size >= 1e-6 && size < 1e21);
    char digits[64];
    auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
    std::string text(digits,
                     std::to_chars(digits, digits + sizeof digits, number == 0 ? 0.0 : number, format).ptr);
    std::size_t exponent = text.find('e');
    // JavaScript writes "1e-07" as "1e-7".
    if (exponent != std::string::npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
    out += text;
}

void append(std::string& out, const value& from);

void append_members(std::string& out, const object& from) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : from) {
        if (!first) out += ',';
        first = false;
        append_string(out, key);
        out += ':';
        append(out, member);
    }
    out += '}';
}

void append(std::string& out, const value& from) {
    switch (from.kind()) {
        case kind::null:
            out += "null";
            break;
        case kind::bool_:
            out += from.get_bool() ? "true" : "false";
            break;
        case kind::int64:
            out += std::to_string(from.get_int64());
            break;
        case kind::uint64:
            out += std::to_string(from.get_uint64());
            break;
        case kind::double_:
            append_number(out, from.get_double());
            break;
        case kind::string:
            append_string(out, from.get_string());
            break;
        case kind::object:
            append_members(out, from.get_object());
            break;
        case kind::array: {
            out += '[';
            bool first = true;
            for (const value& element : from.get_array()) {
                if (!first) out += ',';
                first = false;
                append(out, element);
            }
            out += ']';
            break;
        }
    }
}

void append_pretty(std::string& out, const value& from, int indent) {
    auto new_line = [&](int level) { out.append("\n").append(static_cast<std::size_t>(level) * 2, ' '); };
    if (const auto* members = from.if_object(); members && !members->empty()) {
        out += '{';
        bool first = true;
        for (const auto& [key, member] : *members) {
            if (!first) out += ',';
            first = false;
            new_line(indent + 1);
            append_string(out, key);
            out += ": ";
            append_pretty(out, member, indent + 1);
        }
        new_line(indent);
        out += '}';
    } else if (const auto* elements = from.if_array(); elements && !elements->empty()) {
        out += '[';
        bool first = true;
        for (const value& element : *elements) {
            if (!first) out += ',';
            first = false;
            new_line(indent + 1);
            append_pretty(out, element, indent + 1);
        }
        new_line(indent);
        out += ']';
    } else {
        append(out, from);
    }
}

}  // namespace

std::string serialize(const value& from) {
    std::string out;
    append(out, from);
    return out;
}

std::string pretty(const value& from) {
    std::string out;
    append_pretty(out, from, 0);
    return out;
}

void append_string(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size();) {
        auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
            ++i;
            continue;
        }
        if (byte >= 0x80) {
            if (std::size_t length = utf8_sequence_length(text.substr(i)); length > 0) {
                i += length;
                continue;
            }
        }
        out.append(text, copied, i - copied);
        switch (byte) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            default:
                if (byte < 0x20) {
                    out += "\\u00";
                    out += kHex[byte >> 4];
                    out += kHex[byte & 15];
                } else {
                    out += "\xEF\xBF\xBD";
                }
        }
        copied = ++i;
    }
    out.append(text, copied, text.size() - copied);
    out += '"';
}

void append_plain(std::string& out, std::string_view text) {
    out += '"';
    out += text;
    out += '"';
}

const value* find(const object& from, std::string_view key) { return from.if_contains(key); }

const value* find(const value& from, std::string_view key) {
    const auto* members = from.if_object();
    return members ? members->if_contains(key) : nullptr;
}

const value* find_path(const value& from, std::initializer_list<std::string_view> path) {
    const value* at = &from;
    for (std::string_view key : path) {
        at = find(*at, key);
        if (!at) return nullptr;
    }
    return at;
}

const object* find_object(const object& from, std::string_view key) {
    const value* member = from.if_contains(key);
    return member ? member->if_object() : nullptr;
}

const array* find_array(const object& from, std::string_view key) {
    const value* member = from.if_contains(key);
    return member ? member->if_array() : nullptr;
}

std::optional<std::string_view> find_string(const object& from, std::string_view key) {
    const value* member = from.if_contains(key);
    if (!member || !member->is_string()) return std::nullopt;
    return std::string_view(member->get_string());
}

std::optional<bool> find_bool(const object& from, std::string_view key) {
    const value* member = from.if_contains(key);
    if (!member || !member->is_bool()) return std::nullopt;
    return member->get_bool();
}

std::optional<std::int64_t> as_integer(const value& from) {
    if (from.is_int64()) return from.get_int64();
    if (from.is_uint64() && from.get_uint64() <= INT64_MAX)
        return static_cast<std::int64_t>(from.get_uint64());
    if (from.is_double()) {
        double number = from.get_double();
        if (std::nearbyint(number) == number && std::fabs(number) < 9.2e18)
            return static_cast<std::int64_t>(number);
    }
    return std::nullopt;
}

std::optional<std::int64_t> find_integer(const object& from, std::string_view key) {
    const value* member = from.if_contains(key);
    return member ? as_integer(*member) : std::nullopt;
}

std::string_view type_name(const value& from) {
    switch (from.kind()) {
        case kind::null:
            return "null";
        case kind::bool_:
            return "boolean";
        case kind::int64:
        case kind::uint64:
            return "integer";
        case kind::double_:
            return "number";
        case kind::string:
            return "string";
        case kind::array:
            return "array";
        case kind::object:
            return "object";
    }
    return "null";
}

}  // namespace json
