// Inspects other processes, and limits their CPU use.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

// The running processes that it started.
std::vector<pid_t> children_of(pid_t process);
// The arguments of the process, each ended by a space; empty when it is gone.
std::string command_of(pid_t process);
// The kernel's start time of the process: together with its id, this identifies a process for good. Empty
// when it has ended, reaped or not.
std::string start_of(pid_t process);
// Whether any process of the group still runs.
bool has_living_member(pid_t group);
// Kills the processes of the group, also those that they start meanwhile, and waits until none of them runs.
// False when some still did after that time.
bool kill_group(pid_t group, std::chrono::milliseconds limit);
// The groups of the processes that were started with this argument.
std::set<pid_t> groups_with_argument(std::string_view argument);
// The time that its main thread has run or waited for a CPU; nothing when it is gone. Zero when the kernel
// does not count it.
std::optional<std::chrono::nanoseconds> cpu_demand(pid_t process);

// The CPUs that a process may use. Threads and processes that it starts inherit the limit.
enum class CpuPriority {
    Normal,       // all CPUs that we may use ourselves
    OffFirstCpu,  // all but the first CPU
    Idle          // all but the first CPU, and only when no other process wants them
};
// Number of CPUs left with those limits; zero when there is only one.
std::size_t spare_processors();
// Sets the priority of every thread of the process. `Idle` becomes `OffFirstCpu` where it could not be
// reverted, which needs a privilege; changing the set of CPUs needs none.
void set_cpu_priority(pid_t process, CpuPriority priority);
