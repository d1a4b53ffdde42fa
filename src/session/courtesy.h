// What pages may take of the processors while others work.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "util/async.h"
#include "util/log.h"
#include "util/processes.h"

namespace session {

// The processes of browsers.
class PageProcesses {
public:
    // For how long it has wanted a processor, up to a moment.
    struct Demand {
        std::chrono::nanoseconds wanted;
        Deadline::Clock::time_point at;
    };

    virtual ~PageProcesses() = default;
    // Whether there is a browser whose pages to look for.
    virtual bool has_browser() = 0;
    // Those in which pages run.
    virtual std::vector<pid_t> pages() = 0;
    // These, and all else that was started in the same way.
    virtual std::vector<pid_t> started() = 0;
    // Nothing when it is gone.
    virtual std::optional<Demand> demand(pid_t process) = 0;
    virtual void set_claim(pid_t process, Claim claim) = 0;
    // With which those begin that are started from now on.
    virtual void set_first_claim(Claim claim) = 0;
};
// Those of the browsers that have such process ids just then.
std::unique_ptr<PageProcesses> page_processes(std::function<std::vector<pid_t>()> browsers);

struct CourtesyOptions {
    std::size_t spare_processors = 0;  // for pages that take one for themselves; zero: nothing is done
    // Between two looks; while nothing happens; while there is only one page.
    std::chrono::milliseconds look{50}, quiet_look{250}, lone_look{1000};
    std::chrono::milliseconds longest_opening{500};  // new pages have waited enough then
};

// A page that does nothing but compute, and pages that are only being opened, leave one processor to those
// who work: a thread that wakes up on a processor where another one computes waits for several milliseconds
// there, which is longer than most calls take. Lives on the main loop.
class Courtesy {
public:
    Courtesy(Loop& loop, std::unique_ptr<PageProcesses> processes, CourtesyOptions options, Log& log);
    ~Courtesy();

    // Until it is dropped, pages that are opened make way.
    [[nodiscard]] std::shared_ptr<void> for_opening();
    // There may be pages to look after.
    void watch();

private:
    struct State;

    std::shared_ptr<State> state_;
};

}  // namespace session
