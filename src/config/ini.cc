#include "config/ini.h"

#include "util/json.h"
#include "util/strings.h"

namespace config {

namespace {

bool begins_comment(char c) { return c == '#' || c == ';'; }

Error invalid(int line, std::string_view what, std::string hint = {}) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = std::to_string(line) + ": " + std::string(what),
        .hint = std::move(hint),
    };
}

std::string_view without_comment(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool after_space = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t';
        if (begins_comment(text[i]) && after_space) return trim(text.substr(0, i));
    }
    return trim(text);
}

// Returns the position of the quote that closes text[0], or npos.
std::size_t end_of_quote(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\' && text[0] == '"') {
            ++i;
        } else if (text[i] == text[0]) {
            return i;
        }
    }
    return std::string_view::npos;
}

Result<void> read_value(std::string_view text, IniEntry& entry) {
    text = trim(text);
    if (!text.starts_with('"') && !text.starts_with('\'')) {
        entry.value = without_comment(text);
        return ok();
    }
    std::size_t end = end_of_quote(text);
    if (end == std::string_view::npos) return invalid(entry.line, "a quote that does not end.");
    if (!without_comment(text.substr(end + 1)).empty()) {
        return invalid(entry.line, "text behind the closing quote.");
    }
    entry.quoted = true;
    entry.value = text.substr(1, end - 1);
    if (text[0] == '"') {
        auto unescaped = json::parse(text.substr(0, end + 1));
        // Windows paths have escapes that JSON does not have: then the text is taken literally.
        if (unescaped && unescaped->is_string()) entry.value = unescaped->get_string();
    }
    return ok();
}

}  // namespace

Result<std::vector<IniEntry>> parse_ini(std::string_view text) {
    std::vector<IniEntry> entries;
    std::string section;
    int number = 0;
    for (const std::string& raw : split(text, '\n')) {
        ++number;
        std::string_view line = trim(raw);
        if (line.empty() || begins_comment(line[0])) continue;
        if (line[0] == '[') {
            line = without_comment(line);
            if (!line.ends_with(']')) return invalid(number, "a section without its closing bracket.");
            section = trim(line.substr(1, line.size() - 2));
            if (!section.empty()) section += '.';
            continue;
        }
        std::size_t equals = line.find('=');
        std::string_view key = trim(line.substr(0, equals));
        if (equals == std::string_view::npos || key.empty()) {
            return invalid(number, "expected key = value.",
                           "Lines of a file that does not begin with { are read as INI.");
        }
        // "args[] = --a" appends to a list, as repeating the key does anyway.
        if (key.ends_with("[]")) key = trim(key.substr(0, key.size() - 2));
        IniEntry entry{.key = section + std::string(key), .line = number};
        TRY(read_value(line.substr(equals + 1), entry));
        entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace config
