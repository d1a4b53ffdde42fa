// What one session may use.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace session {

struct Budget {
    std::optional<std::size_t> tabs = {};
    std::chrono::milliseconds call_time{0};  // of each call; zero: the server's own limit
    std::uint64_t heap = 0;                  // bytes of a tab's scripts; zero: the browser's own limit
    // A script that lets nothing else happen in its page for so long is stopped; zero: never.
    std::chrono::milliseconds script_time{30'000};
};

}  // namespace session
