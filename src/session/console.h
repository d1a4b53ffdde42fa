// A page's console messages, as answers and log files show them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/page.h"
#include "session/options.h"

namespace session {

struct ConsoleCounts {
    std::size_t total = 0;
    std::size_t errors = 0;
    std::size_t warnings = 0;

    bool operator==(const ConsoleCounts&) const = default;
};

// "[LOG] text @ url:line", or the stack of an uncaught error.
std::string to_text(const engine::ConsoleEntry& entry);
// Whether the message is at least as severe as `level`.
bool reaches(const engine::ConsoleEntry& entry, ConsoleLevel level);

// Counts messages since the current document began.
ConsoleCounts count_console(const engine::Page& page);

enum class ConsoleSince { Navigation, Beginning };
// The messages as lines, then the uncaught errors.
std::vector<std::string> console_lines(const engine::Page& page, ConsoleLevel level, ConsoleSince since);

}  // namespace session
