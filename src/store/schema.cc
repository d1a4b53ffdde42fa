#include "store/schema.h"

#include <array>

namespace store {
namespace {

constexpr std::int64_t kApplicationId = 0x54525550;  // "TRUP"

// `params`, `result`, `page_snapshot` and `network` hold a short text as it is, a long one as the number of
// its blob. A call's request, response and search entry share one number; its console messages are numbered
// from that number times 65,536.
constexpr std::array kMigrations = {
    R"sql(
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    last_activity INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'hibernated', 'closed', 'error')),
    metadata TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;

CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    ref_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    params BLOB NOT NULL,
    timestamp INTEGER NOT NULL,
    request_id TEXT
);
CREATE UNIQUE INDEX requests_by_ref ON requests (ref_id);
CREATE INDEX requests_by_session ON requests (session_id);
CREATE INDEX requests_by_time ON requests (timestamp);
CREATE INDEX requests_by_request_id ON requests (request_id, session_id) WHERE request_id IS NOT NULL;

CREATE TABLE responses (
    id INTEGER PRIMARY KEY,
    ref_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('success', 'error')),
    result BLOB,
    page_snapshot BLOB,
    console_logs TEXT,
    error_message TEXT,
    timestamp INTEGER NOT NULL,
    page_url TEXT,
    page_title TEXT,
    search_text BLOB
);

CREATE TABLE console_logs (
    id INTEGER PRIMARY KEY,
    ref_id TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
    message TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    location TEXT
);

CREATE TABLE diff_cursors (
    reader TEXT NOT NULL,
    ref_id TEXT NOT NULL,
    page_key TEXT NOT NULL,
    cursor_position INTEGER NOT NULL,
    last_snapshot_hash BLOB NOT NULL,
    last_read INTEGER NOT NULL,
    PRIMARY KEY (reader, ref_id)
) WITHOUT ROWID;
CREATE INDEX diff_cursors_by_page ON diff_cursors (reader, page_key, last_read);

CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    "references" INTEGER NOT NULL,
    size INTEGER NOT NULL,
    base INTEGER,
    depth INTEGER NOT NULL,
    content BLOB NOT NULL
);
-- Eight bytes find a hash as well as all 32 do.
CREATE INDEX blobs_by_hash ON blobs (substr(hash, 1, 8));

CREATE TABLE session_states (
    session_id TEXT PRIMARY KEY,
    sealed BLOB NOT NULL,
    timestamp INTEGER NOT NULL
) WITHOUT ROWID;

-- What retention removed: eight bytes of a hash of the ref, and the day it went.
CREATE TABLE purged_refs (
    ref INTEGER PRIMARY KEY,
    day INTEGER NOT NULL
);

CREATE VIRTUAL TABLE history_text USING fts5 (
    text, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
);
)sql",
    "ALTER TABLE responses ADD COLUMN network BLOB;",
    // The time up to which session states were imported from records beside this one.
    "CREATE TABLE imported_states (file TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;",
    // The server that wrote a session's state last, and the id of its saved state: the state is valid only
    // while that server lives.
    "ALTER TABLE sessions ADD COLUMN server TEXT; ALTER TABLE sessions ADD COLUMN state_id TEXT;",
};

// Call inside a transaction: no other server sees a part of it, or does the same beside it.
Result<void> apply_missing(Database& db) {
    auto version = static_cast<std::size_t>(TRY(db.number("PRAGMA user_version")));
    if (version >= kMigrations.size()) return ok();
    for (; version < kMigrations.size(); ++version) TRY(db.execute(kMigrations[version]));
    return db.execute("PRAGMA user_version = " + std::to_string(version) +
                      "; PRAGMA application_id = " + std::to_string(kApplicationId));
}

// Runs `change` in a transaction that begins with the write lock.
template <class Change>
Result<void> transact(Database& db, Change change) {
    TRY(db.execute("BEGIN IMMEDIATE"));
    Result<void> done = change();
    if (done) done = db.execute("COMMIT");
    if (!done) db.roll_back();
    return done;
}

}  // namespace

Result<void> check_is_ours(Database& db) {
    std::int64_t owner = TRY(db.number("PRAGMA application_id"));
    std::int64_t tables = TRY(db.number("SELECT count(*) FROM sqlite_schema"));
    if (owner == kApplicationId || (owner == 0 && tables == 0)) return ok();
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = "The file at store.path is another program's database.",
                 .hint = "Set store.path (--record-path, DATABASE_PATH) to a file of its own."};
}

Result<void> migrate(Database& db) {
    TRY(check_is_ours(db));
    auto version = static_cast<std::size_t>(TRY(db.number("PRAGMA user_version")));
    if (version > kMigrations.size()) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "The record was written by a newer Troupe (version " +
                                std::to_string(version) + " of its tables; this one knows " +
                                std::to_string(kMigrations.size()) + ").",
                     .hint = "Start that one, or set store.path to another file."};
    }
    if (version == kMigrations.size()) return ok();
    return transact(db, [&] { return apply_missing(db); });
}

void touch_log(Database& db) {
    // Writes the present version: a newer server may have brought the tables up to date meanwhile.
    (void)transact(db, [&]() -> Result<void> {
        return db.execute("PRAGMA user_version = " + std::to_string(TRY(db.number("PRAGMA user_version"))));
    });
}

}  // namespace store
