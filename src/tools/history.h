// Reading the record back: what pages showed, what they logged, and what was called.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tools/record_identity.h"
#include "tools/tool.h"

namespace tools {

// What the history tools need: the record, and whose it is to read.
struct HistoryCatalog {
    store::Store* store = nullptr;  // null: nothing is kept
    IdentifyCaller identify = {};
    bool offered = false;  // listed without being asked for, because answers refer to it
    // The names of the sessions, beside its own, whose calls a caller is told of without naming the session;
    // nothing: of all of its owner's. Unset: always that.
    std::function<std::optional<std::vector<std::string>>(const Caller& caller)> seen_names = {};

    // The same by their ids in the record, its own among them.
    std::optional<std::vector<std::string>> seen_sessions(const Caller& caller) const;
};

std::vector<Tool> history_tools(const HistoryCatalog& catalog);

// The readings themselves, for whoever else offers them. Another owner's calls are not there.
struct ContentRequest {
    std::string ref_id;
    std::string search_for = {};
    bool reset_cursor = false;
    std::string since = {};
    std::optional<int> depth = {};
    std::optional<std::size_t> max_chars = {};
};
// The text of a call's page, or of its answer where there was no page to show.
Task<std::string> read_content(HistoryCatalog catalog, RecordIdentity reader, ContentRequest request);
// The same in full, whatever was read before; that it is read is not remembered.
struct RecordedText {
    std::string text;
    bool is_snapshot = false;
};
Task<RecordedText> read_whole(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id);
// The PNG that a call's answer showed. Fails where it showed none.
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
// The summary of a call of the reader's own.
Task<store::CallSummary> find_call(HistoryCatalog catalog, RecordIdentity reader, std::string ref_id);

// The name that a session has for its owner.
std::string shown_session(std::string_view session_id);

}  // namespace tools
