#include "record/console_text.h"

#include <charconv>

#include "util/strings.h"

namespace record {
namespace {

using Level = tools::NotedMessage::Level;

constexpr std::string_view kDigits = "0123456789";

std::optional<int> to_number(std::string_view text) {
    int number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Level> level_of(std::string_view name) {
    if (name == "ERROR" || name == "ASSERT") return Level::Error;
    if (name == "WARNING" || name == "WARN") return Level::Warning;
    if (name == "DEBUG" || name == "TRACE" || name == "VERBOSE") return Level::Debug;
    bool is_word = !name.empty() && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == name.npos;
    return is_word ? std::optional(Level::Info) : std::nullopt;
}

// Removes "[...] " from the front; nothing when it is missing.
std::optional<std::string_view> take_bracket(std::string_view& line) {
    std::size_t end = line.starts_with('[') ? line.find("] ") : line.npos;
    if (end == line.npos) return std::nullopt;
    std::string_view inside = line.substr(1, end - 1);
    line.remove_prefix(end + 2);
    return inside;
}

// "text @ http://host/page.js:12"
void take_place(tools::NotedMessage& message) {
    std::size_t at = message.text.rfind(" @ "), colon = message.text.rfind(':');
    if (at == std::string::npos || colon == std::string::npos || colon < at) return;
    auto line = to_number(std::string_view(message.text).substr(colon + 1));
    if (!line) return;
    message.url = message.text.substr(at + 3, colon - at - 3);
    message.line = *line;
    message.text.resize(at);
}

bool is_time(std::string_view bracket) {
    return bracket.ends_with("ms") &&
           trim(bracket.substr(0, bracket.size() - 2)).find_first_not_of(kDigits) == std::string_view::npos;
}

// "[     120ms] [ERROR] text @ url:0": only files have the time, and exceptions of a page have no level.
std::optional<tools::NotedMessage> read_line(std::string_view line) {
    auto bracket = take_bracket(line);
    bool timed = bracket && is_time(*bracket);
    std::string_view text = line;
    if (timed) bracket = take_bracket(text);
    auto level = bracket ? level_of(*bracket) : std::nullopt;
    if (!level && !timed) return std::nullopt;
    tools::NotedMessage message{.level = level.value_or(Level::Error),
                                .text = std::string(level ? text : line),
                                .time = std::chrono::system_clock::now()};
    take_place(message);
    return message;
}

}  // namespace

std::optional<LinkedLines> linked_console(std::string_view text) {
    constexpr std::string_view kEvent = "\n- New console entries: ", kBegin = "console-", kEnd = ".log";
    std::size_t at = text.rfind(kEvent);
    if (at == text.npos) return std::nullopt;
    std::string_view link = text.substr(at + kEvent.size());
    link = link.substr(0, link.find('\n'));
    std::size_t hash = link.rfind("#L");
    if (hash == link.npos) return std::nullopt;
    std::string_view file = link.substr(0, hash), lines = link.substr(hash + 2);
    std::size_t dash = lines.find("-L");
    auto first = to_number(lines.substr(0, dash));
    auto last = dash == lines.npos ? first : to_number(lines.substr(dash + 2));
    std::string_view name = file.substr(file.rfind('/') + 1);
    if (!first || !last || !name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
    std::string_view time = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    if (time.find_first_not_of("0123456789TZ-") != time.npos) return std::nullopt;
    return LinkedLines{std::string(file), *first, *last};
}

std::vector<tools::NotedMessage> read_console(std::string_view text) {
    std::vector<tools::NotedMessage> messages;
    for (const std::string& line : split(text, '\n')) {
        if (line.starts_with("### ")) {
            if (!messages.empty()) break;  // the next section
        } else if (auto message = read_line(line)) {
            messages.push_back(std::move(*message));
        } else if (!messages.empty() && !line.empty()) {
            messages.back().text += "\n" + line;  // a stack, or a text of several lines
        }
    }
    return messages;
}

std::vector<tools::NotedMessage> read_console(std::string_view file_text, const LinkedLines& lines) {
    std::string wanted;
    int number = 0;
    for (const std::string& line : split(file_text, '\n'))
        if (++number >= lines.first && number <= lines.last) wanted += line + "\n";
    return read_console(wanted);
}

}  // namespace record
