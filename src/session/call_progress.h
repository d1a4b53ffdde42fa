// What a call under way waits for, and by when that should be over.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "util/async.h"

namespace session {

// Follows one call through its waits, for the watchdog. A call goes through stages: its place in the pool, a
// browser, its tool. A stage should be over at the latest of the deadlines that its waits were given. Lives
// on the main loop, as long as its call.
class CallProgress {
public:
    // Gets the latest wait and the limit of its stage.
    using Tell = std::function<void(const std::string& what, Deadline limit)>;

    // So long a tool may work that waits for nothing.
    static constexpr std::chrono::seconds kOwnWork{15};

    explicit CallProgress(Tell tell) : tell_(std::move(tell)) {}

    // A new stage: the limits of those before do not count any more.
    void begin(const std::string& what, Deadline limit) {
        limit_ = limit;
        tell_(what, limit_);
    }
    void begin_tool() { begin("its tool", Deadline::in(kOwnWork)); }
    // One more wait of the same stage.
    void wait(const std::string& what, Deadline limit) {
        if (limit.at() > limit_.at()) limit_ = limit;
        tell_(what, limit_);
    }

private:
    Tell tell_;
    Deadline limit_ = Deadline::never();
};

}  // namespace session
