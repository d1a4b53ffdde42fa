#include "store/history.h"

#include <charconv>

#include "store/blobs.h"
#include "store/database.h"
#include "store/live_servers.h"
#include "store/search_text.h"
#include "util/crypto.h"
#include "util/json.h"
#include "util/strings.h"

namespace store {
namespace {

// Shorter prefixes would match too many calls.
constexpr std::size_t kMinPrefixLength = 4;

Time to_time(std::int64_t milliseconds) { return Time(std::chrono::milliseconds(milliseconds)); }

Result<std::string> column_text(Database& db, Query& query, int column) {
    if (!query.is_integer(column)) return std::string(query.text(column));
    Compressor compressor;
    return read_blob(db, compressor, query.integer(column));
}

// The member of a console summary, as the recorder writes it.
int count_in(std::string_view summary, std::string_view key) {
    std::size_t at = summary.find("\"" + std::string(key) + "\":");
    int count = 0;
    if (at != summary.npos)
        std::from_chars(summary.data() + at + key.size() + 3, summary.data() + summary.size(), count);
    return count;
}

#define OWNER "(SELECT metadata ->> '$.owner' FROM sessions WHERE sessions.session_id = requests.session_id)"
// The columns of a CallSummary, in its order.
#define SUMMARY_COLUMNS                                                                                   \
    "SELECT requests.id, requests.ref_id, session_id, tool_name, requests.timestamp, status, "            \
    "responses.timestamp, page_url, page_title, error_message, page_snapshot IS NOT NULL, console_logs, " \
    "params, result, page_snapshot, " OWNER ", network FROM "
#define CALLS "requests LEFT JOIN responses ON responses.id = requests.id "

CallSummary to_summary(const Query& query) {
    CallSummary summary{
        .number = query.integer(0),
        .ref_id = std::string(query.text(1)),
        .session_id = std::string(query.text(2)),
        .tool_name = std::string(query.text(3)),
        .timestamp = to_time(query.integer(4)),
        .page_url = std::string(query.text(7)),
        .page_title = std::string(query.text(8)),
        .error_message = std::string(query.text(9)),
        .has_snapshot = query.integer(10) != 0,
        .console_count = count_in(query.text(11), "total"),
        .console_error_count = count_in(query.text(11), "error"),
        .owner = std::string(query.text(15)),
    };
    if (!query.is_null(5)) {
        summary.status = query.text(5) == "success" ? Status::Success : Status::Error;
        summary.answered = to_time(query.integer(6));
    }
    return summary;
}

// The columns of a SessionInfo, in its order, and those that its state depends on: see LiveServers. A file
// that no server of this version has written yet lacks the latter.
#define SESSION_COLUMNS "SELECT session_id, created_at, last_activity, state, metadata, "
#define WHICH_SESSIONS "FROM sessions WHERE ?1 IS NULL OR session_id = ?1 ORDER BY last_activity DESC"
constexpr std::int64_t kVersionWithServers = 4;
constexpr std::string_view kSessionsWithoutServers = SESSION_COLUMNS "'', FALSE " WHICH_SESSIONS;
constexpr std::string_view kSessions = SESSION_COLUMNS
    "coalesce(server, ''), EXISTS (SELECT 1 FROM session_states WHERE session_states.session_id = "
    "sessions.state_id) " WHICH_SESSIONS;

SessionState state_of(const Query& query, const LiveServers& servers) {
    auto recorded = SessionState::Active;
    for (SessionState state :
         {SessionState::Active, SessionState::Hibernated, SessionState::Closed, SessionState::Error}) {
        if (query.text(3) == to_string(state)) recorded = state;
    }
    std::string server(query.text(5));
    bool is_known = recorded == SessionState::Hibernated && server.empty();
    bool ends_with_server = recorded == SessionState::Active || recorded == SessionState::Hibernated;
    if (is_known || !ends_with_server || servers.may_have(server)) return recorded;
    return query.integer(6) != 0 ? SessionState::Hibernated : SessionState::Closed;
}

SessionInfo to_session(const Query& query, const LiveServers& servers) {
    return {.session_id = std::string(query.text(0)),
            .created_at = to_time(query.integer(1)),
            .last_activity = to_time(query.integer(2)),
            .state = state_of(query, servers),
            .metadata = std::string(query.text(4))};
}

Cursor to_cursor(const Query& query) {
    return Cursor{.reader = std::string(query.text(0)),
                  .ref_id = std::string(query.text(1)),
                  .page_key = std::string(query.text(2)),
                  .cursor_position = query.integer(3),
                  .last_snapshot_hash = std::string(query.text(4)),
                  .last_read = to_time(query.integer(5))};
}

// The error for a ref without a call.
Error missing(Database& db, std::string_view ref_id) {
    Result<Query> query = db.query("SELECT 1 FROM purged_refs WHERE ref = ?1");
    bool purged = query && query->bind(short_ref(ref_id)).step().value_or(false);
    if (purged) {
        return Error{.code = ErrorCode::NotFound,
                     .message = "What call " + std::string(ref_id) + " recorded is past retention.",
                     .hint = "store.maxAge and store.maxBytes say how much is kept."};
    }
    return Error{.code = ErrorCode::NotFound,
                 .message = "No call " + std::string(ref_id) + " was recorded here.",
                 .hint = "history_list shows the calls there are."};
}

Result<Query> summary_of(Database& db, std::string_view ref_id) {
    Query query = TRY(db.query(SUMMARY_COLUMNS CALLS "WHERE requests.ref_id = ?1"));
    if (!TRY(query.bind(ref_id).step())) return missing(db, ref_id);
    return query;
}

}  // namespace

Result<std::vector<CallSummary>> list_history(Database& db, const HistoryQuery& wanted) {
    std::string expression = search_expression(wanted.text);
    if (!wanted.text.empty() && expression.empty()) return std::vector<CallSummary>();
    // An index serves each: the words, the session, or the order of the calls.
#define CONDITIONS                                                                                 \
    "AND (?2 IS NULL OR tool_name = ?2) AND requests.timestamp >= ?3 AND requests.timestamp < ?4 " \
    "AND requests.id < ?5 AND (?8 IS NULL OR " OWNER " IN (SELECT value FROM json_each(?8))) "
    std::string_view sql = SUMMARY_COLUMNS CALLS "WHERE ?1 IS NULL AND ?7 IS NULL " CONDITIONS
                                                 "ORDER BY requests.id DESC LIMIT ?6";
    if (!expression.empty()) {
        sql = SUMMARY_COLUMNS "history_text CROSS JOIN " CALLS
                              "WHERE history_text MATCH ?7 AND requests.id = history_text.rowid AND (?1 IS "
                              "NULL OR session_id = ?1) " CONDITIONS
                              "ORDER BY history_text.rowid DESC LIMIT ?6";
    } else if (wanted.session_id) {
        sql = SUMMARY_COLUMNS CALLS "WHERE session_id = ?1 AND ?7 IS NULL " CONDITIONS
                                    "ORDER BY requests.id DESC LIMIT ?6";
    }
    std::optional<std::string> owners;
    if (!wanted.owners.empty())
        owners = json::serialize(json::array(wanted.owners.begin(), wanted.owners.end()));
    constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
    Query query = TRY(db.query(sql));
    query.bind(wanted.session_id, wanted.tool_name,
               wanted.from ? wanted.from->time_since_epoch().count() : -kEnd,
               wanted.until ? wanted.until->time_since_epoch().count() : kEnd, wanted.before.value_or(kEnd),
               std::clamp(wanted.limit, 1, kMaxListed),
               expression.empty() ? std::nullopt : std::optional<std::string_view>(expression), owners);
    std::vector<CallSummary> calls;
    while (TRY(query.step())) calls.push_back(to_summary(query));
    return calls;
}

namespace {

Result<std::vector<SessionInfo>> read_sessions(Database& db, std::optional<std::string_view> session_id) {
    LiveServers servers(db.path());
    bool has_servers = TRY(db.number("PRAGMA user_version")) >= kVersionWithServers;
    Query query = TRY(db.query(has_servers ? kSessions : kSessionsWithoutServers));
    query.bind(session_id);
    std::vector<SessionInfo> sessions;
    while (TRY(query.step())) sessions.push_back(to_session(query, servers));
    return sessions;
}

}  // namespace

Result<std::vector<SessionInfo>> list_sessions(Database& db) { return read_sessions(db, std::nullopt); }

Result<std::optional<SessionInfo>> find_session(Database& db, std::string_view session_id) {
    std::vector<SessionInfo> found = TRY(read_sessions(db, session_id));
    if (found.empty()) return std::optional<SessionInfo>();
    return std::optional(std::move(found.front()));
}

Result<bool> is_of_another_live_server(Database& db, std::string_view session_id,
                                       std::string_view own_server) {
    if (TRY(db.number("PRAGMA user_version")) < kVersionWithServers) return false;
    Query query = TRY(db.query("SELECT coalesce(server, '') FROM sessions WHERE session_id = ?1"));
    if (!TRY(query.bind(session_id).step()) || query.text(0) == own_server) return false;
    return LiveServers(db.path()).may_have(std::string(query.text(0)));
}

Result<CallSummary> read_summary(Database& db, std::string_view ref_id) {
    Query query = TRY(summary_of(db, ref_id));
    return to_summary(query);
}

Result<std::vector<CallSummary>> find_calls(Database& db, std::string_view ref_prefix) {
    std::vector<CallSummary> calls;
    if (ref_prefix.size() < kMinPrefixLength) return calls;
    std::string prefix = to_lower(ref_prefix), end = prefix;
    ++end.back();
    Query query =
        TRY(db.query(SUMMARY_COLUMNS CALLS "WHERE requests.ref_id >= ?1 AND requests.ref_id < ?2 ORDER BY "
                                           "requests.id DESC LIMIT ?3"));
    query.bind(prefix, end, kMaxNamesakes);
    while (TRY(query.step())) calls.push_back(to_summary(query));
    return calls;
}

Result<Call> read_call(Database& db, std::string_view ref_id) {
    Query query = TRY(summary_of(db, ref_id));
    Call call{.summary = to_summary(query),
              .params = TRY(column_text(db, query, 12)),
              .result = TRY(column_text(db, query, 13))};
    call.network = TRY(column_text(db, query, 16));
    if (call.summary.has_snapshot) call.page_snapshot = TRY(column_text(db, query, 14));
    return call;
}

Result<std::optional<std::string>> read_snapshot(Database& db, std::string_view ref_id) {
    Query query = TRY(summary_of(db, ref_id));
    if (query.is_null(14)) return std::optional<std::string>();
    return std::optional(TRY(column_text(db, query, 14)));
}

Result<std::vector<ConsoleMessage>> read_console(Database& db, std::string_view ref_id, Level at_least) {
    std::int64_t call = TRY(summary_of(db, ref_id)).integer(0);
    Query query =
        TRY(db.query("SELECT level, message, timestamp, location FROM console_logs "
                     "WHERE id BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535 ORDER BY id"));
    query.bind(call);
    std::vector<ConsoleMessage> messages;
    while (TRY(query.step())) {
        Level level = level_of(query.text(0)).value_or(Level::Info);
        if (level < at_least) continue;
        ConsoleMessage message{
            .level = level, .message = std::string(query.text(1)), .timestamp = to_time(query.integer(2))};
        if (!query.is_null(3)) {
            json::value location = TRY(json::parse(query.text(3)));
            if (const json::object* place = location.if_object()) {
                message.url = json::find_string(*place, "url").value_or("");
                message.line = count_in(query.text(3), "line");
                message.column = count_in(query.text(3), "column");
            }
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

Result<std::optional<std::string>> find_request(Database& db, std::string_view session_id,
                                                std::string_view request_id) {
    Query query =
        TRY(db.query("SELECT ref_id FROM requests WHERE request_id = ?1 AND session_id = ?2 "
                     "AND request_id IS NOT NULL ORDER BY id LIMIT 1"));
    if (!TRY(query.bind(request_id, session_id).step())) return std::optional<std::string>();
    return std::optional(std::string(query.text(0)));
}

#define CURSOR_COLUMNS \
    "SELECT reader, ref_id, page_key, cursor_position, last_snapshot_hash, last_read FROM diff_cursors "

Result<std::optional<Cursor>> find_cursor(Database& db, std::string_view reader, std::string_view ref_id) {
    Query query = TRY(db.query(CURSOR_COLUMNS "WHERE reader = ?1 AND ref_id = ?2"));
    if (!TRY(query.bind(reader, ref_id).step())) return std::optional<Cursor>();
    return std::optional(to_cursor(query));
}

Result<std::optional<Cursor>> find_last_cursor(Database& db, std::string_view reader,
                                               std::string_view page_key) {
    Query query =
        TRY(db.query(CURSOR_COLUMNS "WHERE reader = ?1 AND page_key = ?2 ORDER BY last_read DESC LIMIT 1"));
    if (!TRY(query.bind(reader, page_key).step())) return std::optional<Cursor>();
    return std::optional(to_cursor(query));
}

Result<std::optional<std::string>> read_snapshot_by_hash(Database& db, std::string_view hash) {
    std::int64_t id = TRY(find_blob(db, hash));
    if (!id) return std::optional<std::string>();
    Compressor compressor;
    return std::optional(TRY(read_blob(db, compressor, id)));
}

std::int64_t short_ref(std::string_view ref_id) {
    std::string digest = sha256(ref_id);
    std::int64_t value = 0;
    std::copy_n(digest.data(), sizeof value, reinterpret_cast<char*>(&value));
    return value;
}

}  // namespace store
