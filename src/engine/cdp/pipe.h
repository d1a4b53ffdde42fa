// DevTools messages over the two pipes of a browser that we started: each ends with a NUL byte.
#pragma once

#include <memory>

#include "engine/cdp/connection.h"
#include "util/spawn.h"

namespace cdp {

// `input` is written to, `output` read from; both are taken over.
std::unique_ptr<Transport> pipe_transport(Loop& loop, Descriptor input, Descriptor output);

}  // namespace cdp
