// Waits for a condition of a page to become true.
#pragma once

#include <functional>
#include <list>

#include "util/async.h"

namespace cdp {

// Tasks wait for conditions; code that changes the underlying state calls `check`.
class Conditions {
public:
    explicit Conditions(Loop& loop) : loop_(loop) {}

    Task<> wait_until(std::function<bool()> condition) {
        if (condition()) co_return;
        if (failure_) co_await Error(*failure_);
        Completion<Result<void>> met(loop_);
        // Removes the condition when the wait ends or is dropped.
        struct Place {
            std::list<Entry>& entries;
            std::list<Entry>::iterator entry;
            ~Place() { entries.erase(entry); }
        } place{entries_, entries_.insert(entries_.end(), Entry{std::move(condition), met})};
        Result<void> result = co_await met;
        co_await std::move(result);
    }

    void check() {
        for (Entry& entry : entries_) {
            if (entry.condition()) entry.met.set(Result<void>());
        }
    }
    // Fails all current and future waits.
    void fail(const Error& error) {
        failure_ = error;
        for (Entry& entry : entries_) entry.met.set(Result<void>(error));
    }

private:
    struct Entry {
        std::function<bool()> condition;
        Completion<Result<void>> met;
    };
    Loop& loop_;
    std::list<Entry> entries_;
    std::optional<Error> failure_;
};

}  // namespace cdp
