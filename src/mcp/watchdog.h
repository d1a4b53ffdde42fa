// Ends overdue calls.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <string>

#include "tools/client.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"
#include "util/timer.h"

namespace mcp {

// Every call has a deadline and is answered by it. A call without an answer some time later is a bug of ours:
// it is answered with an internal error, its work is dropped so that its session is free again, and it is
// logged and counted. Lives on the main loop, longer than the calls.
class Watchdog {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kOverdue{5};

    // The details of the Error that ends an overdue call.
    static constexpr std::string_view kDetails = "overdue";

    // Describes a call for the log. Outlives the call's task.
    struct Watched {
        std::string name;  // the tool, the method or the path
        const tools::Caller& caller;
        const tools::CallStage& stage;
        Deadline deadline;
    };

    // `report` gets a line about each call that is overdue; may be empty.
    Watchdog(Loop& loop, Log& log, Metrics& metrics, std::function<void(const std::string&)> report = {});

    // Returns the task's value, or InternalError once the call is overdue; the task is dropped then.
    template <class T>
    Task<T> watch(Watched call, Task<T> task) {
        Completion<Result<T>> first(loop_);
        Running running = start(std::move(task), [first](Result<T> result) { first.set(std::move(result)); });
        if (first.is_set()) co_return co_await first;
        Entry entry(*this, std::move(call), [first](Error error) { first.set(std::move(error)); });
        co_return co_await first;
    }

    // Ends the calls that are overdue at this time. Called once a second while there are calls.
    void check(Clock::time_point now);
    std::uint64_t overdue_count() const { return overdue_.value(); }

private:
    // One call, watched for as long as this lives.
    struct Entry {
        Entry(Watchdog& watchdog, Watched call, std::function<void(Error)> give_up);
        Entry(const Entry&) = delete;
        ~Entry();

        Watchdog& watchdog;
        Watched call;
        std::function<void(Error)> give_up;
        Clock::time_point since = Clock::now();
        bool given_up = false;
        std::list<Entry*>::iterator place;
    };

    void check_later();
    void give_up(Entry& entry, Clock::time_point now);

    Loop& loop_;
    Log& log_;
    Counter& overdue_;
    std::function<void(const std::string&)> report_;
    std::list<Entry*> calls_;
    Timer timer_;
    bool checking_ = false;
};

}  // namespace mcp
