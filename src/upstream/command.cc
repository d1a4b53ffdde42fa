#include "upstream/command.h"

#include <optional>

namespace upstream {
namespace {

Error bad_command(std::string message) {
    return {.code = ErrorCode::InvalidArgument,
            .message = "upstream.command: " + std::move(message),
            .hint = R"(Write it as a shell would take it, or as a list: ["npx", "-y", "@playwright/mcp"].)"};
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view line) {
    std::vector<std::string> words;
    std::optional<std::string> word;  // "" is a word, nullopt is no word
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (quote == 0 && is_space(c)) {
            if (word) words.push_back(*std::exchange(word, std::nullopt));
            continue;
        }
        if (!word) word.emplace();
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == '\\' && quote != '\'') {
            if (++i == line.size()) return bad_command("there is nothing behind the last backslash.");
            // Between double quotes a backslash is literal, except before a character that it can escape.
            bool hides = quote == 0 || line[i] == '"' || line[i] == '\\' || line[i] == '$' || line[i] == '`';
            if (!hides) *word += '\\';
            *word += line[i];
        } else {
            *word += c;
        }
    }
    if (quote != 0) return bad_command(std::string("a ") + quote + " is never closed.");
    if (word) words.push_back(std::move(*word));
    if (words.empty()) return bad_command("it is empty.");
    return words;
}

Result<std::vector<std::string>> parse_command(const json::value& setting) {
    if (setting.is_string()) return split_command(setting.get_string());
    const json::array* list = setting.if_array();
    if (!list) return bad_command("it must be a string or a list of strings.");
    std::vector<std::string> words;
    for (const json::value& word : *list) {
        if (!word.is_string()) return bad_command("every element of the list must be a string.");
        words.emplace_back(word.get_string());
    }
    if (words.empty() || words[0].empty()) return bad_command("it is empty.");
    return words;
}

}  // namespace upstream
