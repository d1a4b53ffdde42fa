// Errors as values: Error holds what happened and the remedy; Result<T> is a value or an Error.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

enum class ErrorCode {
    InvalidSelector,
    InvalidUrl,
    MissingParameter,
    InvalidArgument,
    SessionNotFound,
    ElementNotFound,
    ElementNotInteractive,
    NotFound,
    PolicyDenied,
    BrowserCrashed,
    Timeout,
    NetworkError,
    NavigationFailed,
    ResourceExhausted,
    Cancelled,
    InternalError,
};

// The code's name in the protocol: "ELEMENT_NOT_FOUND".
std::string_view to_string(ErrorCode code);

// The same type from the page script to the protocol.
struct Error {
    ErrorCode code = ErrorCode::InternalError;
    std::string message;       // what happened, in the caller's words
    std::string hint = {};     // what to do next; may be empty
    std::string details = {};  // for a program or a bug report; may be empty

    // Whether the same call may succeed later without a change.
    bool retryable() const;
    // "message hint" on one line.
    std::string to_string() const;
};

// A value or an Error. Both convert implicitly, so a function can return either.
template <class T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    Error& error() & { return std::get<1>(state_); }
    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

    T value_or(T fallback) && { return has_value() ? std::move(*this).value() : std::move(fallback); }

private:
    std::variant<T, Error> state_;
};

// The value of a Result without a value: `return ok();`.
struct Ok {};
inline Ok ok() { return {}; }

template <>
class [[nodiscard]] Result<void> : public Result<Ok> {
public:
    Result(Ok = {}) : Result<Ok>(Ok{}) {}
    Result(Error error) : Result<Ok>(std::move(error)) {}
    void value() const {}
};

// Evaluates to the value, or returns the error from the enclosing function. In a Task, `co_await` does that.
#define TRY(expression)                                                      \
    ({                                                                       \
        auto try_result_ = (expression);                                     \
        if (!try_result_.has_value()) return std::move(try_result_).error(); \
        std::move(try_result_).value();                                      \
    })
