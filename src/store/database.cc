#include "store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

namespace store {
namespace {

Trouble trouble_of(int code) {
    switch (code & 0xFF) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return Trouble::Corrupt;
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
        case SQLITE_NOMEM:
            return Trouble::Disk;
        default:
            return Trouble::None;
    }
}

// An empty text still needs an address: SQLite takes null for NULL.
const char* address(std::string_view bytes) { return bytes.data() ? bytes.data() : ""; }

}  // namespace

Query::~Query() {
    if (statement_) reset();
}

void Query::reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

Result<bool> Query::step() {
    int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return db_->failure();
}

Result<void> Query::run() {
    TRY(step());
    return ok();
}

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Query::text(int column) const {
    // The blob call converts nothing, so that bytes come back as they were stored.
    const void* data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Query::is_integer(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }

void Query::bind_at(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
void Query::bind_at(int at, std::string_view text) {
    sqlite3_bind_text64(statement_, at, address(text), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void Query::bind_at(int at, Bytes bytes) {
    sqlite3_bind_blob64(statement_, at, address(bytes.bytes), bytes.bytes.size(), SQLITE_STATIC);
}
void Query::bind_at(int at, std::nullptr_t) { sqlite3_bind_null(statement_, at); }

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, Access access) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= access == Access::ReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    sqlite3* handle = nullptr;
    int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
    std::unique_ptr<Database> db(new Database(handle));
    if (code != SQLITE_OK) {
        std::string why = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
        return Error{.message = "Cannot open " + file.string() + ": " + why + "."};
    }
    if (struct stat status; ::stat(file.c_str(), &status) == 0) {
        db->device_ = status.st_dev;
        db->inode_ = status.st_ino;
    }
    // Another program may be reading the file.
    sqlite3_busy_timeout(handle, 5000);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    return db;
}

std::filesystem::path Database::path() const {
    const char* name = sqlite3_db_filename(handle_, "main");
    return name ? name : "";
}

Database::~Database() {
    for (auto& [sql, statement] : prepared_) sqlite3_finalize(statement);
    sqlite3_close(handle_);
}

Result<Query> Database::query(std::string_view sql) {
    sqlite3_stmt*& statement = prepared_[sql];
    if (!statement) {
        int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        if (code != SQLITE_OK) {
            prepared_.erase(sql);
            return failure();
        }
    }
    return Query(statement, this);
}

Result<void> Database::execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
    return ok();
}

void Database::roll_back() {
    // SQLite may have rolled it back already.
    if (!sqlite3_get_autocommit(handle_)) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<std::int64_t> Database::number(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return failure();
    int code = sqlite3_step(statement);
    std::int64_t value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    bool failed = code != SQLITE_ROW && code != SQLITE_DONE;
    Error error = failed ? failure() : Error{};
    sqlite3_finalize(statement);
    if (failed) return error;
    return value;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }
int Database::changes() const { return sqlite3_changes(handle_); }

Result<void> Database::checkpoint() {
    int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    if (code != SQLITE_OK && code != SQLITE_BUSY) return failure();
    return ok();
}

void Database::watch_log() {
    auto count = [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Database*>(self)->log_pages_ = pages;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(handle_, count, this);
}

bool Database::is_file(std::uint64_t device, std::uint64_t inode) const {
    return device == device_ && inode == inode_;
}

void Database::leave_log() { sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

Error Database::failure() {
    int code = sqlite3_extended_errcode(handle_);
    trouble_ = trouble_of(code);
    return Error{
        .message = std::string("The record's database failed: ") + sqlite3_errmsg(handle_) + ".",
        .details = "SQLite error " + std::to_string(code),
    };
}

}  // namespace store
