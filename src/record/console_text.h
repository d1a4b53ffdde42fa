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
    std::string file;  // its name in the answer
    int first = 0, last = 0;
};

// The new entries that an answer's events link to; nothing unless the file has the name of a console log.
// Text of a page may look like an event, and must not lead to other files.
std::optional<LinkedLines> linked_console(std::string_view text);

// The messages of a text; skips other lines before the first message.
std::vector<tools::NotedMessage> read_console(std::string_view text);
// The messages in some lines of a file's text.
std::vector<tools::NotedMessage> read_console(std::string_view file_text, const LinkedLines& lines);

}  // namespace record
