// Runs slow work off the loop.
#pragma once

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>

#include "util/async.h"

namespace worker_detail {

// Catches exceptions, because memory may run out.
template <class T>
Result<T> attempt(const std::function<Result<T>()>& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        return Error{.message = "Work in the background failed.", .details = error.what()};
    }
}

}  // namespace worker_detail

// Runs `work` on a thread of its own. It must own the data it uses: when the Task is dropped, the work
// continues to its end, and its result is discarded.
template <class T>
Task<T> on_worker(Loop& loop, std::function<Result<T>()> work) {
    struct Way {
        std::mutex mutex;
        Loop* back;  // null: no caller waits any more
    };
    struct Waiter {
        std::shared_ptr<Way> way;
        ~Waiter() {
            std::lock_guard lock(way->mutex);
            way->back = nullptr;
        }
    } waiter{std::make_shared<Way>()};
    waiter.way->back = &loop;
    Completion<Result<T>> done(loop);
    // Keeps the loop running until the work is done.
    auto busy = boost::asio::make_work_guard(loop);
    std::thread([work = std::move(work), way = waiter.way, done]() mutable {
        Result<T> result = worker_detail::attempt<T>(work);
        std::lock_guard lock(way->mutex);
        if (!way->back) return;
        boost::asio::post(*way->back,
                          [done, result = std::move(result)]() mutable { done.set(std::move(result)); });
    }).detach();
    Result<T> result = co_await done;
    co_return std::move(result);
}

// Limits how many works run at a time; further ones wait for a slot. Used on the loop; slots are released on
// any thread.
class Workers {
public:
    explicit Workers(std::size_t max_running) : free_(max_running) {}

    // Like on_worker. Work whose caller was dropped keeps its slot until it has ended.
    template <class T>
    static Task<T> run(std::shared_ptr<Workers> workers, Loop& loop, std::function<Result<T>()> work) {
        std::shared_ptr<void> place = co_await take(std::move(workers), loop);
        co_return co_await on_worker<T>(
            loop, [work = std::move(work), place = std::move(place)] { return work(); });
    }

private:
    struct Waiter {
        explicit Waiter(Loop& its) : loop(its), turn(its) {}

        Loop& loop;
        Completion<bool> turn;
        bool has_place = false;
    };

    // Takes a slot, which is released when dropped.
    static Task<std::shared_ptr<void>> take(std::shared_ptr<Workers> workers, Loop& loop);
    std::shared_ptr<Waiter> join(Loop& loop);
    void leave(const std::shared_ptr<Waiter>& waiter);
    void give_back();

    std::mutex mutex_;
    std::size_t free_;
    std::list<std::shared_ptr<Waiter>> waiters_;
};
