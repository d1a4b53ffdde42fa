// The text by which the search finds a call.
//
// Most of a page was there a moment ago. Indexing all of it with every call would cost more than the record
// itself, so a call is found by its tool, arguments, page and error, and by the lines that were not on the
// page before: a search leads to the call that brought the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace store {

// Above this size of new lines the whole snapshot is indexed: it is stored anyway, the lines would be stored
// in addition.
inline constexpr std::size_t kMaxNewLines = 512;

// The sorted hashes of a text's lines, without indentation and refs.
std::vector<std::uint64_t> line_hashes(std::string_view text);
// The lines of `text` that are not among `before`; stops once they are longer than `kMaxNewLines`.
std::string new_lines(std::string_view text, const std::vector<std::uint64_t>& before);

struct SearchParts {
    std::string_view tool_name;
    std::string_view params;
    std::string_view page_url;
    std::string_view page_title;
    std::string_view error_message;
    std::string_view content;  // new lines, or a whole snapshot
};
// The text to index. Removing it from the index later takes exactly the same text.
std::string search_document(const SearchParts& parts);

// Turns words into an FTS5 expression that matches where all of them occur, each at least as the beginning of
// a word; empty when there is no word in them.
std::string search_expression(std::string_view words);

}  // namespace store
