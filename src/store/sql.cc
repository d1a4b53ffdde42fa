#include "store/sql.h"

#include <map>
#include <memory>
#include <sqlite3.h>

#include "store/blobs.h"
#include "store/database_files.h"
#include "store/history.h"
#include "util/strings.h"

namespace store {
namespace {

#define MOMENT(column) "strftime('%Y-%m-%dT%H:%M:%fZ', " column " / 1000.0, 'unixepoch')"
#define LOCATION                                                                          \
    "CASE WHEN location IS NULL THEN NULL ELSE json_object('url', location ->> '$.url', " \
    "'lineNumber', location ->> '$.line', 'columnNumber', location ->> '$.column') END"
// These hide the tables of those names: a temporary view comes first.
constexpr const char* kViews =
    "CREATE TEMP VIEW sessions AS SELECT session_id, " MOMENT("created_at") " AS created_at, "
    MOMENT("last_activity") " AS last_activity, session_state(session_id) AS state, metadata "
    "FROM main.sessions;"

    "CREATE TEMP VIEW requests AS SELECT ref_id, session_id, tool_name, blob_text(params) AS params, "
    MOMENT("timestamp") " AS timestamp, request_id FROM main.requests;"

    "CREATE TEMP VIEW responses AS SELECT ref_id, status, blob_text(result) AS result, "
    "blob_text(page_snapshot) AS page_snapshot, "
    "(SELECT json_group_array(json_object('level', level, 'message', message, 'timestamp', "
    MOMENT("logged.timestamp") ", 'location', " LOCATION ")) FROM main.console_logs AS logged "
    "WHERE logged.id BETWEEN answered.id * 65536 AND answered.id * 65536 + 65535) AS console_logs, "
    "error_message, " MOMENT("timestamp") " AS timestamp, page_url, page_title, "
    "blob_text(network) AS network FROM main.responses AS answered;"

    "CREATE TEMP VIEW console_logs AS SELECT id, ref_id, level, message, " MOMENT("timestamp")
    " AS timestamp, " LOCATION " AS location FROM main.console_logs;"

    "CREATE TEMP VIEW calls AS SELECT requests.timestamp, requests.ref_id, session_id, tool_name, params, "
    "coalesce(status, 'unanswered') AS status, result, page_snapshot, page_url, page_title, error_message, "
    "console_logs, network FROM requests LEFT JOIN responses ON responses.ref_id = requests.ref_id;";

// A column has a short text, or the number of a long one.
void blob_text(sqlite3_context* context, int, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) != SQLITE_INTEGER) return sqlite3_result_value(context, values[0]);
    Compressor compressor;
    auto text = read_blob(*static_cast<Database*>(sqlite3_user_data(context)), compressor,
                          sqlite3_value_int64(values[0]));
    if (!text) return sqlite3_result_error(context, text.error().message.c_str(), -1);
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

using States = std::map<std::string, SessionState, std::less<>>;

// The present state: the table has the last one that the session's server wrote, which may be gone.
void session_state(sqlite3_context* context, int, sqlite3_value** values) {
    const auto& states = *static_cast<States*>(sqlite3_user_data(context));
    const auto* id = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    auto state = id ? states.find(std::string_view(id)) : states.end();
    if (state == states.end()) return sqlite3_result_null(context);
    std::string_view word = to_string(state->second);
    sqlite3_result_text64(context, word.data(), word.size(), SQLITE_STATIC, SQLITE_UTF8);
}

// Denies access to other files and to the settings of this connection.
int may(void*, int action, const char*, const char*, const char*, const char*) {
    switch (action) {
        case SQLITE_SELECT:
        case SQLITE_READ:
        case SQLITE_FUNCTION:
        case SQLITE_RECURSIVE:
            return SQLITE_OK;
        default:
            return SQLITE_DENY;
    }
}

Error refused(std::string message) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = std::move(message),
        .hint = "The tables are sessions, requests, responses, console_logs, and calls with all of a call."};
}

Error failure(sqlite3* handle) {
    std::string message = sqlite3_errmsg(handle);
    return refused("SQLite says: " + message + (message.ends_with('.') ? "" : "."));
}

json::value value_at(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return sqlite3_column_int64(statement, column);
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_NULL:
            return nullptr;
        default:
            break;
    }
    const void* bytes = sqlite3_column_blob(statement, column);
    auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    std::string text(static_cast<const char*>(bytes), size);
    bool is_blob = sqlite3_column_type(statement, column) == SQLITE_BLOB && !is_valid_utf8(text);
    return json::value(is_blob ? hex_encode(text) : well_formed(std::move(text)));
}

Result<void> prepare(Database& db, sqlite3* handle, States& states) {
    for (SessionInfo& each : TRY(list_sessions(db))) states.emplace(std::move(each.session_id), each.state);
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    sqlite3_create_function_v2(handle, "blob_text", 1, kFlags, &db, blob_text, nullptr, nullptr, nullptr);
    sqlite3_create_function_v2(handle, "session_state", 1, kFlags, &states, session_state, nullptr, nullptr,
                               nullptr);
    // The file is open for reading; the views are in memory.
    TRY(db.execute("PRAGMA query_only = OFF"));
    TRY(db.execute(kViews));
    return db.execute("PRAGMA query_only = ON");
}

}  // namespace

Result<SqlRows> run_sql(const std::filesystem::path& database, const std::string& text) {
    // Uses its own connection: the views would be in the way of other queries.
    States states;
    std::unique_ptr<Database> db = TRY(open_for_reading(database));
    sqlite3* handle = db->handle();
    TRY(prepare(*db, handle, states));
    sqlite3_set_authorizer(handle, may, nullptr);
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    int code = sqlite3_prepare_v2(handle, text.c_str(), static_cast<int>(text.size()), &made, &rest);
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(made, sqlite3_finalize);
    sqlite3_set_authorizer(handle, nullptr, nullptr);
    if (code == SQLITE_AUTH) return refused("Only SELECT is run here: the record is not changed.");
    if (code != SQLITE_OK) return failure(handle);
    if (!statement) return refused("There is no statement.");
    if (!trim(rest).empty()) return refused("One statement at a time.");
    if (!sqlite3_stmt_readonly(statement.get()))
        return refused("Only SELECT is run here: the record is not changed.");
    SqlRows result;
    int columns = sqlite3_column_count(statement.get());
    for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
    while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
        std::vector<json::value>& row = result.rows.emplace_back();
        for (int i = 0; i < columns; ++i) row.push_back(value_at(statement.get(), i));
    }
    if (code != SQLITE_DONE) return failure(handle);
    return result;
}

}  // namespace store
