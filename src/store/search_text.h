// What of a call the text search finds it by.
//
// A page says mostly what it said a moment ago. Indexing all of it with every call would cost more than the
// record itself, so a call is found by its tool, arguments, page and error, and by the lines that were not on
// the page before: a search leads to the call that brought the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace store {

// Above this size of new lines the whole snapshot is indexed: it is stored anyway, the lines would have to
// be.
inline constexpr std::size_t kMostNewLines = 512;

// The sorted hashes of a text's lines, indentation and refs aside.
std::vector<std::uint64_t> line_hashes(std::string_view text);
// The lines of `text` that are not among `before`, as they would be if they were longer than `kMostNewLines`.
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

// A person's words as an FTS5 expression that holds where all of them occur, each at least as the beginning
// of a word; empty when there is no word in them.
std::string search_expression(std::string_view words);

}  // namespace store
