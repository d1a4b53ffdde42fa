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

namespace session {

struct AdmissionOptions {
    std::size_t most = 1000;   // contexts at once
    std::uint64_t memory = 0;  // bytes that browsers may use together; zero: no limit
    // Contexts being opened beside somebody who had one before, and when there is nobody to disturb.
    std::size_t at_once = 1, at_once_alone = 2;
    // Those who come so soon after each other come together.
    std::chrono::milliseconds rush{500};
    // Beside somebody, the machine is left alone after each opening for so many times as long as that took,
    // but not for longer than `longest_rest`, and in one rush for no longer than `most_rest` in all.
    double rest = 0;
    std::chrono::milliseconds longest_rest{350}, most_rest{35'000};
    std::chrono::milliseconds patience{30'000};  // how long a call waits for its place
    std::chrono::milliseconds ask_again{100};    // between two requests for room
};

// How full it is.
struct Occupancy {
    std::size_t live = 0, most = 0, waiting = 0;
    std::uint64_t memory = 0, memory_limit = 0;
};

class Place;

// Hands out places for contexts. Whoever finds none waits; of those who wait, the owner with the fewest
// places is next, and of one owner whoever came first. Lives on the main loop.
class Admission {
public:
    // What browsers use now, in bytes; asked rarely.
    using Measure = std::function<std::uint64_t()>;
    // Has somebody who does nothing leave. False when there is nobody.
    using MakeRoom = std::function<Task<bool>()>;

    Admission(Loop& loop, AdmissionOptions options, Measure measure = {});
    ~Admission();

    void set_make_room(MakeRoom make_room);
    // Waits for a place until `deadline`; fails then with ResourceExhausted, and says how full it is.
    Task<Place> enter(std::string owner, Deadline deadline);
    // Whether nobody opens a context, or waits for it.
    bool is_calm() const;
    // Whether one more would find a place at once.
    bool has_room() const;
    Occupancy occupancy() const;

private:
    friend class Place;
    struct State;
    static Task<> make_room(std::weak_ptr<State> weak);

    std::shared_ptr<State> state_;
};

// The right to have a context. Dropping it lets the next one in.
class [[nodiscard]] Place {
public:
    Place(std::shared_ptr<Admission::State> state, std::string owner);
    Place(Place&& other) noexcept;
    Place& operator=(Place&&) = delete;
    ~Place();

    // Waits until it is this one's turn to open its context, until `deadline`.
    Task<> wait_to_open(Deadline deadline);
    // Whether it is opened beside somebody who works; `until_opened` is dropped when that is done.
    bool is_beside() const;
    void keep(std::shared_ptr<void> until_opened) { until_opened_ = std::move(until_opened); }
    // The context is there. Where others work, its first call is done before the next one opens: a new page
    // takes as much of the machine as a new context. True when that is so, and opened() is still to come.
    bool is_to_settle();
    // The context is in use, or will not be: the next one may open.
    void opened();

private:
    void begin();

    std::shared_ptr<Admission::State> state_;
    std::string owner_;
    std::uint64_t number_;
    bool opening_ = false;
    Deadline::Clock::time_point began_ = {};  // to open
    std::shared_ptr<void> until_opened_ = {};
};

}  // namespace session
