#include "session/console.h"

#include <algorithm>
#include <array>

namespace session {
namespace {

ConsoleLevel level_of(std::string_view type) {
    static constexpr std::array<std::string_view, 8> kDebug = {
        "clear", "debug", "endGroup", "profile", "profileEnd", "startGroup", "startGroupCollapsed", "trace"};
    if (type == "assert" || type == "error") return ConsoleLevel::Error;
    if (type == "warning") return ConsoleLevel::Warning;
    if (std::find(kDebug.begin(), kDebug.end(), type) != kDebug.end()) return ConsoleLevel::Debug;
    return ConsoleLevel::Info;
}

std::string upper(std::string_view text) {
    std::string raised(text);
    for (char& c : raised) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    }
    return raised;
}

}  // namespace

std::string to_text(const engine::ConsoleEntry& entry) {
    if (entry.uncaught) return entry.stack.empty() ? entry.text : entry.stack;
    return "[" + upper(entry.type) + "] " + entry.text + " @ " + entry.url + ":" + std::to_string(entry.line);
}

bool reaches(const engine::ConsoleEntry& entry, ConsoleLevel level) {
    return (entry.uncaught ? ConsoleLevel::Error : level_of(entry.type)) <= level;
}

ConsoleCounts count_console(const engine::Page& page) {
    ConsoleCounts counts;
    const auto& entries = page.console();
    for (std::size_t i = std::min(page.console_since_navigation(), entries.size()); i < entries.size(); ++i) {
        ++counts.total;
        if (entries[i].uncaught || entries[i].type == "error")
            ++counts.errors;
        else if (entries[i].type == "warning")
            ++counts.warnings;
    }
    return counts;
}

std::vector<std::string> console_lines(const engine::Page& page, ConsoleLevel level, ConsoleSince since) {
    std::vector<std::string> lines;
    const auto& entries = page.console();
    std::size_t first =
        since == ConsoleSince::Beginning ? 0 : std::min(page.console_since_navigation(), entries.size());
    for (bool uncaught : {false, true}) {
        for (std::size_t i = first; i < entries.size(); ++i) {
            if (entries[i].uncaught == uncaught && reaches(entries[i], level))
                lines.push_back(to_text(entries[i]));
        }
    }
    return lines;
}

}  // namespace session
