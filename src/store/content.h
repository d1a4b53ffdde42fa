// Reads a call's snapshot for a reader: the whole first, then only the changes.
#pragma once

#include <optional>
#include <string>

#include "store/history.h"

namespace store {

struct ContentQuery {
    std::string reader;  // the cursor's owner
    std::string ref_id;
    // A ref: the difference to its snapshot. "last": to this reader's last read of the same page.
    std::string since = {};
    bool reset_cursor = false;  // gives everything again
    // The cursor moves only for texts up to this size: a text that a reader gets only in part is not read.
    std::size_t counts_up_to = std::string::npos;
    std::string page_key = {};  // the key of the page that is read; empty: the call's session and URL
};

struct Content {
    std::string text;  // the snapshot, or the difference; empty when nothing changed
    bool is_difference = false;
    std::string since_ref = {};  // base of the difference
    CallSummary call = {};
};

// Includes the cursor as it stands after this read.
struct ContentRead {
    Content content;
    Cursor cursor;
};

// A reader's first read gives the whole snapshot; another of the same ref gives the changes since its last
// read of the page, which may have been under another ref.
Result<ContentRead> read_content(Database& db, const ContentQuery& query);

// The difference between two calls' snapshots.
Result<std::string> diff_calls(Database& db, const std::string& from_ref, const std::string& to_ref);

}  // namespace store
