#include "config/dotenv.h"

#include <string>

#include "util/strings.h"

namespace config {

namespace {

bool is_name(std::string_view text) {
    for (char c : text) {
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!word && c != '_' && c != '.' && c != '-') return false;
    }
    return !text.empty();
}

std::string unescape_newlines(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool escaped = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'n' || text[i + 1] == 'r');
        if (escaped) {
            out += text[++i] == 'n' ? '\n' : '\r';
        } else {
            out += text[i];
        }
    }
    return out;
}

// Removes and returns the first line.
std::string_view take_line(std::string_view& rest) {
    std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

// Removes a value, which may be quoted, and the rest of its line; returns the value.
std::string take_value(std::string_view& rest) {
    std::size_t start = rest.find_first_not_of(" \t");
    char quote = start == std::string_view::npos ? '\0' : rest[start];
    if (quote == '"' || quote == '\'' || quote == '`') {
        std::size_t end = start + 1;
        while (end < rest.size() && (rest[end] != quote || rest[end - 1] == '\\')) ++end;
        if (end < rest.size()) {
            std::string_view inside = rest.substr(start + 1, end - start - 1);
            rest.remove_prefix(end + 1);
            take_line(rest);
            return quote == '"' ? unescape_newlines(inside) : std::string(inside);
        }
    }
    std::string_view line = take_line(rest);
    return std::string(trim(line.substr(0, line.find('#'))));
}

}  // namespace

json::object parse_dotenv(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    json::object values;
    while (!text.empty()) {
        std::size_t equals = text.find_first_of("=\n#");
        if (equals == std::string_view::npos || text[equals] != '=') {
            take_line(text);
            continue;
        }
        std::string_view name = trim(text.substr(0, equals));
        if (name.starts_with("export ")) name = trim(name.substr(7));
        text.remove_prefix(equals + 1);
        std::string value = take_value(text);
        if (is_name(name)) values[name] = value;
    }
    return values;
}

}  // namespace config
