#include "session/turn_queue.h"

namespace session {

// A place in the line, left when it is dropped.
class TurnQueue::Place {
public:
    explicit Place(std::shared_ptr<State> state)
        : state_(std::move(state)), entry_(state_->waiting.emplace(state_->waiting.end(), state_->loop)) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        bool called = entry_->is_set();
        state_->waiting.erase(entry_);
        if (called && !used_) state_->pass_on();
    }

    const Completion<bool>& called() const { return *entry_; }
    Turn use() {
        used_ = true;
        return Turn(state_);
    }

private:
    std::shared_ptr<State> state_;
    std::list<Completion<bool>>::iterator entry_;
    bool used_ = false;
};

void TurnQueue::State::pass_on() {
    for (const Completion<bool>& next : waiting) {
        if (next.is_set()) continue;
        next.set(true);
        return;
    }
    taken = false;
}

Task<Turn> TurnQueue::take() { return take(state_); }

Task<Turn> TurnQueue::take(std::shared_ptr<State> state) {
    if (!state->taken) {
        state->taken = true;
        co_return Turn(state);
    }
    Place place(state);
    co_await place.called();
    co_return place.use();
}

}  // namespace session
