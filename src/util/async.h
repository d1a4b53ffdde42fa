// Awaitables for Tasks: a one-shot completion, a point in time, an Asio operation.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "util/task.h"

// The one thread that runs all protocol and browser work.
using Loop = boost::asio::io_context;

// The point in time by which something must be done; every wait has one.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;

    static Deadline never() { return Deadline(Clock::time_point::max()); }
    static Deadline in(std::chrono::milliseconds span) { return Deadline(Clock::now() + span); }
    explicit Deadline(Clock::time_point at) : at_(at) {}

    Clock::time_point at() const { return at_; }
    bool is_never() const { return at_ == Clock::time_point::max(); }
    bool has_passed() const { return Clock::now() >= at_; }
    std::chrono::milliseconds remaining() const;
    Deadline earlier(Deadline other) const { return at_ < other.at_ ? *this : other; }

private:
    Clock::time_point at_;
};

// Set once, awaited once: connects a callback to a Task. Setting it again does nothing.
template <class T>
class Completion {
    struct State {
        Loop& loop;
        std::optional<T> value;
        task_detail::Resumer waiter;
    };

public:
    explicit Completion(Loop& loop) : state_(std::make_shared<State>(loop)) {}

    // May be called from anywhere on the loop; the waiter continues from the loop, not from inside this call.
    void set(T value) const {
        if (state_->value) return;
        state_->value.emplace(std::move(value));
        if (state_->waiter) wake(state_);
    }
    bool is_set() const { return state_->value.has_value(); }

    class Awaiter {
    public:
        explicit Awaiter(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Awaiter(Awaiter&&) = default;
        ~Awaiter() {
            if (state_) state_->waiter = {};
        }
        bool await_ready() const { return state_->value.has_value(); }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) {
            state_->waiter = task_detail::Resumer(handle);
        }
        T await_resume() { return std::move(*state_->value); }

    private:
        std::shared_ptr<State> state_;
    };
    Awaiter operator co_await() const { return Awaiter(state_); }

private:
    static void wake(const std::shared_ptr<State>& state) {
        boost::asio::post(state->loop, [state] {
            if (auto waiter = std::exchange(state->waiter, {})) waiter.resume();
        });
    }

    std::shared_ptr<State> state_;
};

// `auto [error, count] = co_await socket.async_read_some(buffer, use_task);`
// Dropping the Task cancels the operation; its arguments must outlive the cancelled completion.
struct UseTask {};
inline constexpr UseTask use_task;

namespace task_detail {

template <class Initiate, class... Results>
class AsioAwaiter {
    struct State {
        std::optional<std::tuple<Results...>> results;
        Resumer waiter;
        boost::asio::cancellation_signal signal;
    };

public:
    explicit AsioAwaiter(Initiate initiate) : initiate_(std::move(initiate)) {}
    AsioAwaiter(AsioAwaiter&&) = default;
    ~AsioAwaiter() {
        if (state_ && !state_->results) {
            state_->waiter = {};
            state_->signal.emit(boost::asio::cancellation_type::terminal);
        }
    }

    bool await_ready() const { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) {
        state_ = std::make_shared<State>();
        state_->waiter = Resumer(handle);
        auto slot = state_->signal.slot();
        initiate_(boost::asio::bind_cancellation_slot(slot, [state = state_](Results... results) {
            state->results.emplace(std::move(results)...);
            if (auto waiter = std::exchange(state->waiter, {})) waiter.resume();
        }));
    }
    std::tuple<Results...> await_resume() { return std::move(*state_->results); }

private:
    Initiate initiate_;
    std::shared_ptr<State> state_;
};

template <class... Results, class Initiate>
AsioAwaiter<Initiate, Results...> asio_awaiter(Initiate initiate) {
    return AsioAwaiter<Initiate, Results...>(std::move(initiate));
}

}  // namespace task_detail

template <class... Results>
struct boost::asio::async_result<UseTask, void(Results...)> {
    template <class Initiation, class... Args>
    static auto initiate(Initiation&& initiation, UseTask, Args&&... args) {
        return task_detail::asio_awaiter<std::decay_t<Results>...>(
            [initiation = std::forward<Initiation>(initiation),
             args = std::make_tuple(std::forward<Args>(args)...)](auto&& handler) mutable {
                std::apply(
                    [&](auto&&... arg) {
                        std::move(initiation)(std::forward<decltype(handler)>(handler), std::move(arg)...);
                    },
                    std::move(args));
            });
    }
};

Task<> sleep_until(Loop& loop, Deadline deadline);
Task<> sleep_for(Loop& loop, std::chrono::milliseconds span);

// Returns the task's value, or a Timeout error that says `what` took too long; the task is dropped then.
template <class T>
Task<T> with_deadline(Loop& loop, Task<T> task, Deadline deadline, std::string what) {
    if (deadline.is_never()) co_return co_await std::move(task);
    Completion<Result<T>> first(loop);
    Running running = start(std::move(task), [first](Result<T> result) { first.set(std::move(result)); });
    // Most tasks that complete at once need no timer.
    std::optional<boost::asio::steady_timer> timer;
    if (!first.is_set()) {
        timer.emplace(loop, deadline.at());
        timer->async_wait([first, what = std::move(what)](boost::system::error_code error) {
            if (!error) first.set(Error{.code = ErrorCode::Timeout, .message = what + " took too long."});
        });
    }
    Result<T> result = co_await first;
    if constexpr (std::is_void_v<T>) {
        co_await std::move(result);
    } else {
        co_return std::move(result);
    }
}
