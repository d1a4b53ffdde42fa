// How a store is set up, and how it is doing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "store/records.h"

namespace store {

// The health of a store. `reason` is for people; empty when all is well.
struct Health {
    enum class State { Ok, Degraded };
    State state = State::Ok;
    std::string reason = {};
    std::uint64_t dropped = 0;         // records that were lost since the server began
    std::size_t pending = 0;           // records not yet committed
    std::size_t pending_bytes = 0;     // and their size
    std::uint64_t database_bytes = 0;  // what the database uses
    bool over_limit = false;           // larger than it may be, and everything in it belongs to live sessions
    std::filesystem::path set_aside = {};  // where a damaged database was moved last
};

struct Options {
    std::filesystem::path path;
    std::filesystem::path key_file = {};                        // empty: beside the database, with ".key"
    std::chrono::milliseconds max_age = std::chrono::days(30);  // zero: no limit
    std::uint64_t max_bytes = 1 << 30;                          // zero: no limit
    std::size_t max_pending_bytes = 64 << 20;                   // beyond it, records are dropped
    std::chrono::milliseconds commit_interval{15};
    // Called on the loop when state or reason has changed.
    std::function<void(const Health&)> on_health_change = {};
    // The wall clock; tests move it by hand.
    std::function<Time()> now = [] {
        return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    };
};

}  // namespace store
