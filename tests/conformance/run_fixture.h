// Serves a registry the way the product does, for as long as the process lives.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/registry.h"
#include "util/async.h"

namespace conformance {

// On `port` of localhost (0: any; it is printed to stderr), or on stdin and stdout without one.
// Gives the process's exit code.
int run_fixture(tools::Registry& registry, Loop& loop, std::optional<std::uint16_t> port);

}  // namespace conformance
