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

    // Runs a call, which ends with its page.
    template <class T>
    Task<T> run(Task<T> call) {
        auto state = state_;
        Completion<Result<T>> first(state->session->loop());
        state->give_up = [first](const Error& error) { first.set(error); };
        Running running = start(std::move(call), [first](Result<T> result) { first.set(std::move(result)); });
        Result<T> result = co_await first;
        co_return std::move(result);
    }
    // One more look, for a call that failed: did the page keep it from being done?
    Task<> look_again();
    // What the caller should know instead of what else the call came to.
    const std::optional<Error>& found() const { return state_->found; }

private:
    struct State {
        std::shared_ptr<Session> session;
        std::optional<Error> found = {};
        std::function<void(const Error&)> give_up = {};
    };
    static Task<> watch(std::shared_ptr<State> state);
    enum class Scripts { Look, Leave };
    static Task<> look(std::shared_ptr<State> state, Scripts scripts);

    std::shared_ptr<State> state_;
    Running watching_;
};

}  // namespace session
