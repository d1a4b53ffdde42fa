// The order of a session's calls: by tab if they name one, else one at a time.
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
// waits for all earlier ones, and all later ones wait for it. So no turn is overtaken by one that it
// conflicts with, and none waits forever. An abandoned turn goes to the next in line.
class TurnQueue {
public:
    explicit TurnQueue(Loop& loop) : state_(std::make_shared<State>(loop)) {}

    // Takes a turn in the whole session.
    Task<Turn> take();
    // Takes a turn in one tab.
    Task<Turn> take(std::string tab);
    bool is_taken() const;
    // Calls that have a turn or wait for one.
    std::size_t length() const { return state_->line.size(); }
    // Whether a call has a turn in this very tab.
    bool is_taken(const std::string& tab) const;
    // Whether a call has a turn in the whole session, or waits for one.
    bool has_for_session() const;
    using Clock = std::chrono::steady_clock;
    // When a turn last ended; time_point::min() before the first one did.
    Clock::time_point last_end() const { return state_->last_end; }

private:
    friend class Turn;
    struct Asked {
        std::optional<std::string> tab;  // nothing: the whole session
        std::uint64_t number;            // in the order of requests
        Completion<bool> called;
    };
    using Line = std::list<Asked>;
    struct State {
        explicit State(Loop& given) : loop(given) {}
        // Calls each entry that no longer has to wait for another.
        void call_next();

        Loop& loop;
        Line line;  // calls that have a turn or wait for one, in the order of requests
        std::uint64_t last_number = 0;
        Clock::time_point last_end = Clock::time_point::min();
    };
    class Place;
    static Task<Turn> take(std::shared_ptr<State> state, std::optional<std::string> tab);

    std::shared_ptr<State> state_;
};

// The right to go on. Dropping it lets the next calls proceed.
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
