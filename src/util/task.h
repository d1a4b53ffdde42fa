// Task<T>: a coroutine that starts when awaited, has one owner, and is cancelled by dropping it.
//
// `co_await task` gives the value or ends the awaiting Task with the same error;
// `co_await as_result(task)` gives the Result for the few places that act on a failure.
// `co_await result` does the same for a plain Result<T>, and `co_await Error{...}` ends the Task with it.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "util/result.h"

template <class T = void>
class Task;

namespace task_detail {

// Carries an Error from an inner Task to the promise of the Task that awaited it.
struct Failure {
    Error error;
};

// Returns the Error for an exception that left a Task.
Error error_from_current_exception();

// The outermost coroutine of a chain of Tasks. Knows whether the chain is on the stack right now, so that
// dropping it from inside takes effect at its next suspension instead of destroying running code.
struct Root {
    std::coroutine_handle<> frame;
    bool on_stack = false;
    bool dropped = false;
    bool finished = false;

    void drop();
};

// Lets an awaiter continue the chain that waits on it.
class Resumer {
public:
    Resumer() = default;
    template <class Promise>
    explicit Resumer(std::coroutine_handle<Promise> handle) : handle_(handle), root_(handle.promise().root) {}

    explicit operator bool() const { return static_cast<bool>(handle_); }
    // Continues the chain. The caller must not touch anything the chain owns afterwards.
    void resume() const;

private:
    std::coroutine_handle<> handle_;
    std::shared_ptr<Root> root_;
};

struct PromiseBase {
    std::coroutine_handle<> continuation;
    std::shared_ptr<Root> root;

    std::suspend_always initial_suspend() noexcept { return {}; }

    struct FinalAwaiter {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
            return self.promise().continuation;
        }
        void await_resume() noexcept {}
    };
    FinalAwaiter final_suspend() noexcept { return {}; }

    template <class T>
    auto await_transform(Task<T>&& task);
    template <class T>
    auto await_transform(Result<T>&& result);
    auto await_transform(Error error);
    template <class Awaiter>
    Awaiter&& await_transform(Awaiter&& awaiter) {
        return std::forward<Awaiter>(awaiter);
    }
};

template <class T>
struct Promise : PromiseBase {
    std::optional<Result<T>> result;

    Task<T> get_return_object();
    void unhandled_exception() { result.emplace(error_from_current_exception()); }
    void return_value(T value) { result.emplace(std::move(value)); }
    void return_value(Error error) { result.emplace(std::move(error)); }
    void return_value(Result<T> value) { result.emplace(std::move(value)); }
};

template <>
struct Promise<void> : PromiseBase {
    std::optional<Result<void>> result;

    Task<void> get_return_object();
    void unhandled_exception() { result.emplace(error_from_current_exception()); }
    void return_void() { result.emplace(); }
};

// Awaits a Task and returns its Result.
template <class T>
struct ResultAwaiter {
    Task<T> task;

    bool await_ready() noexcept { return false; }
    template <class Outer>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Outer> outer) noexcept {
        auto& promise = task.handle_.promise();
        promise.continuation = outer;
        promise.root = outer.promise().root;
        return task.handle_;
    }
    Result<T> await_resume() { return std::move(*task.handle_.promise().result); }
};

// Awaits a Task and returns its value, or throws its Error on to the awaiting promise.
template <class T>
struct ValueAwaiter : ResultAwaiter<T> {
    T await_resume() {
        auto result = ResultAwaiter<T>::await_resume();
        if (!result.has_value()) throw Failure{std::move(result).error()};
        if constexpr (!std::is_void_v<T>) return std::move(result).value();
    }
};

template <class T>
struct ReadyAwaiter {
    Result<T> result;

    bool await_ready() noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) noexcept {}
    T await_resume() {
        if (!result.has_value()) throw Failure{std::move(result).error()};
        if constexpr (!std::is_void_v<T>) return std::move(result).value();
    }
};

}  // namespace task_detail

template <class T>
class [[nodiscard]] Task {
public:
    using promise_type = task_detail::Promise<T>;

    Task() = default;
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            if (handle_) handle_.destroy();
            handle_ = std::exchange(other.handle_, {});
        }
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    explicit operator bool() const { return static_cast<bool>(handle_); }

private:
    friend promise_type;
    friend task_detail::ResultAwaiter<T>;
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

    std::coroutine_handle<promise_type> handle_;
};

// `co_await as_result(task)`: returns the Result instead of ending with the error.
template <class T>
task_detail::ResultAwaiter<T> as_result(Task<T> task) {
    return {std::move(task)};
}

// A task in progress. Dropping it cancels the task.
class [[nodiscard]] Running {
public:
    Running() = default;
    explicit Running(std::shared_ptr<task_detail::Root> root) : root_(std::move(root)) {}
    Running(Running&&) noexcept = default;
    Running& operator=(Running&& other) noexcept {
        if (this != &other) {
            cancel();
            root_ = std::move(other.root_);
        }
        return *this;
    }
    ~Running() { cancel(); }

    void cancel() {
        if (auto root = std::exchange(root_, nullptr)) root->drop();
    }
    // Lets the task run to its end on its own.
    void detach() { root_ = nullptr; }
    bool done() const { return !root_ || root_->finished; }

private:
    std::shared_ptr<task_detail::Root> root_;
};

namespace task_detail {

template <class T>
auto PromiseBase::await_transform(Task<T>&& task) {
    return ValueAwaiter<T>{{std::move(task)}};
}

template <class T>
auto PromiseBase::await_transform(Result<T>&& result) {
    return ReadyAwaiter<T>{std::move(result)};
}

inline auto PromiseBase::await_transform(Error error) {
    return ReadyAwaiter<void>{Result<void>(std::move(error))};
}

template <class T>
Task<T> Promise<T>::get_return_object() {
    return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Task<void> Promise<void>::get_return_object() {
    return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

// Awaited inside a root frame: returns its own Root.
struct CurrentRoot {
    std::shared_ptr<Root> root;

    bool await_ready() noexcept { return false; }
    template <class Outer>
    bool await_suspend(std::coroutine_handle<Outer> outer) noexcept {
        root = outer.promise().root;
        return false;
    }
    std::shared_ptr<Root> await_resume() { return std::move(root); }
};

// The frame that owns a started Task and reports its end.
struct RootFrame {
    struct promise_type {
        std::shared_ptr<Root> root = std::make_shared<Root>();

        RootFrame get_return_object() {
            root->frame = std::coroutine_handle<promise_type>::from_promise(*this);
            return {root, Resumer(std::coroutine_handle<promise_type>::from_promise(*this))};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::shared_ptr<Root> root;
    Resumer resumer;
};

template <class T>
RootFrame root_frame(Task<T> task, std::function<void(Result<T>)> done) {
    std::shared_ptr<Root> root = co_await CurrentRoot{};
    Result<T> result = co_await as_result(std::move(task));
    root->finished = true;
    if (done) done(std::move(result));
}

}  // namespace task_detail

// Starts a task on the caller's stack, up to its first wait. `done` gets its Result, unless it was dropped.
template <class T>
Running start(Task<T> task, std::type_identity_t<std::function<void(Result<T>)>> done = {}) {
    auto frame = task_detail::root_frame<T>(std::move(task), std::move(done));
    frame.resumer.resume();
    return Running(std::move(frame.root));
}
