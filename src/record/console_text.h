// Console messages as Playwright's server prints them: in an answer, or in a file that an answer links to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/page_note.h"

namespace record {

// Lines of a file, counted from 1.
struct LinkedLines {
    std::string file;  // as the answer names it
    int first = 0, last = 0;
};

// The new entries that an answer's events link to; nothing unless the file is named as console logs are. What
// a page says may look like an event, and must not lead to other files.
std::optional<LinkedLines> linked_console(std::string_view text);

// The messages of a text; other lines that stand before the first are left out.
std::vector<tools::NotedMessage> read_console(std::string_view text);
// Those of some lines of a file's text.
std::vector<tools::NotedMessage> read_console(std::string_view file_text, const LinkedLines& lines);

}  // namespace record
