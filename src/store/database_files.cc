#include "store/database_files.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "store/schema.h"
#include "util/spawn.h"

namespace store {
namespace {

namespace fs = std::filesystem;

Error failure(const std::string& what, const fs::path& file) {
    return Error{.message = "Cannot " + what + " " + file.string() + ": " + std::strerror(errno) + "."};
}

// SQLite would let everybody read the new file; its log takes the mode of the database. An existing file is
// not opened here: closing it would drop the locks that SQLite holds on it in this process.
Result<void> make_private_file(const fs::path& file) {
    struct stat status;
    if (::stat(file.c_str(), &status) == 0) {
        if ((status.st_mode & 0077) != 0 && ::chmod(file.c_str(), 0600) != 0)
            return failure("change the mode of", file);
        return ok();
    }
    Descriptor made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (made.get() < 0) return failure("create", file);
    return ok();
}

Result<void> prepare(Database& db) {
    // Vacuuming in steps has to be chosen before the first table is created. A new file has no content worth
    // a flush yet; in an existing one, none of these writes anything.
    TRY(
        db.execute("PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"
                   "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216;"
                   "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST"));
    db.watch_log();
    return migrate(db);
}

}  // namespace

fs::path resolved(const fs::path& path) {
    std::error_code error;
    fs::path absolute = fs::absolute(path, error);
    fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute : canonical;
}

Result<void> make_directory_of(const fs::path& file) {
    fs::path directory = file.parent_path();
    if (directory.empty() || ::access(directory.c_str(), F_OK) == 0) return ok();
    TRY(make_directory_of(directory));
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return failure("create", directory);
    return ok();
}

Result<void> check_is_record(const fs::path& file) {
    constexpr std::string_view kMagic{"SQLite format 3\0", 16};
    std::ifstream in(file, std::ios::binary);
    std::string start(kMagic.size(), '\0');
    in.read(start.data(), static_cast<std::streamsize>(start.size()));
    // A lock file shows that it was a record before it was damaged.
    if (in.gcount() == 0 || ::access((file.string() + ".lock").c_str(), F_OK) == 0) return ok();
    if (start != kMagic) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = file.string() + " (store.path) is no record, and is left as it is.",
                     .hint = "Set store.path (--record-path, DATABASE_PATH) to a file of its own."};
    }
    auto db = open_for_reading(file);
    if (!db) return ok();  // opening it for writing says why
    Result<void> ours = check_is_ours(**db);
    if (!ours && ours.error().code == ErrorCode::InvalidArgument) return ours;
    return ok();
}

Result<std::unique_ptr<Database>> open_for_writing(const fs::path& file, Trouble& trouble) {
    trouble = Trouble::Disk;
    TRY(make_directory_of(file));
    TRY(make_private_file(file));
    std::unique_ptr<Database> db = TRY(Database::open(file, Database::Access::ReadWrite));
    if (Result<void> prepared = prepare(*db); !prepared) {
        trouble = db->trouble();
        db->leave_log();
        return prepared.error();
    }
    trouble = Trouble::None;
    return db;
}

Result<std::unique_ptr<Database>> open_for_reading(const fs::path& file) {
    std::unique_ptr<Database> db = TRY(Database::open(file, Database::Access::ReadOnly));
    db->leave_log();
    TRY(db->execute("PRAGMA query_only = ON; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY"));
    return db;
}

Result<fs::path> set_aside(const fs::path& file) {
    char stamp[32];
    std::time_t now = std::time(nullptr);
    std::tm parts;
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", ::gmtime_r(&now, &parts));
    for (int attempt = 0; attempt < 1000; ++attempt) {
        std::string name =
            file.string() + ".damaged-" + stamp + (attempt ? "-" + std::to_string(attempt) : "");
        if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) != 0) {
            if (errno == EEXIST) continue;
            return failure("set aside", file);
        }
        // Moves its log, too: it would be read into the new database.
        for (const char* suffix : {"-wal", "-shm"}) {
            std::string from = file.string() + suffix, to = name + suffix;
            if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) return failure("set aside", from);
        }
        return fs::path(name);
    }
    return Error{.message = "Cannot set aside " + file.string() + ": no free name."};
}

}  // namespace store
