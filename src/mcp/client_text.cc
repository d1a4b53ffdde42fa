#include "mcp/client_text.h"

namespace mcp {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

// Returns the position after the string that opens at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (std::size_t quote = at + 1;; ++quote) {
        quote = text.find('"', quote);
        if (quote == std::string_view::npos) return text.size();
        std::size_t backslashes = 0;
        while (text[quote - 1 - backslashes] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
    }
}

// Returns the position after the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        char c = text[at];
        if (c == '"') {
            at = end_of_string(text, at);
            if (depth == 0) return at;
            continue;
        }
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return at;
            if (--depth == 0) return at + 1;
        } else if (depth == 0 && (c == ',' || is_space(c))) {
            return at;
        }
        ++at;
    }
    return at;
}

}  // namespace

std::string_view member_text(std::string_view object, std::string_view key) {
    std::string_view found;
    std::size_t at = skip_spaces(object, 0);
    if (at == object.size() || object[at] != '{') return found;
    for (at = skip_spaces(object, at + 1); at < object.size() && object[at] == '"';) {
        std::size_t key_end = end_of_string(object, at);
        std::string_view name = object.substr(at + 1, key_end - at - 2);
        at = skip_spaces(object, key_end);
        if (at == object.size()) break;
        at = skip_spaces(object, at + 1);
        std::size_t value_end = end_of_value(object, at);
        if (name == key) found = object.substr(at, value_end - at);
        at = skip_spaces(object, value_end);
        if (at == object.size() || object[at] != ',') break;
        at = skip_spaces(object, at + 1);
    }
    return found;
}

std::vector<std::string_view> element_texts(std::string_view array) {
    std::vector<std::string_view> elements;
    std::size_t at = skip_spaces(array, 0);
    if (at == array.size() || array[at] != '[') return elements;
    for (at = skip_spaces(array, at + 1); at < array.size() && array[at] != ']';) {
        std::size_t end = end_of_value(array, at);
        if (end == at) break;
        elements.push_back(array.substr(at, end - at));
        at = skip_spaces(array, end);
        if (at == array.size() || array[at] != ',') break;
        at = skip_spaces(array, at + 1);
    }
    return elements;
}

}  // namespace mcp
