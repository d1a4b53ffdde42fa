// The parts of an answer's text that the record and shorter answers need.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/content.h"

namespace record {

// The position of an answer's snapshot in its text, title and fence included.
struct SnapshotSection {
    std::size_t begin = 0, end = 0;
    std::string_view snapshot;  // empty when the section only links to a file
};
std::optional<SnapshotSection> find_snapshot(std::string_view text);

// The file that the section links to, by its name in the text; empty unless that is the name of a snapshot
// file. Text of a page may look like a section, and must not lead to other files.
std::string linked_snapshot(std::string_view text);

// The page described by an answer in Playwright's sections; null when it describes none.
std::shared_ptr<tools::PageNote> read_page(std::string_view text);

// Splits another server's result into the parts of a native result.
tools::ToolResult taken_apart(const std::string& result_json);

// All texts of an answer.
std::string text_of(const tools::ToolResult& result);
std::size_t text_size(const tools::ToolResult& result);

}  // namespace record
