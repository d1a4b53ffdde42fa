// Threads that read the record, each over a connection of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/database.h"
#include "store/writer.h"

namespace store {

class Readers {
public:
    // Gets a connection or the reason why there is none, and an error if it may not see everything yet.
    using Job = std::function<void(Result<Database*>, Result<void> up_to_date)>;

    explicit Readers(Writer& writer, int threads = 2);
    // Jobs that have not begun are run with an error.
    ~Readers();

    // Runs the job on one of the threads; it sees everything that was pushed to the writer before this call.
    void post(Job job);

private:
    struct Waiting {
        std::uint64_t sequence;
        Job job;
    };
    void run();
    void run_job(Waiting& waiting, std::unique_ptr<Database>& db, std::uint64_t& generation);

    Writer& writer_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Waiting> waiting_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace store
