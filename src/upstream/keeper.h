// The process between us and a server: it makes sure that nothing of the server outlives it, or us.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/spawn.h"

namespace upstream {

// The bytes of src/keeper, embedded when we build.
std::string_view keeper_program();

// Keepers are run from memory while this lives.
class Keeper {
public:
    static Result<Keeper> create();

    // To put before the command that it is to keep.
    std::vector<std::string> command() const { return {"/proc/self/fd/" + std::to_string(program_.get())}; }

private:
    explicit Keeper(Descriptor program) : program_(std::move(program)) {}

    Descriptor program_;
};

}  // namespace upstream
