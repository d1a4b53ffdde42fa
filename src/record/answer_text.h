// The parts of an answer's text that the record and shorter answers need.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/content.h"

namespace record {

// Where an answer's snapshot stands in its text, title and fence included.
struct SnapshotSection {
    std::size_t begin = 0, end = 0;
    std::string_view snapshot;  // empty when the section only links to it
};
std::optional<SnapshotSection> find_snapshot(std::string_view text);

// The file that the section links to, as it names it; empty unless it is named as snapshots are. What a page
// says may look like a section, and must not lead to other files.
std::string linked_snapshot(std::string_view text);

// What an answer in Playwright's sections says of its page; null when it says nothing.
std::shared_ptr<tools::PageNote> read_page(std::string_view text);

// Of another server's result: its parts as we would have made them.
tools::ToolResult taken_apart(const std::string& result_json);

// All texts of an answer.
std::string text_of(const tools::ToolResult& result);
std::size_t text_size(const tools::ToolResult& result);

}  // namespace record
