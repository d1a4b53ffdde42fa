// Who may open a browser context, and when.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "util/async.h"
#include "util/task.h"

namespace browsers {

struct AdmissionOptions {
    std::size_t max_contexts = 1000;  // contexts at once
    std::uint64_t memory = 0;         // bytes that browsers may use together; zero: no limit
    // Max contexts opening at the same time: next to sessions that already had one, and with no such session.
    std::size_t at_once = 1, at_once_alone = 2;
    // Callers that arrive within this time of each other form one rush.
    std::chrono::milliseconds rush{500};
    // After each opening next to such a session, the next one waits for this multiple of the opening's
    // duration, for at most `max_pause`, and for at most `max_total_pause` in one rush.
    double pause_factor = 0;
    std::chrono::milliseconds max_pause{350}, max_total_pause{35'000};
    std::chrono::milliseconds queue_timeout{30'000};  // how long a call waits for its slot
    std::chrono::milliseconds ask_again{100};         // between two requests for room
};

// How much of the limits is used.
struct Occupancy {
    std::size_t live = 0, max_contexts = 0, waiting = 0;
    std::uint64_t memory = 0, memory_limit = 0;
};

class Slot;

// Hands out slots for contexts. A caller waits when no slot is free; the next slot goes to the owner with the
// fewest slots, and within one owner to the first caller. Lives on the main loop.
class Admission {
public:
    // Gives the bytes that browsers use now; called rarely.
    using Measure = std::function<std::uint64_t()>;
    // Makes an idle session give up its slot. False when no session is idle.
    using MakeRoom = std::function<Task<bool>()>;

    Admission(Loop& loop, AdmissionOptions options, Measure measure = {});
    ~Admission();

    void set_make_room(MakeRoom make_room);
    // Waits for a slot until `deadline`; then fails with ResourceExhausted and says how full the pool is.
    Task<Slot> enter(std::string owner, Deadline deadline);
    // Whether no caller opens a context or waits to.
    bool is_calm() const;
    // Whether another caller would get a slot at once.
    bool has_room() const;
    Occupancy occupancy() const;

private:
    friend class Slot;
    struct State;
    static Task<> make_room(std::weak_ptr<State> weak);

    std::shared_ptr<State> state_;
};

// The right to have a context. Dropping it lets the next caller in.
class [[nodiscard]] Slot {
public:
    Slot(std::shared_ptr<Admission::State> state, std::string owner);
    Slot(Slot&& other) noexcept;
    Slot& operator=(Slot&&) = delete;
    ~Slot();

    // Waits until `deadline` for this slot's turn to open its context.
    Task<> wait_to_open(Deadline deadline);
    // Whether the context opens next to working sessions; keep() holds `until_opened` while it does.
    bool is_beside() const;
    void keep(std::shared_ptr<void> until_opened) { until_opened_ = std::move(until_opened); }
    // The context exists. Next to working sessions, its first call must end before the next context opens: a
    // new page takes as much of the machine as a new context. True when the caller still has to call
    // opened().
    bool is_opened_by_first_call();
    // The context is in use, or never will be: the next one may open.
    void opened();

private:
    void begin();

    std::shared_ptr<Admission::State> state_;
    std::string owner_;
    std::uint64_t number_;
    bool opening_ = false;
    Deadline::Clock::time_point began_ = {};  // when the opening began
    std::shared_ptr<void> until_opened_ = {};
};

}  // namespace browsers
