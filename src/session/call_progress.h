// The present wait of a running call, and when it should end.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "util/async.h"

namespace session {

// Follows one call through its waits, for the watchdog. A call goes through stages: its place in the pool, a
// browser, its tool. A stage should end by the latest deadline of its waits. Lives on the main loop, as long
// as its call.
class CallProgress {
public:
    // Called with the latest wait and the limit of its stage.
    using OnStage = std::function<void(const std::string& what, Deadline limit)>;

    // How long a tool may work without waiting for anything.
    static constexpr std::chrono::seconds kOwnWork{15};

    // Called with each step of the call, worded for its caller.
    using Note = std::function<void(const std::string& step)>;

    explicit CallProgress(OnStage on_stage, Note note = {})
        : on_stage_(std::move(on_stage)), note_(std::move(note)) {}

    // Begins a stage: the limits of earlier stages no longer count.
    void begin(const std::string& what, Deadline limit) {
        note("waiting for " + what);
        begin_stage(what, limit);
    }
    void begin_tool() { begin_stage("its tool", Deadline::in(kOwnWork)); }
    // Adds a wait to the stage.
    void wait(const std::string& what, Deadline limit) {
        if (limit.at() > limit_.at()) limit_ = limit;
        on_stage_(what, limit_);
    }
    bool notes() const { return static_cast<bool>(note_); }
    void note(const std::string& step) const {
        if (note_) note_(step);
    }

private:
    void begin_stage(const std::string& what, Deadline limit) {
        limit_ = limit;
        on_stage_(what, limit_);
    }

    OnStage on_stage_;
    Note note_;
    Deadline limit_ = Deadline::never();
};

}  // namespace session
