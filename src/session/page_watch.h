// Looking after the page of a call under way.
#pragma once

#include <memory>
#include <optional>

#include "session/session.h"

namespace session {

// Stops the page of the call's tab when its script lets nothing else happen, and ends it when it takes more
// memory than the session's budget has. Looks now and then until dropped. A call whose browser ends, or whose
// tab crashes, ends with it.
class PageWatch {
public:
    // Null: the session's current tab, whichever that is.
    explicit PageWatch(std::shared_ptr<Session> session, std::shared_ptr<Tab> tab = nullptr);

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
    // What the call's page or browser came to meanwhile.
    struct Loss {
        bool whole_browser;
        Error error;
    };
    const std::optional<Loss>& loss() const { return state_->loss; }

private:
    struct State {
        std::shared_ptr<Session> session;
        std::shared_ptr<Tab> tab = {};  // null: the current one
        std::shared_ptr<Tab> watched() const;
        std::optional<Error> found = {};
        std::optional<Loss> loss = {};
        Running giving_up = {};
        std::function<void(const Error&)> give_up = {};
    };
    static Task<> watch_memory(std::shared_ptr<State> state);
    static Task<> watch_scripts(std::shared_ptr<State> state);
    static Task<> look_at_memory(std::shared_ptr<State> state);
    static Task<> look_at_scripts(std::shared_ptr<State> state, std::chrono::milliseconds limit);
    static void take(const std::shared_ptr<State>& state, const Session::Breakdown& breakdown);
    static Task<> give_up(std::weak_ptr<State> state);

    std::shared_ptr<State> state_;
    Running watching_memory_, watching_scripts_;
    std::shared_ptr<Session::BreakdownWatch> watching_breakdowns_;
};

}  // namespace session
