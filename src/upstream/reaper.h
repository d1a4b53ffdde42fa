// The process between us and a server: it makes sure that no process of the server outlives it, or us.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/spawn.h"

namespace upstream {

// The bytes of src/reaper, embedded when we build.
std::string_view reaper_program();

// Keeps the reaper program in memory; reapers can be run while this lives.
class Reaper {
public:
    static Result<Reaper> create();

    // The words to put before the command that the reaper runs.
    std::vector<std::string> command() const { return {"/proc/self/fd/" + std::to_string(program_.get())}; }

private:
    explicit Reaper(Descriptor program) : program_(std::move(program)) {}

    Descriptor program_;
};

}  // namespace upstream
