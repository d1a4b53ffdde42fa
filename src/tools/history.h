// Reads the record: the content that pages showed, their console messages, and the calls.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tools/history_text.h"
#include "tools/record_identity.h"
#include "tools/tool.h"

namespace tools {

// The record, and functions that determine what a caller may read in it.
struct HistoryCatalog {
    store::Store* store = nullptr;  // null: nothing is kept
    IdentifyCaller identify = {};
    bool offered = false;  // listed by default, because answers refer to the record
    // The names of the sessions, beside the caller's own, that a caller may see calls of without naming the
    // session; nothing: all sessions of its owner. Unset: always all.
    std::function<std::optional<std::vector<std::string>>(const Caller& caller)> seen_names = {};

    // The same as session ids of the record, including the caller's own.
    std::optional<std::vector<std::string>> seen_sessions(const Caller& caller) const;
};

std::vector<Tool> history_tools(const HistoryCatalog& catalog);

// The operations behind the tools, for other code as well. Calls of another owner are not found.

struct ContentRequest {
    std::string ref_id;
    std::string search_for = {};
    bool reset_cursor = false;
    std::string since = {};
    std::optional<int> depth = {};
    std::optional<std::size_t> max_chars = {};
};
// The text of a call's page, or of its answer when it showed no page.
Task<std::string> read_content(HistoryCatalog catalog, RecordIdentity reader, ContentRequest request);
struct RecordedText {
    std::string text;
    bool is_snapshot = false;
};
// The same in full, whatever was read before; does not move the reader's cursor.
Task<RecordedText> read_whole(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id);
// The pictures that the call's answer showed; may be empty.
Task<std::vector<RecordedPicture>> read_pictures(HistoryCatalog catalog, RecordIdentity reader,
                                                 std::string ref_id);
// The PNG that a call's answer showed. Fails when it showed none.
Task<std::string> read_picture(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id);
Task<std::vector<store::ConsoleMessage>> read_console(HistoryCatalog catalog, RecordIdentity reader,
                                                      std::string ref_id, std::string level);
struct HistoryRequest {
    std::string session = {};  // a name or an id; empty: all of the reader's
    std::string tool = {}, since = {}, until = {}, text = {};
    std::optional<std::int64_t> before = {};
    int limit = 50;
};
Task<json::object> list_history(HistoryCatalog catalog, Caller caller, HistoryRequest request);
Task<std::string> diff_history(HistoryCatalog catalog, RecordIdentity reader, std::string from,
                               std::string to);

// A call as JSON, without its long texts.
json::object describe(const store::CallSummary& call);
// The summary of one of the reader's own calls, by its ref or by a unique prefix of it.
Task<store::CallSummary> find_call(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id);

}  // namespace tools
