// Owns tasks that nobody waits for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "util/async.h"

// Runs tasks until they end; dropping the set drops them. Lives on the main loop.
class TaskSet {
public:
    TaskSet() = default;
    TaskSet(const TaskSet&) = delete;

    bool empty() const { return running_.empty(); }
    void clear() { running_.clear(); }

    // Starts the task. `on_end` gets its result, unless it is dropped. Returns a number for drop().
    template <class T, class OnEnd>
    std::uint64_t add(Task<T> task, OnEnd on_end) {
        std::uint64_t number = ++last_;
        Running running =
            start(std::move(task), [this, number, on_end = std::move(on_end)](Result<T> result) mutable {
                remove(number);
                // The last step: it may end the owner of this set.
                on_end(std::move(result));
            });
        if (!running.done()) running_.emplace(number, std::move(running));
        return number;
    }
    std::uint64_t add(Task<> task) {
        return add(std::move(task), [](Result<void>) {});
    }
    void drop(std::uint64_t number) { remove(number); }
    // Waits until all tasks have ended, also those that are added meanwhile.
    Task<> join(Loop& loop) {
        while (!running_.empty()) {
            empty_.emplace(loop);
            co_await Completion<bool>(*empty_);
        }
    }

private:
    void remove(std::uint64_t number) {
        running_.erase(number);
        if (running_.empty() && empty_) empty_->set(true);
    }

    std::map<std::uint64_t, Running> running_;
    std::uint64_t last_ = 0;
    std::optional<Completion<bool>> empty_;
};
