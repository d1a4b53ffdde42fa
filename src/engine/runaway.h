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

    // Stops a page that does not answer within `patience`, unless a dialog holds it up.
    virtual Task<Found> stop_runaway(std::chrono::milliseconds patience) = 0;
    // Bytes that scripts of the page have in use.
    virtual Task<std::uint64_t> heap_used(std::chrono::milliseconds patience) = 0;
    // Ends the page as if it had crashed.
    virtual void end_page() = 0;
};

}  // namespace engine
