// What processes take of the machine's memory, and how much of it there is.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace session {

// Bytes that a process and all that it started have to themselves: what they wrote to, without the files and
// segments that they map. Reads two small files a process, where a precise share would cost a millisecond
// each.
std::uint64_t memory_of_tree(pid_t root);

// Bytes that could be used now without swapping, by the machine and by the control group we are in.
std::uint64_t available_memory();

}  // namespace session
