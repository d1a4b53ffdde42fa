// Separates refusals by the browser or a page from our own failures.
#pragma once

#include <string>
#include <string_view>

#include "util/task.h"

namespace cdp {

// Turns the error into one about an invalid request.
inline Error as_refusal(Error error) {
    constexpr std::string_view kOurs = "PageError: ";
    if (error.code != ErrorCode::InternalError) return error;
    error.code = ErrorCode::InvalidArgument;
    if (error.message.starts_with(kOurs)) error.message.erase(0, kOurs.size());
    return error;
}

template <class T>
Task<T> refusable(Task<T> task) {
    auto result = co_await as_result(std::move(task));
    if (!result) co_await as_refusal(std::move(result).error());
    if constexpr (!std::is_void_v<T>) co_return std::move(*result);
}

}  // namespace cdp
