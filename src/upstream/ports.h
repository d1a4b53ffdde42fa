// Ports for servers that are spoken to over HTTP.
#pragma once

#include <memory>
#include <string_view>

#include "util/result.h"

namespace upstream {

// The port that a session would like best: the same one every time.
int preferred_port(std::string_view session);
// Whether somebody accepts connections there.
bool is_listening(int port);

// Hands out ports that nobody else uses, each to one server at a time, also where several of us run.
class Ports {
public:
    // Gives the port back with its last copy.
    using Lease = std::shared_ptr<const int>;

    // The session's preferred port, or the next free one.
    Result<Lease> take(std::string_view session);
};

}  // namespace upstream
