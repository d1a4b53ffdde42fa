#include "session/failure.h"

#include <algorithm>

#include "util/strings.h"

namespace session {
namespace {

constexpr std::string_view kCallLog = "\nCall log:\n";

// "- …", or "10 × …" for a repeated step.
bool is_entry(std::string_view line) {
    std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return line.starts_with("- ") || (digits > 0 && line.substr(digits).starts_with(" × "));
}

// Each line of the text as an entry; lines that are entries already stay as they are.
std::string call_log(std::string_view text) {
    std::string log;
    for (const std::string& line : split(text, '\n')) {
        if (trim(line).empty()) continue;
        log += (log.empty() ? "" : "\n") + std::string(is_entry(trim(line)) ? "" : "  - ") + line;
    }
    return log.empty() ? log : std::string(kCallLog) + log;
}

// The reason in an engine's timeout error, beyond the timeout itself.
std::string_view reason_of(std::string_view message) {
    std::size_t log = message.find(kCallLog);
    if (log != std::string_view::npos) return message.substr(log + kCallLog.size());
    return message.contains("ms exceeded.") ? std::string_view() : message;
}

// The " Cause: …." part of a timeout error.
std::string_view cause_of(std::string_view message) {
    constexpr std::string_view kExceeded = "ms exceeded.";
    std::size_t at = message.find(kExceeded);
    if (at == std::string_view::npos) return {};
    at += kExceeded.size();
    return message.substr(at, std::min(message.find(kCallLog, at), message.size()) - at);
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
        error.message = name + ": Timeout " + std::to_string(operation.limit.count()) + "ms exceeded." +
                        std::string(cause_of(error.message)) + call_log(reason);
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
