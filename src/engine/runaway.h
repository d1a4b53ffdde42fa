// Handling of runaway pages.
#pragma once

#include <chrono>
#include <cstdint>

#include "util/task.h"

namespace engine {

// Implemented by pages of engines that support it.
class RunawayGuard {
public:
    enum class Found {
        Answers,
        Stopped,  // its script was stopped, the page goes on
        Ended     // the page was ended, since nothing else helped
    };

    virtual ~RunawayGuard() = default;

    // Stops a script of the page that blocks everything else for `limit`, unless a dialog blocks it or
    // another document is awaited; ends the page if it does not let that document in.
    virtual Task<Found> stop_runaway(std::chrono::milliseconds limit) = 0;
    // No caller waits for the page's scripts any more. A script that keeps blocking the page is stopped; does
    // not wait for that.
    virtual void abandon_scripts() = 0;
    // Bytes in use by the page's scripts.
    virtual Task<std::uint64_t> heap_used(std::chrono::milliseconds timeout) = 0;
    // Ends the page as if it had crashed. Also when the browser does not end it, nobody meets it again.
    virtual Task<> end_page() = 0;
};

}  // namespace engine
