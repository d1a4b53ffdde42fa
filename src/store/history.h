// Reads the record. These functions work on any connection, also on that of a command line beside a running
// server; `Store` offers them as Tasks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records.h"
#include "util/result.h"

namespace store {

class Database;

struct SessionInfo {
    std::string session_id;
    Time created_at, last_activity;
    // The present state: no session of a server that has ended, in whatever way, is active.
    SessionState state = SessionState::Active;
    std::string metadata;  // JSON
};

// A call without its long texts.
struct CallSummary {
    std::int64_t number = 0;  // in the order of recording
    std::string ref_id, session_id, tool_name;
    Time timestamp;
    std::optional<Status> status;  // unset: no answer was recorded
    std::optional<Time> answered;
    std::string page_url, page_title, error_message;
    bool has_snapshot = false;
    int console_count = 0, console_error_count = 0;
    std::string owner = {};  // the member of that name in its session's metadata
};

struct Call {
    CallSummary summary;
    std::string params;  // JSON
    std::string result;  // the exact bytes
    std::optional<std::string> page_snapshot;
    std::string network;  // requests that ended: a JSON array, or empty
};

// One more than callers show, so that they see that there are more.
inline constexpr int kMaxListed = 1'001;

struct HistoryQuery {
    std::optional<std::string> session_id = {};
    std::vector<std::string> owners = {};  // sessions whose metadata has one of them; empty: all
    std::optional<std::string> tool_name = {};
    std::optional<Time> from = {}, until = {};  // without `until` itself
    std::string text = {};                      // words that must all occur
    std::optional<std::int64_t> before = {};    // calls before this number: the next page
    int limit = 50;                             // at most kMaxListed
};

// The newest first.
Result<std::vector<CallSummary>> list_history(Database& db, const HistoryQuery& query);
Result<std::vector<SessionInfo>> list_sessions(Database& db);
Result<std::optional<SessionInfo>> find_session(Database& db, std::string_view session_id);

// Whether a running server other than `own_server` wrote the session's state last.
Result<bool> is_of_another_live_server(Database& db, std::string_view session_id,
                                       std::string_view own_server);

// These fail with NotFound; the message distinguishes an unknown ref from one past retention.
Result<CallSummary> read_summary(Database& db, std::string_view ref_id);
inline constexpr int kMaxNamesakes = 10;
// The calls whose refs begin with `ref_prefix`, at most `kMaxNamesakes`; a whole ref gives that call. Finding
// none is no error.
Result<std::vector<CallSummary>> find_calls(Database& db, std::string_view ref_prefix);
Result<Call> read_call(Database& db, std::string_view ref_id);
// Unset: the call has no snapshot.
Result<std::optional<std::string>> read_snapshot(Database& db, std::string_view ref_id);
// Messages of at least this level, in order.
Result<std::vector<ConsoleMessage>> read_console(Database& db, std::string_view ref_id, Level at_least);

// The ref of a session's call with this request id.
Result<std::optional<std::string>> find_request(Database& db, std::string_view session_id,
                                                std::string_view request_id);

Result<std::optional<Cursor>> find_cursor(Database& db, std::string_view reader, std::string_view ref_id);
// The reader's last read of the page, under any ref.
Result<std::optional<Cursor>> find_last_cursor(Database& db, std::string_view reader,
                                               std::string_view page_key);
// A snapshot by its SHA-256 (raw). Unset: it is short, or past retention.
Result<std::optional<std::string>> read_snapshot_by_hash(Database& db, std::string_view hash);

// Eight bytes that stand for a ref, to remember purged ones.
std::int64_t short_ref(std::string_view ref_id);

}  // namespace store
