// Releases memory of an idle server.
#pragma once

#include <chrono>

#include <boost/asio/steady_timer.hpp>

#include "util/async.h"

// Unmaps this program's code and constants and returns free heap memory. The kernel maps pages that are used
// again from its file cache, so the next call takes a fraction of a millisecond longer and reads nothing from
// disk.
void release_unused_memory();

// Releases memory once no request has come for a while.
class MemoryTrimmer {
public:
    explicit MemoryTrimmer(Loop& loop) : timer_(loop) {}

    // The latest request replaces earlier ones.
    void trim_in(std::chrono::milliseconds delay);
    void stop() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
};
