// Allocates ports for servers that use HTTP.
#pragma once

#include <memory>
#include <string_view>

#include "util/result.h"

namespace upstream {

// The preferred port of a session: the same one every time.
int preferred_port(std::string_view session);
// Whether a process accepts connections there.
bool is_listening(int port);

// Leases free ports, each to one server at a time, also among several processes of ours.
class Ports {
public:
    // The last copy to be destroyed releases the port.
    using Lease = std::shared_ptr<const int>;

    // Leases the session's preferred port, or the next free one.
    Result<Lease> take(std::string_view session);
};

}  // namespace upstream
