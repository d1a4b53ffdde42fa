// What can be done about a page that runs away.
#pragma once

#include <chrono>
#include <cstdint>

#include "util/task.h"

namespace engine {

// Implemented by the pages of engines that can look into them.
class RunawayGuard {
public:
    enum class Found {
        Answers,
        Stopped,  // its script was, the page goes on
        Ended     // the page, since nothing else helped
    };

    virtual ~RunawayGuard() = default;

    // Stops a script of the page that lets nothing else happen for `limit`, unless a dialog holds it up or
    // another document is awaited.
    virtual Task<Found> stop_runaway(std::chrono::milliseconds limit) = 0;
    // Nobody waits for what scripts of the page were asked to do any more. One that goes on and lets nothing
    // else happen is stopped; does not wait for that.
    virtual void abandon_scripts() = 0;
    // Bytes that scripts of the page have in use.
    virtual Task<std::uint64_t> heap_used(std::chrono::milliseconds patience) = 0;
    // Ends the page as if it had crashed.
    virtual void end_page() = 0;
};

}  // namespace engine
