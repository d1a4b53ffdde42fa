// Looking after the page of a call under way.
#pragma once

#include <memory>
#include <optional>

#include "session/session.h"

namespace session {

// Stops the current tab's page when its script lets nothing else happen, and ends it when it takes more
// memory than the session's budget has. Looks now and then until dropped.
class PageWatch {
public:
    explicit PageWatch(std::shared_ptr<Session> session);

    // One more look, for a call that failed: did the page keep it from being done?
    Task<> look_again();
    // What the caller should know instead of what else the call came to.
    const std::optional<Error>& found() const { return state_->found; }

private:
    struct State {
        std::shared_ptr<Session> session;
        std::optional<Error> found = {};
    };
    static Task<> watch(std::shared_ptr<State> state);
    static Task<> look(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
    Running watching_;
};

}  // namespace session
