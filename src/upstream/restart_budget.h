// Limits how soon and how often a failing server is started again.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "upstream/options.h"
#include "util/result.h"

namespace upstream {

// Counts the ends of one server. Time is passed in.
class RestartBudget {
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RestartBudget(RestartLimits limits) : limits_(limits) {}

    // Records that the server ended unexpectedly, or did not start.
    void note_end(Time now);
    // The earliest time for the next start; while it ends too often, an Error that gives the time.
    Result<Time> next_start(Time now);
    // The time until which it is not started at all; nothing when it may be.
    std::optional<Time> closed_until(Time now);

private:
    void forget_old(Time now);

    RestartLimits limits_;
    std::deque<Time> ends_;  // within the window
};

}  // namespace upstream
