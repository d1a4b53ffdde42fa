// Who listens on a TCP port of this machine.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

namespace doctor {

struct PortHolder {
    pid_t pid = 0;
    std::string name;  // as in /proc/<pid>/comm
};

// Empty when nobody listens there or /proc does not tell us, as with another user's process.
std::optional<PortHolder> find_port_holder(int port);

}  // namespace doctor
