// Limits the CPU use of pages while other pages work.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "util/async.h"
#include "util/log.h"
#include "util/processes.h"

namespace browsers {

// The processes of browsers.
class PageProcesses {
public:
    // How long a process has run or waited for a CPU, as of `at`.
    struct Demand {
        std::chrono::nanoseconds wanted;
        Deadline::Clock::time_point at;
    };

    virtual ~PageProcesses() = default;
    // Whether a browser runs.
    virtual bool has_browser() = 0;
    // The processes in which pages run.
    virtual std::vector<pid_t> pages() = 0;
    // These, and all others that were started in the same way.
    virtual std::vector<pid_t> started() = 0;
    // Nothing when the process is gone.
    virtual std::optional<Demand> demand(pid_t process) = 0;
    virtual void set_cpu_priority(pid_t process, CpuPriority priority) = 0;
    // Sets the priority of processes started from now on.
    virtual void set_initial_priority(CpuPriority priority) = 0;
};
// The processes of the browsers whose process ids `browsers` gives.
std::unique_ptr<PageProcesses> page_processes(std::function<std::vector<pid_t>()> browsers);

struct CpuArbiterOptions {
    std::size_t spare_processors = 0;  // for pages that take one for themselves; zero: no arbitration
    // Time between two checks: normally, while nothing happens, and while there is only one page.
    std::chrono::milliseconds look{50}, quiet_look{250}, lone_look{1000};
    std::chrono::milliseconds max_opening{500};  // afterwards new pages no longer make way
};

// Keeps one CPU free of pages that only compute and of pages that are only being opened: a thread that wakes
// up on a CPU where another one computes waits there for several milliseconds, longer than most calls take.
// Lives on the main loop.
class CpuArbiter {
public:
    CpuArbiter(Loop& loop, std::unique_ptr<PageProcesses> processes, CpuArbiterOptions options, Log& log);
    ~CpuArbiter();

    // Pages that open make way until the result is dropped.
    [[nodiscard]] std::shared_ptr<void> for_opening();
    // Starts watching: there may be pages now.
    void watch();

private:
    struct State;

    std::shared_ptr<State> state_;
};

}  // namespace browsers
