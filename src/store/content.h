// Reading a call's snapshot as little or as much as a reader needs: the whole first, then what changed.
#pragma once

#include <optional>
#include <string>

#include "store/history.h"

namespace store {

struct ContentQuery {
    std::string reader;  // whose cursor it is
    std::string ref_id;
    // A ref: the difference to its snapshot. "last": to what this reader read last of the same page.
    std::string since = {};
    bool reset_cursor = false;  // everything again
    // The cursor moves only if the text is no longer: one that a reader gets only a part of is not read.
    std::size_t counts_up_to = std::string::npos;
    std::string page_key =
        {};  // which reads are of the same page; empty: those with the call's session and URL
};

struct Content {
    std::string text;  // the snapshot, or the difference; empty when nothing changed
    bool is_difference = false;
    std::string since_ref = {};  // what it is the difference to
    CallSummary call = {};
};

// Also gives the cursor as it stands after this read.
struct ContentRead {
    Content content;
    Cursor cursor;
};

// A first read by a reader gives the whole snapshot; another of the same ref what changed since its last read
// of the page, which may have been under another ref.
Result<ContentRead> read_content(Database& db, const ContentQuery& query);

// The difference between two calls' snapshots.
Result<std::string> diff_calls(Database& db, const std::string& from_ref, const std::string& to_ref);

}  // namespace store
