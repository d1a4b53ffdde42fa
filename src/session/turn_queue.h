// The order of a session's calls: by tab where they name one, and else one at a time.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "util/async.h"
#include "util/task.h"

namespace session {

class Turn;

// Hands out turns. A turn in a tab waits for those before it in the same tab; a turn in the whole session
// waits for all that asked before, and all that ask later wait for it. So nobody is overtaken by a turn that
// it conflicts with, and nobody waits for ever. A turn that nobody waits for any more goes to the next in
// line.
class TurnQueue {
public:
    explicit TurnQueue(Loop& loop) : state_(std::make_shared<State>(loop)) {}

    // In the whole session.
    Task<Turn> take();
    // In one tab.
    Task<Turn> take(std::string tab);
    bool is_taken() const;
    // Whether somebody has a turn in this very tab.
    bool is_taken(const std::string& tab) const;
    using Clock = std::chrono::steady_clock;
    // When a turn last ended; the beginning of time before the first one did.
    Clock::time_point last_end() const { return state_->last_end; }

private:
    friend class Turn;
    struct Asked {
        std::optional<std::string> tab;  // nothing: the whole session
        std::uint64_t number;            // in the order in which they asked
        Completion<bool> called;
    };
    using Line = std::list<Asked>;
    struct State {
        explicit State(Loop& given) : loop(given) {}
        // Calls whoever has nobody left to wait for.
        void call_next();

        Loop& loop;
        Line line;  // those who have a turn and those who wait for one, as they asked
        std::uint64_t last_number = 0;
        Clock::time_point last_end = Clock::time_point::min();
    };
    class Place;
    static Task<Turn> take(std::shared_ptr<State> state, std::optional<std::string> tab);

    std::shared_ptr<State> state_;
};

// The right to go on. Dropping it lets the next ones.
class [[nodiscard]] Turn {
public:
    Turn(Turn&&) noexcept;
    Turn& operator=(Turn&&) = delete;
    ~Turn();

    // Of two turns, the one that was asked for later has the greater number.
    std::uint64_t number() const;

private:
    friend class TurnQueue;
    explicit Turn(std::unique_ptr<TurnQueue::Place> place);

    std::unique_ptr<TurnQueue::Place> place_;
};

}  // namespace session
