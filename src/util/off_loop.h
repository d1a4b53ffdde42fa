// Runs work on long texts without blocking the loop.
#pragma once

#include "util/worker.h"

// The size from which a text is worth a thread: a few milliseconds of the loop.
inline constexpr std::size_t kLargeText = 256UL * 1024;

// Runs the work here when it concerns few bytes, otherwise like on_worker: it must own the data it uses.
template <class T>
Task<T> off_loop(Loop& loop, std::size_t bytes, std::function<Result<T>()> work) {
    if (bytes >= kLargeText) co_return co_await on_worker<T>(loop, std::move(work));
    Result<T> result = worker_detail::attempt<T>(work);
    co_return std::move(result);
}
