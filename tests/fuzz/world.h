// A fresh server for every input: a few tools, a prompt and a resource, in the hands of the fuzz target.
#pragma once

#include "tests/fakes/protocol.h"

namespace fuzz {

// Nothing in it depends on time or on earlier inputs, so that what breaks it once breaks it again.
class World : public fakes::Protocol {
public:
    World();
};

}  // namespace fuzz
