// One result with many waiters.
#pragma once

#include <memory>
#include <vector>

#include "util/async.h"

// Set once; every waiter, before or after, gets a copy. Lives on the loop.
template <class T>
class SharedResult {
public:
    explicit SharedResult(Loop& loop) : loop_(loop) {}

    // A waiter does not need this object after the call.
    Task<T> get() {
        Completion<Result<T>> ready(loop_);
        if (value_)
            ready.set(*value_);
        else
            waiters_.push_back(ready);
        Result<T> value = co_await ready;
        if constexpr (std::is_void_v<T>)
            co_await std::move(value);
        else
            co_return std::move(value);
    }
    void set(Result<T> value) {
        if (value_) return;
        value_ = value;
        for (const auto& waiter : std::exchange(waiters_, {})) waiter.set(value);
    }
    bool is_set() const { return value_.has_value(); }

private:
    Loop& loop_;
    std::optional<Result<T>> value_;
    std::vector<Completion<Result<T>>> waiters_;
};
