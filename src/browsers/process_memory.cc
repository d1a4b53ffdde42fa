#include "browsers/process_memory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>

#include "util/files.h"
#include "util/processes.h"

namespace browsers {
namespace {

namespace fs = std::filesystem;

std::uint64_t private_memory(const fs::path& process) {
    auto text = read_file(process / "statm");
    if (!text) return 0;
    // Numbers of pages: size, resident, and resident shared with files.
    unsigned long long size = 0, resident = 0, shared = 0;
    if (std::sscanf(text->c_str(), "%llu %llu %llu", &size, &resident, &shared) != 3) return 0;
    return (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> number_in(const fs::path& file) {
    auto text = read_file(file);
    // "max" is no number.
    if (!text || text->empty() || text->front() < '0' || text->front() > '9') return std::nullopt;
    return std::strtoull(text->c_str(), nullptr, 10);
}

// The memory left in our control group, by version 1 or 2 of the interface.
std::optional<std::uint64_t> left_in_group(const char* limit, const char* usage) {
    auto max = number_in(limit), used = number_in(usage);
    if (!max || !used) return std::nullopt;
    return *max - std::min(*max, *used);
}

}  // namespace

std::uint64_t memory_of_tree(pid_t root) {
    std::uint64_t total = private_memory(fs::path("/proc") / std::to_string(root));
    for (pid_t child : children_of(root)) total += memory_of_tree(child);
    return total;
}

std::uint64_t available_memory() {
    std::uint64_t available = UINT64_MAX;
    if (auto text = read_file("/proc/meminfo")) {
        if (auto at = text->find("MemAvailable:"); at != std::string::npos)
            available = std::strtoull(text->c_str() + at + 13, nullptr, 10) * 1024;
    }
    for (auto left : {left_in_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                      left_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                    "/sys/fs/cgroup/memory/memory.usage_in_bytes")})
        available = std::min(available, left.value_or(UINT64_MAX));
    return available;
}

}  // namespace browsers
