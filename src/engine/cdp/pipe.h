// CDP messages over the two pipes of a browser that we started: each ends with a NUL byte.
#pragma once

#include <memory>

#include "engine/cdp/connection.h"
#include "util/spawn.h"

namespace cdp {

// Writes to `input` and reads from `output`; takes ownership of both.
std::unique_ptr<Transport> pipe_transport(Loop& loop, Descriptor input, Descriptor output);

}  // namespace cdp
