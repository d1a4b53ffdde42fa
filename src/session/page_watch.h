// Watches the page of a running call.
#pragma once

#include <memory>
#include <optional>

#include "session/session.h"

namespace session {

// Stops a script that blocks the page of the call's tab, and ends the page when it takes more memory than the
// session's budget allows. Checks now and then until dropped. A call ends when its browser ends or its tab
// crashes.
class PageWatch {
public:
    // Null: the session's current tab at any time.
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
    // How long look_again() takes at most.
    static constexpr std::chrono::seconds kLookLimit{12};
    // Checks once more, for a call that failed: did the page cause it? Goes on after the deadline, so that a
    // page that does not answer is ended for the next call.
    Task<> look_again(Deadline deadline);
    // The error that replaces the call's own result.
    const std::optional<Error>& found() const { return state_->found; }
    // The loss of the call's page or browser.
    struct Loss {
        bool whole_browser;
        Error error;
        std::vector<std::string> notes = {};  // of the session about it
    };
    // Call before an error replaces a result that has taken the session's notes about the loss.
    void restore_notes();
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
    static Task<> look_once_more(std::shared_ptr<State> state);
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
