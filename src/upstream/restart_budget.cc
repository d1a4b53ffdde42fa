#include "upstream/restart_budget.h"

#include <algorithm>

namespace upstream {

void RestartBudget::note_end(Time now) {
    forget_old(now);
    ends_.push_back(now);
}

void RestartBudget::forget_old(Time now) {
    while (!ends_.empty() && now - ends_.front() >= limits_.window) ends_.pop_front();
}

std::optional<RestartBudget::Time> RestartBudget::closed_until(Time now) {
    forget_old(now);
    if (ends_.size() <= limits_.pauses.size()) return std::nullopt;
    // Allows starts again once the window holds only as many ends as there are pauses.
    return ends_[ends_.size() - 1 - limits_.pauses.size()] + limits_.window;
}

Result<RestartBudget::Time> RestartBudget::next_start(Time now) {
    if (auto again = closed_until(now)) {
        auto wait = std::chrono::ceil<std::chrono::seconds>(*again - now).count();
        return Error{
            .code = ErrorCode::ResourceExhausted,
            .message = "This session's MCP server is degraded: it ended " + std::to_string(ends_.size()) +
                       " times in short order and is not started again for now.",
            .hint = "Try again in " + std::to_string(wait) +
                    " seconds, or start over at once: close the session and, if it has a name, create "
                    "it again. The server's log says what it printed before it ended."};
    }
    if (ends_.empty()) return now;
    return std::max(now, ends_.back() + limits_.pauses[ends_.size() - 1]);
}

}  // namespace upstream
