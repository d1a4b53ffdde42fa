#include "session/failure.h"

#include <algorithm>

#include "util/strings.h"

namespace session {
namespace {

constexpr std::string_view kCallLog = "\nCall log:\n";

// Each line of the text as an entry; lines that are entries already stay as they are.
std::string call_log(std::string_view text) {
    std::string log;
    for (const std::string& line : split(text, '\n')) {
        if (trim(line).empty()) continue;
        log += (log.empty() ? "" : "\n") + std::string(trim(line).starts_with("- ") ? "" : "  - ") + line;
    }
    return log.empty() ? log : std::string(kCallLog) + log;
}

// What an engine's timeout error tells beyond that it was one.
std::string_view reason_of(std::string_view message) {
    std::size_t log = message.find(kCallLog);
    if (log != std::string_view::npos) return message.substr(log + kCallLog.size());
    return message.contains("ms exceeded.") ? std::string_view() : message;
}

// Whether the text begins as a JavaScript error prints: "TypeError: …".
bool names_an_error(std::string_view text) {
    std::string_view name = text.substr(0, std::min(text.find(": "), text.size()));
    auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return name.ends_with("Error") && name.size() < text.size() &&
           std::all_of(name.begin(), name.end(), is_letter);
}

}  // namespace

Error in_playwright_words(Error error, const Operation& operation) {
    std::string name(operation.name);
    if (error.code == ErrorCode::Cancelled || error.code == ErrorCode::InternalError) return error;
    if (error.code == ErrorCode::Timeout && operation.limit.count() > 0) {
        std::string reason(operation.log.empty() ? reason_of(error.message) : operation.log);
        error.message =
            name + ": Timeout " + std::to_string(operation.limit.count()) + "ms exceeded." + call_log(reason);
        return error;
    }
    if (!error.message.starts_with(name + ": ")) error.message.insert(0, name + ": ");
    error.message += call_log(operation.log);
    return error;
}

std::string to_text(const Error& error) {
    std::string text = error.message;
    if (!names_an_error(text))
        text.insert(0, error.code == ErrorCode::Timeout ? "TimeoutError: " : "Error: ");
    if (!error.hint.empty()) text += "\n" + error.hint;
    return text;
}

}  // namespace session
