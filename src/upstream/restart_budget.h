// How soon, and how often, something that keeps ending is started again.
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

    // It ended without being asked to, or did not start.
    void note_end(Time now);
    // The earliest time for the next start; an Error that says until when while it ends too often.
    Result<Time> next_start(Time now);
    // Until when it is not started at all; nothing when it may be.
    std::optional<Time> closed_until(Time now);

private:
    void forget_old(Time now);

    RestartLimits limits_;
    std::deque<Time> ends_;  // within the window
};

}  // namespace upstream
