// Other processes: what they are, what they take of the processors, and what they may take.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

// Those that it started and that still run.
std::vector<pid_t> children_of(pid_t process);
// Its arguments, each ended by a space; empty when it is gone.
std::string command_of(pid_t process);
// When it was started, as the kernel counts it: together with its id, this names a process for good. Empty
// when it has ended, reaped or not.
std::string start_of(pid_t process);
// Whether any process of the group still runs.
bool has_living_member(pid_t group);
// How long its main thread has wanted a processor, whether it had one or waited for it; nothing when it is
// gone. Zero where the kernel does not count.
std::optional<std::chrono::nanoseconds> processor_demand(pid_t process);

// What a process may take of the processors. Threads and processes that it starts may take no more.
enum class Claim {
    Full,   // all that we may use ourselves
    Spare,  // not the first of them
    Least   // not the first of them, and the others only when nobody else wants them
};
// How many processors that leaves them; zero when there is only one for all.
std::size_t spare_processors();
// Gives every thread of the process that claim. `Least` is `Spare` where it could not be taken back, which
// needs a privilege; narrowing to certain processors and widening again needs none.
void set_claim(pid_t process, Claim claim);
