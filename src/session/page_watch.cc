#include "session/page_watch.h"

#include "engine/runaway.h"

namespace session {
namespace {

using namespace std::chrono_literals;
using Found = engine::RunawayGuard::Found;

// A page on a busy machine may take a while to say anything.
constexpr auto kPatience = 2s;
constexpr auto kMemoryInterval = 1s;

Error ran_away(Found found) {
    return Error{
        .code = ErrorCode::ResourceExhausted,
        .message = found == Found::Stopped
                       ? "A script of the page did not end and let nothing else happen. It was stopped."
                       : "The page did not answer any more and was ended. The next call begins with a "
                         "blank one.",
        .hint = "Other tabs and sessions are not affected."};
}

Error too_large(std::uint64_t used, std::uint64_t limit) {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "Scripts of the page used " + std::to_string(used >> 20) +
                            " MiB; this session may use " + std::to_string(limit >> 20) +
                            " MiB in a tab. The page was ended, and the next call begins with a blank one.",
                 .hint = "Do less in one page, or give the session a larger budget."};
}

// The next call must not begin on a page that is about to go.
Task<> until_crashed(Loop& loop, std::shared_ptr<Tab> tab) {
    Deadline deadline = Deadline::in(kPatience);
    while (!tab->has_crashed() && !deadline.has_passed()) co_await sleep_for(loop, 10ms);
}

}  // namespace

PageWatch::PageWatch(std::shared_ptr<Session> session)
    : state_(std::make_shared<State>(State{std::move(session)})), watching_(start(watch(state_))) {}

Task<> PageWatch::look_again() { return look(state_, Scripts::Look); }

Task<> PageWatch::watch(std::shared_ptr<State> state) {
    const Budget& budget = state->session->options().budget;
    auto pause = budget.heap > 0 ? std::chrono::milliseconds(kMemoryInterval) : budget.script_time;
    if (pause.count() <= 0) co_return;
    auto begun = Deadline::Clock::now();
    while (!state->found) {
        co_await sleep_for(state->session->loop(), pause);
        bool is_due = budget.script_time.count() > 0 && Deadline::Clock::now() - begun >= budget.script_time;
        if (is_due || budget.heap > 0) co_await look(state, is_due ? Scripts::Look : Scripts::Leave);
    }
}

Task<> PageWatch::look(std::shared_ptr<State> state, Scripts scripts) {
    const Budget& budget = state->session->options().budget;
    std::shared_ptr<Tab> tab = state->session->current_tab();
    auto* guard = tab ? dynamic_cast<engine::RunawayGuard*>(&tab->page()) : nullptr;
    if (!guard || state->found) co_return;
    if (budget.heap > 0) {
        auto used = co_await as_result(guard->heap_used(kPatience));
        if (used && *used > budget.heap) {
            guard->end_page();
            co_await until_crashed(state->session->loop(), tab);
            state->found = too_large(*used, budget.heap);
            if (state->give_up) state->give_up(*state->found);
            co_return;
        }
    }
    if (scripts == Scripts::Leave || budget.script_time.count() <= 0) co_return;
    auto found = co_await as_result(guard->stop_runaway(kPatience));
    if (!found || *found == Found::Answers) co_return;
    if (*found == Found::Ended) co_await until_crashed(state->session->loop(), tab);
    state->found = ran_away(*found);
    // A page that has ended answers nothing any more.
    if (*found == Found::Ended && state->give_up) state->give_up(*state->found);
}

}  // namespace session
