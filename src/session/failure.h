// Errors in the wording that Playwright's users know.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "util/result.h"
#include "util/task.h"

namespace session {

// The running operation, as Playwright calls it, and how long it may take.
struct Operation {
    std::string_view name;              // locator.click
    std::chrono::milliseconds limit{};  // zero: none
    std::string log = {};               // a line that says more, shown when it fails
};

// "locator.click: Timeout 5000ms exceeded." with the engine's reason as the call log; other errors get the
// name before them.
Error in_playwright_words(Error error, const Operation& operation);

// The error as an answer shows it: "TimeoutError: …" or "Error: …".
std::string to_text(const Error& error);

// Runs the task; its errors get Playwright's wording.
template <class T>
Task<T> run_as(Operation operation, Task<T> task) {
    auto result = co_await as_result(std::move(task));
    if (!result) co_await in_playwright_words(result.error(), operation);
    if constexpr (!std::is_void_v<T>) co_return std::move(*result);
}

}  // namespace session
