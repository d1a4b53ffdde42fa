#include "tools/source_text.h"

#include <algorithm>
#include <vector>

#include "util/strings.h"

namespace tools {

std::string quote(std::string_view text, char mark) {
    std::string escaped;
    json::append_string(escaped, text);
    std::string quoted(1, mark);
    for (std::size_t i = 1; i + 1 < escaped.size(); ++i) {
        bool pair = escaped[i] == '\\';
        char c = pair ? escaped[++i] : escaped[i];
        if (c == mark || (pair && c != '"')) quoted += '\\';
        quoted += c;
    }
    return quoted + mark;
}

std::string to_javascript(const json::value& value, Layout layout) {
    if (const auto* text = value.if_string()) return quote(*text);
    if (const auto* elements = value.if_array()) {
        std::vector<std::string> parts;
        for (const json::value& element : *elements) parts.push_back(to_javascript(element));
        return "[" + join(parts, ", ") + "]";
    }
    const auto* members = value.if_object();
    if (!members) return json::serialize(value);
    std::vector<std::string> keys;
    for (const auto& [key, member] : *members) keys.emplace_back(key);
    if (keys.empty()) return "{}";
    std::sort(keys.begin(), keys.end());
    bool lines = layout == Layout::Lines;
    std::vector<std::string> parts;
    for (const std::string& key : keys) {
        parts.push_back((lines ? "  " : "") + key + ": " + to_javascript(members->at(key)));
    }
    return lines ? "{\n" + join(parts, ",\n") + "\n}" : "{ " + join(parts, ", ") + " }";
}

std::string to_javascript(double number) {
    json::value value = number;
    if (auto whole = json::as_integer(value)) value = *whole;
    return json::serialize(value);
}

}  // namespace tools
