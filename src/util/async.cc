#include "util/async.h"

std::chrono::milliseconds Deadline::remaining() const {
    if (is_never()) return std::chrono::milliseconds::max();
    return std::max(std::chrono::milliseconds(0),
                    std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now()));
}

Task<> sleep_until(Loop& loop, Deadline deadline) {
    boost::asio::steady_timer timer(loop, deadline.at());
    co_await timer.async_wait(use_task);
}

Task<> sleep_for(Loop& loop, std::chrono::milliseconds span) { return sleep_until(loop, Deadline::in(span)); }
