// Running the loop until something has happened, instead of sleeping.
#pragma once

#include <optional>

#include <gtest/gtest.h>

#include "util/async.h"

namespace fakes {

inline constexpr std::chrono::seconds kTimeout{20};

// Runs the loop until `happened()`; a test that waits too long fails.
template <class Happened>
void run_until(Loop& loop, Happened happened) {
    Deadline deadline = Deadline::in(kTimeout);
    while (!happened()) {
        if (deadline.has_passed()) {
            ADD_FAILURE() << "It did not happen in time.";
            return;
        }
        loop.restart();
        loop.run_one_for(std::chrono::milliseconds(100));
    }
}

// Runs the loop until the task has ended, and gives what it ended with.
template <class T>
Result<T> run_task(Loop& loop, Task<T> task) {
    std::optional<Result<T>> outcome;
    Running running = start(std::move(task), [&](Result<T> result) { outcome.emplace(std::move(result)); });
    run_until(loop, [&] { return outcome.has_value(); });
    if (!outcome) return Error{.code = ErrorCode::Timeout, .message = "The test gave up waiting."};
    return std::move(*outcome);
}

}  // namespace fakes
