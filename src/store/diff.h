// The difference between two snapshots, line by line.
//
// Refs are part of a line: a line whose ref alone changed has changed, because an agent that kept the old ref
// would act on nothing. But it still is the same element, so such lines are paired and shown once, with the
// new ref, instead of as one line removed and one added.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace store {

using Lines = std::vector<std::string_view>;
// Splits into lines without their ends; a last line without one counts too.
Lines split_lines(std::string_view text);

// Lines [old_at, old_at + old_count) became [new_at, new_at + new_count). Lines between two changes are the
// same.
struct Change {
    std::size_t old_at = 0, old_count = 0;
    std::size_t new_at = 0, new_count = 0;
    bool operator==(const Change&) const = default;
};

// The changes in order, with as few lines as possible; with some more where texts differ so much that this
// would take too long.
std::vector<Change> diff_lines(const Lines& before, const Lines& after);

// Shows the changed lines under their parent lines: "-" removed, "+" added, "~" the same with a new ref, " "
// unchanged context. Lines longer than a paragraph are cut to their changes. Empty when nothing changed.
std::string render_diff(std::string_view before, std::string_view after);

// The new snapshot in its own format, with unchanged lines left out and counted: "# 12 lines unchanged".
// Empty when nothing changed.
std::string render_delta(std::string_view before, std::string_view after);

// The upper levels of a snapshot, as many as fit into `max_chars`, and the first lines of the next; lines
// that are left out are counted.
std::string render_outline(std::string_view snapshot, std::size_t max_chars);

}  // namespace store
