#include "session/turn_queue.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace session {

// A place in the line, left when it is dropped.
class TurnQueue::Place {
public:
    Place(std::shared_ptr<State> state, std::optional<std::string> tab)
        : state_(std::move(state)),
          asked_(state_->line.insert(state_->line.end(), Asked{std::move(tab), ++state_->last_number,
                                                               Completion<bool>(state_->loop)})) {
        state_->call_next();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        if (asked_->called.is_set()) state_->last_end = Clock::now();
        state_->line.erase(asked_);
        state_->call_next();
    }

    const Completion<bool>& called() const { return asked_->called; }
    std::uint64_t number() const { return asked_->number; }

private:
    std::shared_ptr<State> state_;
    Line::iterator asked_;
};

void TurnQueue::State::call_next() {
    std::set<std::string_view> ahead;
    for (const Asked& asked : line) {
        if (!asked.tab) {
            if (ahead.empty() && !asked.called.is_set()) asked.called.set(true);
            return;
        }
        if (ahead.insert(*asked.tab).second && !asked.called.is_set()) asked.called.set(true);
    }
}

Task<Turn> TurnQueue::take() { return take(state_, std::nullopt); }
Task<Turn> TurnQueue::take(std::string tab) { return take(state_, std::move(tab)); }

Task<Turn> TurnQueue::take(std::shared_ptr<State> state, std::optional<std::string> tab) {
    auto place = std::make_unique<Place>(std::move(state), std::move(tab));
    // Costs no step of the loop when no other turn comes first.
    if (!place->called().is_set()) co_await place->called();
    co_return Turn(std::move(place));
}

bool TurnQueue::is_taken() const { return !state_->line.empty(); }

bool TurnQueue::is_taken(const std::string& tab) const {
    return std::ranges::any_of(state_->line,
                               [&](const Asked& asked) { return asked.tab == tab && asked.called.is_set(); });
}

bool TurnQueue::has_for_session() const {
    return std::ranges::any_of(state_->line, [](const Asked& asked) { return !asked.tab; });
}

Turn::Turn(std::unique_ptr<TurnQueue::Place> place) : place_(std::move(place)) {}
Turn::Turn(Turn&&) noexcept = default;
Turn::~Turn() = default;

std::uint64_t Turn::number() const { return place_->number(); }

}  // namespace session
