// The memory use of processes, and the memory of the machine.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace browsers {

// Private bytes of a process and its descendants: memory they wrote to, without the files and segments that
// they map. Reads two small files per process; a precise share would cost a millisecond each.
std::uint64_t memory_of_tree(pid_t root);

// Bytes that could be used now without swapping, by the machine and by the control group we are in.
std::uint64_t available_memory();

}  // namespace browsers
