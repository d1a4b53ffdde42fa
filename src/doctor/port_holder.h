// Finds the process that listens on a TCP port of this machine.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

namespace doctor {

struct PortHolder {
    pid_t pid = 0;
    std::string name;  // as in /proc/<pid>/comm
};

// Empty when no process listens there or /proc hides it, as for another user's process.
std::optional<PortHolder> find_port_holder(int port);

}  // namespace doctor
