// SQLite behind a few calls: connections, prepared queries, and what kind of trouble an error means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "util/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace store {

// Bound as a BLOB; a plain text is bound as TEXT.
struct Bytes {
    std::string_view bytes;
};

// One prepared statement, lent by its Database and given back reset. Texts bound must outlive the next step.
class Query {
public:
    Query(Query&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)), db_(other.db_) {}
    ~Query();

    template <class... Values>
    Query& bind(Values&&... values) {
        static_assert(
            !((std::is_same_v<Values, std::string> || std::is_same_v<Values, std::optional<std::string>>) ||
              ...),
            "a temporary text would be gone before the step");
        int at = 0;
        (bind_at(++at, values), ...);
        return *this;
    }
    // True: there is a row to read.
    Result<bool> step();
    // For statements that give no rows.
    Result<void> run();
    // Makes the query ready for other values.
    void reset();

    std::int64_t integer(int column) const;
    // Valid until the next step.
    std::string_view text(int column) const;
    bool is_null(int column) const;
    bool is_integer(int column) const;

private:
    friend class Database;
    Query(sqlite3_stmt* statement, class Database* db) : statement_(statement), db_(db) {}
    void bind_at(int at, std::int64_t value);
    void bind_at(int at, int value) { bind_at(at, std::int64_t{value}); }
    void bind_at(int at, std::uint64_t value) { bind_at(at, static_cast<std::int64_t>(value)); }
    void bind_at(int at, std::string_view text);
    void bind_at(int at, const std::string& text) { bind_at(at, std::string_view(text)); }
    void bind_at(int at, const char* text) { bind_at(at, std::string_view(text)); }
    void bind_at(int at, Bytes bytes);
    void bind_at(int at, std::nullptr_t);
    template <class Value>
    void bind_at(int at, const std::optional<Value>& value) {
        value ? bind_at(at, *value) : bind_at(at, nullptr);
    }

    sqlite3_stmt* statement_;
    Database* db_;
};

// The meaning of an error for the whole database.
enum class Trouble {
    None,     // this statement only
    Disk,     // full, read-only, unreachable: may pass
    Corrupt,  // the file is damaged, or no database
};

// One connection. Used by one thread at a time.
class Database {
public:
    enum class Access { ReadWrite, ReadOnly };
    static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file, Access access);
    ~Database();
    Database(const Database&) = delete;

    // `sql` is a literal: prepared once and kept.
    Result<Query> query(std::string_view sql);
    // Any number of statements without values.
    Result<void> execute(const std::string& sql);
    // Rolls back a failed transaction; trouble() does not change.
    void roll_back();
    // The first column of the first row.
    Result<std::int64_t> number(const std::string& sql);

    std::int64_t last_id() const;
    int changes() const;
    // The meaning of the last error.
    Trouble trouble() const { return trouble_; }
    void forget_trouble() { trouble_ = Trouble::None; }
    // Copies as much of the log as possible into the file, without waiting for other connections.
    Result<void> checkpoint();
    // Leaves checkpoints to another connection, and counts log_pages().
    void watch_log();
    // How many pages the log held after the last commit here.
    int log_pages() const { return log_pages_; }
    std::filesystem::path path() const;
    // Whether this is the file that is open here.
    bool is_file(std::uint64_t device, std::uint64_t inode) const;
    // For calls that only SQLite has.
    sqlite3* handle() const { return handle_; }
    // Keeps the log and its index beside the file when it is closed.
    void leave_log();

private:
    friend class Query;
    explicit Database(sqlite3* handle) : handle_(handle) {}
    Error failure();

    sqlite3* handle_;
    std::uint64_t device_ = 0, inode_ = 0;
    int log_pages_ = 0;
    Trouble trouble_ = Trouble::None;
    std::unordered_map<std::string_view, sqlite3_stmt*> prepared_;
};

}  // namespace store
