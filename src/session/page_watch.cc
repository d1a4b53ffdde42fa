#include "session/page_watch.h"

#include <algorithm>

#include "engine/runaway.h"

namespace session {
namespace {

using namespace std::chrono_literals;
using Found = engine::RunawayGuard::Found;

// A page on a busy machine may take a while to answer.
constexpr auto kTimeout = 2s;
constexpr auto kMinLimit = 1s;
constexpr auto kMemoryInterval = 1s;
// A call that notices the loss itself describes it better.
constexpr auto kOwnWords = 100ms;

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

Task<> until(Completion<bool> done) { co_await done; }

engine::RunawayGuard* guard_of(const std::shared_ptr<Tab>& tab) {
    return tab ? dynamic_cast<engine::RunawayGuard*>(&tab->page()) : nullptr;
}

}  // namespace

PageWatch::PageWatch(std::shared_ptr<Session> session, std::shared_ptr<Tab> tab)
    : state_(std::make_shared<State>(State{std::move(session), std::move(tab)})),
      watching_memory_(start(watch_memory(state_))),
      watching_scripts_(start(watch_scripts(state_))),
      watching_breakdowns_(state_->session->watch_breakdowns(
          [weak = std::weak_ptr(state_)](const Session::Breakdown& breakdown) {
              if (auto state = weak.lock()) take(state, breakdown);
          })) {}

std::shared_ptr<Tab> PageWatch::State::watched() const { return tab ? tab : session->current_tab(); }

void PageWatch::take(const std::shared_ptr<State>& state, const Session::Breakdown& breakdown) {
    // A call that opens a tab does not need the one that it leaves.
    bool leaves_tab = !state->tab && state->session->is_opening_tab();
    bool is_ours = !breakdown.tab || (breakdown.tab == state->watched().get() && !leaves_tab);
    if (!is_ours || state->loss) return;
    state->loss = Loss{!breakdown.tab, breakdown.error, state->session->take_notes()};
    for (const std::string& note : state->loss->notes) state->session->add_note(note);
    state->giving_up = start(give_up(state), [](Result<void>) {});
}

void PageWatch::restore_notes() {
    if (!state_->loss) return;
    std::vector<std::string> left = state_->session->take_notes();
    std::vector<std::string> notes = state_->loss->notes;
    for (std::string& note : left) {
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
    }
    for (std::string& note : notes) state_->session->add_note(std::move(note));
}

Task<> PageWatch::give_up(std::weak_ptr<State> weak) {
    auto state = weak.lock();
    Loop& loop = state->session->loop();
    state = nullptr;
    co_await sleep_for(loop, kOwnWords);
    state = weak.lock();
    if (state && state->give_up) state->give_up(state->loss->error);
}

Task<> PageWatch::look_again(Deadline deadline) {
    Loop& loop = state_->session->loop();
    Completion<bool> done(loop);
    start(look_once_more(state_), [done](Result<void>) { done.set(true); }).detach();
    (void)co_await as_result(with_deadline(loop, until(done), deadline, "Looking at the page"));
}

Task<> PageWatch::look_once_more(std::shared_ptr<State> state) {
    co_await look_at_memory(state);
    auto limit = state->session->options().budget.script_time;
    if (limit.count() > 0)
        co_await look_at_scripts(state, std::min<std::chrono::milliseconds>(limit, kTimeout));
}

Task<> PageWatch::watch_memory(std::shared_ptr<State> state) {
    if (state->session->options().budget.heap == 0) co_return;
    while (!state->found) {
        co_await sleep_for(state->session->loop(), kMemoryInterval);
        co_await look_at_memory(state);
    }
}

// A check lasts as long as the page is silent, so one that began with the script ends it in time.
Task<> PageWatch::watch_scripts(std::shared_ptr<State> state) {
    auto limit = state->session->options().budget.script_time;
    if (limit.count() <= 0) co_return;
    auto pause = std::clamp<std::chrono::milliseconds>(limit / 20, 20ms, 1s);
    while (!state->found) {
        co_await sleep_for(state->session->loop(), pause);
        co_await look_at_scripts(state, limit);
    }
}

Task<> PageWatch::look_at_memory(std::shared_ptr<State> state) {
    std::uint64_t limit = state->session->options().budget.heap;
    std::shared_ptr<Tab> tab = state->watched();
    auto* guard = guard_of(tab);
    if (!guard || state->found || limit == 0) co_return;
    auto used = co_await as_result(guard->heap_used(kTimeout));
    if (!used || *used <= limit) co_return;
    // Sets the reason first: waits for the page fail with it.
    state->found = too_large(*used, limit);
    co_await guard->end_page();
    if (state->give_up) state->give_up(*state->found);
}

Task<> PageWatch::look_at_scripts(std::shared_ptr<State> state, std::chrono::milliseconds limit) {
    std::shared_ptr<Tab> tab = state->watched();
    auto* guard = guard_of(tab);
    if (!guard || state->found) co_return;
    auto found =
        co_await as_result(guard->stop_runaway(std::max<std::chrono::milliseconds>(limit, kMinLimit)));
    if (!found || *found == Found::Answers || state->found) co_return;
    state->found = ran_away(*found);
    // A page that has ended no longer answers.
    if (*found == Found::Ended && state->give_up) state->give_up(*state->found);
}

}  // namespace session
