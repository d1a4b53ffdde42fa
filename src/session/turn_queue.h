// One at a time, in the order in which they asked.
#pragma once

#include <list>
#include <memory>

#include "util/async.h"
#include "util/task.h"

namespace session {

class Turn;

// Hands out turns. A turn that nobody waits for any more goes to the next in line.
class TurnQueue {
public:
    explicit TurnQueue(Loop& loop) : state_(std::make_shared<State>(loop)) {}

    // Completes when all that asked before have given their turns back.
    Task<Turn> take();
    bool is_taken() const { return state_->taken; }

private:
    friend class Turn;
    struct State {
        explicit State(Loop& given) : loop(given) {}
        void pass_on();

        Loop& loop;
        bool taken = false;
        std::list<Completion<bool>> waiting;
    };
    class Place;
    static Task<Turn> take(std::shared_ptr<State> state);

    std::shared_ptr<State> state_;
};

// The right to go on. Dropping it lets the next one.
class [[nodiscard]] Turn {
public:
    explicit Turn(std::shared_ptr<TurnQueue::State> state) : state_(std::move(state)) {}
    Turn(Turn&&) noexcept = default;
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
        if (state_) state_->pass_on();
    }

private:
    std::shared_ptr<TurnQueue::State> state_;
};

}  // namespace session
