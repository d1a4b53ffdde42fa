// Flushes committed groups to disk, off the writer's path: a slow disk delays neither recording nor reading.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "util/result.h"

namespace store {

using Done = std::function<void(Result<void>)>;

// A thread that flushes the write-ahead log and copies it back into the database when it has grown.
class Syncer {
public:
    // `files` is held shared while the database is open here.
    Syncer(std::filesystem::path database, std::shared_mutex& files);
    ~Syncer();

    // Call after a commit that left this many pages in the log. Calls each of `waiting`, on the syncer's
    // thread, when the commit is on disk.
    void committed(std::vector<Done> waiting, int log_pages);
    // Finishes its pending work, then ends.
    void stop();
    // Empty when the last flush worked.
    std::string failure() const;

private:
    void run();
    Result<void> flush();
    void checkpoint();

    std::filesystem::path database_, log_;
    std::shared_mutex& files_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool dirty_ = false;
    int log_pages_ = 0;
    bool stopping_ = false;
    std::vector<Done> waiting_;
    std::string failure_;
    std::thread thread_;
};

}  // namespace store
