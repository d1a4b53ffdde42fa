#include "store/syncer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "store/database.h"
#include "util/spawn.h"

namespace store {
namespace {

// The log is copied back when it has this many pages (16 MiB). Restarting it costs the writer a flush, so
// that should not be often; a longer one makes reads slow.
constexpr int kManyPages = 4000;

}  // namespace

Syncer::Syncer(std::filesystem::path database, std::shared_mutex& files)
    : database_(std::move(database)),
      log_(database_.string() + "-wal"),
      files_(files),
      thread_([this] { run(); }) {}

Syncer::~Syncer() { stop(); }

void Syncer::stop() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void Syncer::committed(std::vector<Done> waiting, int log_pages) {
    {
        std::lock_guard lock(mutex_);
        dirty_ = true;
        log_pages_ = log_pages;
        waiting_.insert(waiting_.end(), std::make_move_iterator(waiting.begin()),
                        std::make_move_iterator(waiting.end()));
    }
    changed_.notify_one();
}

std::string Syncer::failure() const {
    std::lock_guard lock(mutex_);
    return failure_;
}

void Syncer::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return dirty_ || stopping_; });
        if (!dirty_) return;
        dirty_ = false;
        std::vector<Done> waiting = std::exchange(waiting_, {});
        bool is_long = log_pages_ >= kManyPages;
        lock.unlock();
        Result<void> flushed = flush();
        for (Done& done : waiting) done(flushed);
        if (is_long) checkpoint();
        lock.lock();
        failure_ = flushed ? "" : flushed.error().message;
    }
}

Result<void> Syncer::flush() {
    // SQLite holds no lock on its log, so closing another descriptor of it drops none.
    Descriptor log(::open(log_.c_str(), O_RDONLY | O_CLOEXEC));
    if (log.get() < 0 && errno == ENOENT) return ok();
    if (log.get() < 0 || ::fdatasync(log.get()) != 0) {
        return Error{
            .code = ErrorCode::ResourceExhausted,
            .message = "The record cannot be flushed to disk: " + std::string(std::strerror(errno)) + "."};
    }
    return ok();
}

void Syncer::checkpoint() {
    std::shared_lock in_use(files_);
    // Opens a connection for this only: the last one to close a database cleans up, and that shall be the
    // writer. It also reports trouble.
    Result<std::unique_ptr<Database>> db = Database::open(database_, Database::Access::ReadWrite);
    if (!db) return;
    (*db)->leave_log();
    (void)(*db)->execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
    (void)(*db)->checkpoint();
}

}  // namespace store
