// Limits of one session.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace session {

struct Budget {
    std::optional<std::size_t> tabs = {};
    std::optional<std::size_t> workers = {};           // of all its pages, at once
    std::optional<std::uint64_t> download_bytes = {};  // of all its files together
    std::optional<std::uint64_t> console_bytes = {};   // of all its console files together
    std::optional<std::size_t> result_bytes = {};      // of one answer
    std::chrono::milliseconds call_time{0};            // of each call; zero: the server's own limit
    std::uint64_t heap = 0;  // bytes of a tab's scripts; zero: the browser's own limit
    // A script that blocks its page for this long is stopped; zero: never.
    std::chrono::milliseconds script_time{30'000};
};

}  // namespace session
