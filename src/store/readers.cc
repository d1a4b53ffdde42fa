#include "store/readers.h"

#include "store/database_files.h"

namespace store {

Readers::Readers(Writer& writer, int threads) : writer_(writer) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Readers::~Readers() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    for (Waiting& waiting : waiting_)
        waiting.job(Error{.code = ErrorCode::Cancelled, .message = "The server is ending."}, ok());
}

void Readers::post(Job job) {
    Waiting waiting{writer_.pushed(), std::move(job)};
    {
        std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(waiting));
    }
    changed_.notify_one();
}

void Readers::run() {
    std::unique_ptr<Database> db;
    std::uint64_t generation = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        Waiting waiting = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        run_job(waiting, db, generation);
        lock.lock();
    }
}

void Readers::run_job(Waiting& waiting, std::unique_ptr<Database>& db, std::uint64_t& generation) {
    // Records can be read even while nothing can be written.
    Result<void> up_to_date = writer_.await_commit(waiting.sequence);
    std::shared_lock in_use(writer_.files());
    if (generation != writer_.generation()) {
        generation = writer_.generation();
        db.reset();
    }
    if (!db) {
        Result<std::unique_ptr<Database>> opened = open_for_reading(writer_.path());
        if (!opened) {
            waiting.job(up_to_date ? opened.error() : up_to_date.error(), up_to_date);
            return;
        }
        db = std::move(*opened);
    }
    db->forget_trouble();
    waiting.job(db.get(), up_to_date);
    if (db->trouble() == Trouble::Corrupt) writer_.suspect_damage();
    if (db->trouble() != Trouble::None) db.reset();
}

}  // namespace store
