// The one thread of a server that writes: commits queued operations in groups, keeps the record within its
// limits, and copes with a full disk or a damaged file. Several servers may write one record at the same
// time: SQLite lets one of them write at a time, and work on the whole file (creating it, bringing its tables
// up to date, setting it aside) is done by one alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "store/file_lock.h"
#include "store/options.h"
#include "store/record_writer.h"
#include "store/retention.h"
#include "store/session_leases.h"
#include "store/syncer.h"

namespace store {

// One operation on its way to the disk.
struct Queued {
    Operation operation;
    std::size_t bytes = 0;
    Done done = {};        // may be empty
    bool dropped = false;  // failed by itself, and will not be tried again
};

class Writer {
public:
    // `notify` is called on the writer's thread when state or reason of health() has changed.
    Writer(Options options, std::function<void()> notify);
    // Commits all pending operations, or gives them up if that is not possible at once.
    ~Writer();

    // Opens the database. Fails only if waiting would not help: another server has it, or it is not ours.
    // With any other error the store begins degraded and keeps trying.
    Result<void> start();

    // Pushes from any thread, without waiting. False: dropped, because too much is pending. `done` is called
    // once, on another thread, when the operation is on disk or is known not to get there soon.
    bool push(Operation operation, Done done = {});
    // Number of operations pushed so far.
    std::uint64_t pushed() const;
    // Waits until the operations up to `sequence` can be read, and hurries the commit. Fails if that is not
    // to be expected soon.
    Result<void> await_commit(std::uint64_t sequence);

    Health health() const;
    // An id of this server's own, as LiveServers knows it.
    const std::string& server() const { return server_; }
    // Whether another server writes this record, too. From any thread.
    bool has_company() const;
    // Reports damage that a reader found; the writer checks for itself.
    void suspect_damage();

    // Held shared while a connection other than the writer's is open; such a connection must be reopened
    // after a change of generation.
    std::shared_mutex& files() { return files_; }
    std::uint64_t generation() const { return generation_; }
    const std::filesystem::path& path() const { return options_.path; }

private:
    using Clock = std::chrono::steady_clock;
    // The parts that live as long as the database is open, in the order they are made.
    struct Open {
        std::unique_ptr<Database> db;
        std::unique_ptr<RecordWriter> record_writer;
        std::unique_ptr<Retention> retention;
    };

    void run();
    bool take(std::vector<Queued>& batch);
    Result<void> open();
    void join_servers();
    Result<std::unique_ptr<Database>> open_alone();
    Result<void> ensure_open();
    Result<void> commit(std::vector<Queued>& batch);
    Result<void> write(std::vector<Queued>& batch);
    void finish_batch(std::vector<Queued>& batch);
    void keep_house();
    bool file_was_replaced() const;
    void close(bool leave_log);
    bool start_anew();
    bool set_damaged_aside();
    void cope(const Error& error, Trouble trouble, std::vector<Queued>& batch);
    void set_health(Health::State state, std::string reason);
    void give_up(std::vector<Queued>& batch);

    Options options_;
    std::function<void()> notify_;
    LiveSessions live_;
    std::optional<FileLock> lock_;  // shared with the other servers that write this record
    const std::string server_;
    Open open_;
    std::shared_mutex files_;
    std::atomic<std::uint64_t> generation_ = 1;
    std::unique_ptr<Syncer> syncer_;
    Clock::time_point retry_at_{};
    std::chrono::milliseconds backoff_{0};
    Clock::time_point housekeeping_at_{};
    bool more_to_remove_ = false;

    mutable std::mutex mutex_;
    std::shared_ptr<SessionLeases> servers_;
    std::shared_ptr<void> presence_;  // shows the others that this server runs
    std::condition_variable work_, committed_;
    std::vector<Queued> queue_;
    Clock::time_point first_queued_{};
    std::size_t queued_bytes_ = 0;   // in queue_
    std::size_t pending_bytes_ = 0;  // also those being written
    std::size_t pending_ = 0;
    std::uint64_t pushed_count_ = 0, committed_count_ = 0;
    bool hurry_ = false, stopping_ = false, suspect_ = false;
    bool overloaded_ = false;  // records were dropped, and more than half of what may wait still does
    Health health_;
    std::thread thread_;
};

}  // namespace store
