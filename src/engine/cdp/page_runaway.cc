// A page whose script does not end, or takes too much.
#include <algorithm>

#include "engine/cdp/page.h"

namespace cdp {

using Found = engine::RunawayGuard::Found;

// Terminating and crashing go past the page's main thread; all else waits for it.
Task<Found> Page::stop_runaway(std::chrono::milliseconds patience) {
    auto self = shared_from_this();
    // While a new document is awaited, the browser keeps what we send from the page; that is nobody's fault.
    auto is_navigating = [&] {
        return std::ranges::any_of(requests(), [](const engine::RequestEntry& request) {
            return request.is_navigation && !request.status && !request.finished && !request.redirected &&
                   request.failure.empty();
        });
    };
    auto is_held_up = [&] { return closed_ || crashed_ || !dialogs_.open().empty() || is_navigating(); };
    auto answer = [&] {
        return as_result(bounded(session_->send("Runtime.evaluate", {{"expression", "0"}}),
                                 Deadline::in(patience), "Looking at the page"));
    };
    auto is_silent = [](const Result<json::value>& result) {
        return !result && result.error().code == ErrorCode::Timeout;
    };
    if (is_held_up() || !is_silent(co_await answer()) || is_held_up()) co_return Found::Answers;
    session_->post("Runtime.terminateExecution");
    if (!is_silent(co_await answer())) co_return Found::Stopped;
    if (is_held_up()) co_return Found::Answers;
    end_page();
    co_return Found::Ended;
}

Task<std::uint64_t> Page::heap_used(std::chrono::milliseconds patience) {
    auto self = shared_from_this();
    json::value usage = co_await bounded(session_->send("Runtime.getHeapUsage"), Deadline::in(patience),
                                         "Measuring the page's memory");
    double total = 0;
    for (const char* part : {"usedSize", "embedderHeapUsedSize", "backingStorageSize"}) {
        if (const json::value* bytes = usage.as_object().if_contains(part))
            total += bytes->to_number<double>();
    }
    co_return static_cast<std::uint64_t>(total);
}

void Page::end_page() { session_->post("Page.crash"); }

}  // namespace cdp
