#include "store/record_writer.h"

#include "store/search_text.h"
#include "util/json.h"

namespace store {
namespace {

constexpr std::size_t kMaxOpenCalls = 10'000;
constexpr std::int64_t kConsolePerCall = 65'536;

std::int64_t number(Time time) { return time.time_since_epoch().count(); }

std::optional<std::string_view> unless_empty(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// The value of a text's column: the text itself, or the number of its blob.
struct Column {
    std::optional<std::string_view> inlined;
    std::optional<std::int64_t> blob;
    BlobWriter::Stored stored = {};
};

Result<Column> to_column(BlobWriter& blobs, std::string_view text, const std::vector<std::string>& keys) {
    if (text.size() <= kMaxInlineLength) return Column{.inlined = text};
    BlobWriter::Stored stored = TRY(blobs.put(text, keys));
    return Column{.blob = stored.id, .stored = std::move(stored)};
}

// The keys for a text's base: the same page in the same session, then in any session.
std::vector<std::string> keys(std::string_view kind, std::string_view session_id, std::string_view page) {
    std::string common = std::string(kind) + '\n' + std::string(page);
    return {common + '\n' + std::string(session_id), common};
}

// {"total":3,"error":1}: enough to decide whether to read them.
std::string console_summary(const std::vector<ConsoleMessage>& messages) {
    if (messages.empty()) return "";
    std::string summary = "{\"total\":" + std::to_string(messages.size());
    for (Level level : {Level::Error, Level::Warn, Level::Info, Level::Debug}) {
        auto count =
            std::count_if(messages.begin(), messages.end(), [&](const auto& m) { return m.level == level; });
        if (count) summary += ",\"" + std::string(to_string(level)) + "\":" + std::to_string(count);
    }
    return summary + "}";
}

std::string location(const ConsoleMessage& message) {
    if (message.url.empty()) return "";
    std::string text = "{\"url\":";
    json::append_string(text, message.url);
    return text + ",\"line\":" + std::to_string(message.line) +
           ",\"column\":" + std::to_string(message.column) + "}";
}

}  // namespace

Result<void> RecordWriter::apply(const Operation& operation) {
    db_.forget_trouble();
    TRY(db_.execute("SAVEPOINT operation"));
    Result<void> written = std::visit([this](const auto& record) { return write(record); }, operation);
    if (!written && db_.trouble() == Trouble::None) {
        blobs_.forget_all();
        TRY(db_.execute("ROLLBACK TO operation; RELEASE operation"));
        return written;
    }
    if (written) TRY(db_.execute("RELEASE operation"));
    return written;
}

Result<void> RecordWriter::finish() {
    for (const auto& [session_id, at] : touched_) {
        // A clock that was set back does not make a session older.
        Query query = TRY(db_.query(R"(
INSERT INTO sessions (session_id, created_at, last_activity, state, server) VALUES (?1, ?2, ?2, 'active', ?3)
ON CONFLICT (session_id) DO UPDATE SET last_activity = max(last_activity, ?2))"));
        TRY(query.bind(session_id, number(at), server_).run());
    }
    touched_.clear();
    return ok();
}

void RecordWriter::forget_all() {
    blobs_.forget_all();
    touched_.clear();
}

Result<void> RecordWriter::touch(const std::string& session_id, Time at) {
    live_.sessions.insert(session_id);
    Time& last = touched_[session_id];
    last = std::max(last, at);
    return ok();
}

Result<void> RecordWriter::write(const SessionRecord& record) {
    Query query = TRY(db_.query(R"(
INSERT INTO sessions (session_id, created_at, last_activity, state, metadata, server, state_id)
VALUES (?1, ?2, ?2, ?3, coalesce(?4, '{}'), ?5, ?6)
ON CONFLICT (session_id) DO UPDATE SET last_activity = max(last_activity, ?2), state = ?3,
    metadata = coalesce(?4, metadata), server = ?5, state_id = coalesce(?6, state_id))"));
    query.bind(record.session_id, number(record.timestamp), to_string(record.state), record.metadata, server_,
               record.state_id);
    TRY(query.run());
    if (record.state == SessionState::Active || record.state == SessionState::Hibernated) {
        live_.sessions.insert(record.session_id);
    } else if (live_.sessions.erase(record.session_id)) {
        ++live_.ended;
    }
    return ok();
}

Result<void> RecordWriter::write(const RequestRecord& record) {
    Column params =
        TRY(to_column(blobs_, record.params, keys("params", record.session_id, record.tool_name)));
    Query query = TRY(db_.query(R"(
INSERT INTO requests (ref_id, session_id, tool_name, params, timestamp, request_id)
VALUES (?1, ?2, ?3, coalesce(?4, ?5), ?6, ?7))"));
    query.bind(record.ref_id, record.session_id, record.tool_name, params.inlined, params.blob,
               number(record.timestamp), unless_empty(record.request_id));
    TRY(query.run());
    if (open_calls_.size() >= kMaxOpenCalls) open_calls_.clear();
    open_calls_[record.ref_id] = {db_.last_id(), record.session_id, record.tool_name, record.params};
    return touch(record.session_id, record.timestamp);
}

Result<RecordWriter::OpenCall> RecordWriter::find_call(const std::string& ref_id) {
    if (auto it = open_calls_.find(ref_id); it != open_calls_.end()) return it->second;
    Query query = TRY(db_.query("SELECT id, session_id, tool_name, params FROM requests WHERE ref_id = ?1"));
    if (!TRY(query.bind(ref_id).step()))
        return Error{.code = ErrorCode::NotFound, .message = "An answer came without its request."};
    OpenCall call{query.integer(0), std::string(query.text(1)), std::string(query.text(2)), ""};
    if (query.is_integer(3)) {
        Compressor compressor;
        call.params = TRY(read_blob(db_, compressor, query.integer(3)));
    } else {
        call.params = query.text(3);
    }
    return call;
}

Result<void> RecordWriter::complete(OpenCall& call, const std::string& params) {
    call.params = params;
    Column column = TRY(to_column(blobs_, params, keys("params", call.session_id, call.tool_name)));
    Query query = TRY(db_.query("UPDATE requests SET params = coalesce(?2, ?3) WHERE id = ?1"));
    return query.bind(call.id, column.inlined, column.blob).run();
}

Result<void> RecordWriter::write(const ResponseRecord& record) {
    OpenCall call = TRY(find_call(record.ref_id));
    if (record.params) TRY(complete(call, *record.params));
    Column result = TRY(to_column(blobs_, record.result, keys("result", call.session_id, record.page_url)));
    Column snapshot;
    std::optional<std::string> new_text;
    bool whole_is_new = false;
    if (record.page_snapshot) {
        snapshot =
            TRY(to_column(blobs_, *record.page_snapshot, keys("snapshot", call.session_id, record.page_url)));
        auto& [id, before, is_own, now] = snapshot.stored;
        // Another session's view of the page is new to this one.
        if (!is_own) before = nullptr;
        if (!now || now != before) {
            if (before && before->lines.empty()) before->lines = line_hashes(before->text);
            new_text =
                new_lines(*record.page_snapshot, before ? before->lines : std::vector<std::uint64_t>());
            whole_is_new = new_text->size() > kMaxNewLines;
            if (now) now->lines = line_hashes(now->text);
        }
    }
    Column network;
    if (!record.network.empty())
        network = TRY(to_column(blobs_, record.network, keys("network", call.session_id, record.page_url)));
    std::string summary = console_summary(record.console_logs);
    Query query = TRY(db_.query(R"(
INSERT INTO responses (id, ref_id, status, result, page_snapshot, console_logs, error_message, timestamp, page_url,
    page_title, search_text, network)
VALUES (?1, ?2, ?3, coalesce(?4, ?5), coalesce(?6, ?7), ?8, ?9, ?10, ?11, ?12, coalesce(?13, ?14),
    coalesce(?15, ?16)))"));
    query.bind(call.id, record.ref_id, to_string(record.status), result.inlined, result.blob,
               snapshot.inlined, snapshot.blob, unless_empty(summary), unless_empty(record.error_message),
               number(record.timestamp), unless_empty(record.page_url), unless_empty(record.page_title),
               whole_is_new ? std::optional(1) : std::nullopt,
               new_text ? unless_empty(*new_text) : std::nullopt, network.inlined, network.blob);
    TRY(query.run());
    TRY(write_console(record, call.id));
    std::string document = search_document({
        .tool_name = call.tool_name,
        .params = call.params,
        .page_url = record.page_url,
        .page_title = record.page_title,
        .error_message = record.error_message,
        .content = whole_is_new ? *record.page_snapshot
                   : new_text   ? *new_text
                                : std::string_view(),
    });
    Query index = TRY(db_.query("INSERT INTO history_text (rowid, text) VALUES (?1, ?2)"));
    TRY(index.bind(call.id, document).run());
    open_calls_.erase(record.ref_id);
    return touch(call.session_id, record.timestamp);
}

Result<void> RecordWriter::write_console(const ResponseRecord& record, std::int64_t call) {
    std::int64_t id = call * kConsolePerCall;
    for (const ConsoleMessage& message : record.console_logs) {
        if (id == (call + 1) * kConsolePerCall) break;
        Query query = TRY(db_.query(R"(
INSERT INTO console_logs (id, ref_id, level, message, timestamp, location) VALUES (?1, ?2, ?3, ?4, ?5, ?6))"));
        std::string where = location(message);
        Time at = message.timestamp == kNow ? record.timestamp : message.timestamp;
        query.bind(id++, record.ref_id, to_string(message.level), message.message, number(at),
                   unless_empty(where));
        TRY(query.run());
    }
    return ok();
}

Result<void> RecordWriter::write(const Cursor& cursor) {
    // Keeps the last read the latest, also after the clock was set back.
    Query query = TRY(db_.query(R"(
INSERT INTO diff_cursors (reader, ref_id, page_key, cursor_position, last_snapshot_hash, last_read)
VALUES (?1, ?2, ?3, ?4, ?5, max(?6,
    coalesce((SELECT max(last_read) + 1 FROM diff_cursors WHERE reader = ?1 AND page_key = ?3), 0)))
ON CONFLICT (reader, ref_id) DO UPDATE SET page_key = ?3, cursor_position = ?4, last_snapshot_hash = ?5,
    last_read = excluded.last_read)"));
    return query
        .bind(cursor.reader, cursor.ref_id, cursor.page_key, cursor.cursor_position,
              Bytes{cursor.last_snapshot_hash}, number(cursor.last_read))
        .run();
}

Result<void> RecordWriter::write(const StateRecord& record) {
    if (!record.state) {
        Query query = TRY(db_.query("DELETE FROM session_states WHERE session_id = ?1"));
        return query.bind(record.session_id).run();
    }
    if (!key_) key_ = TRY(StateKey::load_or_create(key_file_));
    std::string sealed = key_->seal(record.session_id, *record.state);
    Query query = TRY(db_.query(R"(
INSERT INTO session_states (session_id, sealed, timestamp) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id) DO UPDATE SET sealed = ?2, timestamp = ?3)"));
    return query.bind(record.session_id, Bytes{sealed}, number(record.timestamp)).run();
}

}  // namespace store
