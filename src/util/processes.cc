#include "util/processes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include "util/files.h"
#include "util/strings.h"

namespace {

namespace fs = std::filesystem;

// Threads may start threads during a pass.
constexpr int kMaxPasses = 4;

fs::path directory_of(pid_t process) { return fs::path("/proc") / std::to_string(process); }

std::vector<pid_t> threads_of(pid_t process) {
    std::vector<pid_t> threads;
    std::error_code gone;
    for (fs::directory_iterator it(directory_of(process) / "task", gone), end; !gone && it != end;
         it.increment(gone))
        threads.push_back(std::atoi(it->path().filename().c_str()));
    return threads;
}

// The CPU set at the first call: the sets of other processes are derived from it.
const cpu_set_t& our_processors() {
    static const cpu_set_t set = [] {
        cpu_set_t processors;
        CPU_ZERO(&processors);
        ::sched_getaffinity(0, sizeof processors, &processors);
        return processors;
    }();
    return set;
}

const cpu_set_t& all_but_first() {
    static const cpu_set_t set = [] {
        cpu_set_t processors = our_processors();
        int first = 0;
        while (first < CPU_SETSIZE && !CPU_ISSET(first, &processors)) ++first;
        if (CPU_COUNT(&processors) > 1) CPU_CLR(first, &processors);
        return processors;
    }();
    return set;
}

bool set_policy(pid_t thread, int policy) {
    sched_param none{};
    return ::sched_setscheduler(thread, policy, &none) == 0;
}

// Tested on a temporary thread.
bool can_raise_again() {
    static const bool can = [] {
        bool raised = false;
        std::thread([&] { raised = set_policy(0, SCHED_IDLE) && set_policy(0, SCHED_OTHER); }).join();
        return raised;
    }();
    return can;
}

// Returns false when the thread had that priority already.
bool set_thread_priority(pid_t thread, CpuPriority priority) {
    const cpu_set_t& wanted = priority == CpuPriority::Normal ? our_processors() : all_but_first();
    cpu_set_t processors;
    bool changed = ::sched_getaffinity(thread, sizeof processors, &processors) == 0 &&
                   !CPU_EQUAL(&processors, &wanted) &&
                   ::sched_setaffinity(thread, sizeof wanted, &wanted) == 0;
    if (!can_raise_again()) return changed;
    int policy = ::sched_getscheduler(thread);
    int wanted_policy = priority == CpuPriority::Idle ? SCHED_IDLE : SCHED_OTHER;
    // Other scheduling policies are left unchanged.
    bool is_ours = policy == SCHED_IDLE || policy == SCHED_OTHER;
    return (is_ours && policy != wanted_policy && set_policy(thread, wanted_policy)) || changed;
}

// The fields of /proc/<id>/stat after the name: state, parent, group, ...; empty when the process is gone.
std::vector<std::string> status_of(pid_t process) {
    std::string text = read_file(directory_of(process) / "stat").value_or("");
    // The name may contain anything.
    std::size_t end = text.rfind(") ");
    return end == std::string::npos ? std::vector<std::string>() : split(text.substr(end + 2), ' ');
}

bool has_ended(const std::vector<std::string>& status) {
    return status.empty() || status[0] == "Z" || status[0] == "X";
}

}  // namespace

std::string start_of(pid_t process) {
    constexpr std::size_t kStart = 19;
    std::vector<std::string> status = status_of(process);
    return has_ended(status) || status.size() <= kStart ? "" : status[kStart];
}

bool kill_group(pid_t group, std::chrono::milliseconds limit) {
    auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        ::kill(-group, SIGKILL);
        if (!has_living_member(group)) return true;
        if (std::chrono::steady_clock::now() >= end) return false;
        ::poll(nullptr, 0, 1);
    }
}

std::set<pid_t> groups_with_argument(std::string_view argument) {
    std::set<pid_t> groups;
    std::error_code gone;
    for (fs::directory_iterator it("/proc", gone), end; !gone && it != end; it.increment(gone)) {
        pid_t process = std::atoi(it->path().filename().c_str());
        if (process <= 0) continue;
        std::vector<std::string> arguments = split(read_file(it->path() / "cmdline").value_or(""), '\0');
        if (std::ranges::find(arguments, argument) == arguments.end()) continue;
        if (pid_t group = ::getpgid(process); group > 0) groups.insert(group);
    }
    return groups;
}

bool has_living_member(pid_t group) {
    constexpr std::size_t kGroup = 2;
    if (group <= 0 || (::kill(-group, 0) != 0 && errno == ESRCH)) return false;
    std::error_code gone;
    for (fs::directory_iterator it("/proc", gone), end; !gone && it != end; it.increment(gone)) {
        pid_t process = std::atoi(it->path().filename().c_str());
        if (process <= 0) continue;
        std::vector<std::string> status = status_of(process);
        if (!has_ended(status) && status.size() > kGroup && status[kGroup] == std::to_string(group))
            return true;
    }
    return false;
}

std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> children;
    // A child belongs to the thread that started it.
    for (pid_t thread : threads_of(process)) {
        auto text = read_file(directory_of(process) / "task" / std::to_string(thread) / "children");
        if (!text) continue;
        const char* at = text->c_str();
        char* after = nullptr;
        for (long child = std::strtol(at, &after, 10); after != at; child = std::strtol(at, &after, 10)) {
            children.push_back(static_cast<pid_t>(child));
            at = after;
        }
    }
    return children;
}

std::string command_of(pid_t process) {
    std::string command = read_file(directory_of(process) / "cmdline").value_or("");
    std::ranges::replace(command, '\0', ' ');
    return command;
}

std::optional<std::chrono::nanoseconds> cpu_demand(pid_t process) {
    auto text = read_file(directory_of(process) / "schedstat");
    long long running = 0, waiting = 0;
    if (!text || std::sscanf(text->c_str(), "%lld %lld", &running, &waiting) != 2) return std::nullopt;
    return std::chrono::nanoseconds(running + waiting);
}

std::size_t spare_processors() {
    return static_cast<std::size_t>(std::max(CPU_COUNT(&our_processors()), 1)) - 1;
}

void set_cpu_priority(pid_t process, CpuPriority priority) {
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        bool changed = false;
        for (pid_t thread : threads_of(process)) changed |= set_thread_priority(thread, priority);
        if (!changed) return;
    }
}
