#include "browsers/admission.h"

#include <algorithm>

#include "util/timer.h"

namespace browsers {
namespace {

using Clock = Deadline::Clock;
using namespace std::chrono_literals;

// Measuring reads one file per process.
constexpr auto kMeasureInterval = 1s;
// Assumed memory of a context admitted since the last measurement.
constexpr std::uint64_t kNewContext = 24 << 20;

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// Callers that wait for the same thing, in order of arrival.
class FairQueue {
public:
    struct Waiter {
        std::string owner;
        Completion<bool> called;
    };
    using Waiters = std::list<Waiter>;

    explicit FairQueue(Loop& loop) : loop_(loop) {}

    std::size_t size() const { return waiters_.size(); }
    Waiters::iterator join(std::string owner) {
        return waiters_.insert(waiters_.end(), {std::move(owner), Completion<bool>(loop_)});
    }
    void leave(Waiters::iterator waiter) { waiters_.erase(waiter); }
    // Calls the first waiter of the owner with the fewest slots.
    template <class SlotsOf>
    void call_next(SlotsOf slots_of) {
        auto waits = [](const Waiter& waiter) { return !waiter.called.is_set(); };
        auto next = waiters_.end();
        for (auto it = waiters_.begin(); it != waiters_.end(); ++it) {
            if (waits(*it) && (next == waiters_.end() || slots_of(it->owner) < slots_of(next->owner)))
                next = it;
        }
        if (next != waiters_.end()) next->called.set(true);
    }
    std::size_t called() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(waiters_, [](const Waiter& waiter) { return waiter.called.is_set(); }));
    }

private:
    Loop& loop_;
    Waiters waiters_;
};

Task<> wait(Completion<bool> called) { co_await called; }

}  // namespace

struct Admission::State {
    State(Loop& given, AdmissionOptions wanted, Measure how)
        : loop(given),
          options(wanted),
          measure(std::move(how)),
          entering(given),
          opening(given),
          rested(given) {}

    std::size_t slots_of(const std::string& owner) const {
        auto it = slots.find(owner);
        return it == slots.end() ? 0 : it->second;
    }
    void measure_now() {
        if (!measure || options.memory == 0 || Clock::now() < measured + kMeasureInterval) return;
        measured = Clock::now();
        memory = measure();
        since_measured = 0;
    }
    bool has_room() {
        if (live + entering.called() >= options.max_contexts) return false;
        // One context is always allowed, whatever else uses the memory.
        if (options.memory == 0 || live + entering.called() == 0) return true;
        measure_now();
        return memory + (since_measured + 1) * kNewContext <= options.memory;
    }
    // Whether a caller waits that was not called yet.
    bool is_wanted() const { return entering.size() > entering.called(); }
    // Contexts of one rush may slow each other down, but not the contexts from before it.
    bool is_alone() const { return entered.empty() || entered.begin()->first > before_rush; }
    std::size_t pace() const {
        return is_alone() ? std::max(options.at_once, options.at_once_alone) : options.at_once;
    }
    void begin_opening(std::uint64_t number) {
        if (open_now > 0 || opening.size() > 0) return;
        auto here_before = [&](const auto& slot) {
            return slot.first < number && slot.second + options.rush <= Clock::now();
        };
        auto newcomers = std::ranges::find_if_not(entered, here_before);
        before_rush = newcomers == entered.begin() ? 0 : std::prev(newcomers)->first;
        pause_left = options.max_total_pause;
    }
    bool may_open() const { return !is_paused && open_now + opening.called() < pace(); }
    void pause(Clock::duration busy) {
        if (opening.size() == 0 || is_alone()) return;
        auto wanted = std::chrono::duration_cast<Clock::duration>(busy * options.pause_factor);
        auto share = pause_left / static_cast<long>(opening.size());
        auto pause = std::min({wanted, share, Clock::duration(options.max_pause)});
        if (pause <= 0ns) return;
        pause_left -= pause;
        is_paused = true;
        rested.start(pause, [this] {
            is_paused = false;
            call_next();
        });
    }
    void call_next() {
        if (is_wanted() && has_room())
            entering.call_next([this](const std::string& owner) { return slots_of(owner); });
        if (opening.size() > opening.called() && may_open())
            opening.call_next([this](const std::string& owner) { return slots_of(owner); });
    }
    Occupancy occupancy() const {
        return {live, options.max_contexts, entering.size() + opening.size(), memory, options.memory};
    }
    Error full() const {
        Occupancy now = occupancy();
        std::string text = std::to_string(now.live) + " of " + std::to_string(now.max_contexts) +
                           " browser contexts are in use, " + std::to_string(now.waiting - 1) +
                           " more calls wait for one";
        if (now.memory_limit > 0)
            text += ", browsers use " + mebibytes(now.memory) + " of " + mebibytes(now.memory_limit);
        return Error{.code = ErrorCode::ResourceExhausted,
                     .message = "No browser context became free in time: " + text + ".",
                     .hint =
                         "Try again later, close sessions that are no longer needed, or raise "
                         "session.maxSessions or pool.maxMemory."};
    }

    Loop& loop;
    AdmissionOptions options;
    Measure measure;
    MakeRoom make_room = {};
    Running making_room = {};
    std::size_t live = 0, open_now = 0;
    std::map<std::string, std::size_t> slots = {};            // by owner
    std::map<std::uint64_t, Clock::time_point> entered = {};  // when each slot was given, by its number
    std::uint64_t last_number = 0;
    std::uint64_t before_rush = 0;  // the last slot given before this rush
    FairQueue entering, opening;
    Timer rested;
    bool is_paused = false;
    Clock::duration pause_left = {};  // in this rush
    std::uint64_t memory = 0;
    std::size_t since_measured = 0;  // slots given
    Clock::time_point measured = {};
};

namespace {

// Keeps a waiter in its queue until it is dropped.
struct Stay {
    FairQueue& queue;
    FairQueue::Waiters::iterator waiter;
    std::function<void()> left;
    bool gone = false;

    Stay(FairQueue& given, std::string owner, std::function<void()> then)
        : queue(given), waiter(given.join(std::move(owner))), left(std::move(then)) {}
    Stay(const Stay&) = delete;
    void leave() {
        if (!std::exchange(gone, true)) queue.leave(waiter);
    }
    ~Stay() {
        leave();
        // A waiter that was called but gave up passes the call on.
        left();
    }
};

}  // namespace

Admission::Admission(Loop& loop, AdmissionOptions options, Measure measure)
    : state_(std::make_shared<State>(loop, options, std::move(measure))) {}

Admission::~Admission() { state_->making_room = {}; }

// A running make_room() uses the previous callback, whose provider may be about to end.
void Admission::set_make_room(MakeRoom make_room) {
    state_->making_room = {};
    state_->make_room = std::move(make_room);
}

bool Admission::is_calm() const { return state_->open_now == 0 && state_->occupancy().waiting == 0; }

bool Admission::has_room() const { return state_->has_room(); }

Occupancy Admission::occupancy() const { return state_->occupancy(); }

// Asks for room as long as a caller waits for it.
Task<> Admission::make_room(std::weak_ptr<State> weak) {
    for (auto state = weak.lock(); state && state->is_wanted(); state = weak.lock()) {
        // Memory use also changes by itself.
        state->call_next();
        bool made = false;
        if (state->make_room && !state->has_room()) {
            auto asked = co_await as_result(state->make_room());
            made = asked && *asked;
            if (made) state->measured = {};
            state->call_next();
        }
        if (!made) {
            Loop& loop = state->loop;
            auto pause = state->options.ask_again;
            state = nullptr;
            co_await sleep_for(loop, pause);
        }
    }
}

Task<Slot> Admission::enter(std::string owner, Deadline deadline) {
    auto state = state_;
    if (state->entering.size() == 0 && state->has_room()) co_return Slot(state, std::move(owner));
    Stay stay(state->entering, owner, [state] { state->call_next(); });
    if (state->making_room.done()) state->making_room = start(make_room(state));
    auto waited = co_await as_result(
        with_deadline(state->loop, wait(stay.waiter->called), deadline, "Waiting for a browser context"));
    if (!waited) co_await state->full();
    stay.leave();
    co_return Slot(state, std::move(owner));
}

Slot::Slot(std::shared_ptr<Admission::State> state, std::string owner)
    : state_(std::move(state)), owner_(std::move(owner)), number_(++state_->last_number) {
    state_->entered.emplace(number_, Clock::now());
    ++state_->live;
    ++state_->since_measured;
    ++state_->slots[owner_];
}

Slot::Slot(Slot&& other) noexcept
    : state_(std::move(other.state_)),
      owner_(std::move(other.owner_)),
      number_(other.number_),
      opening_(std::exchange(other.opening_, false)),
      began_(other.began_),
      until_opened_(std::move(other.until_opened_)) {}

Slot::~Slot() {
    if (!state_) return;
    opened();
    --state_->live;
    state_->entered.erase(number_);
    if (--state_->slots[owner_] == 0) state_->slots.erase(owner_);
    state_->call_next();
}

Task<> Slot::wait_to_open(Deadline deadline) {
    auto state = state_;
    state->begin_opening(number_);
    if (!state->may_open() || state->opening.size() > 0) {
        Stay stay(state->opening, owner_, [state] { state->call_next(); });
        auto waited = co_await as_result(
            with_deadline(state->loop, wait(stay.waiter->called), deadline, "Waiting to open a context"));
        if (!waited) co_await state->full();
        stay.leave();
        begin();
        co_return;
    }
    begin();
}

void Slot::begin() {
    opening_ = true;
    began_ = Clock::now();
    ++state_->open_now;
}

bool Slot::is_beside() const { return opening_ && !state_->is_alone(); }

bool Slot::is_opened_by_first_call() {
    if (state_->is_alone()) opened();
    return opening_;
}

void Slot::opened() {
    until_opened_.reset();
    if (!std::exchange(opening_, false)) return;
    --state_->open_now;
    state_->pause(Clock::now() - began_);
    state_->call_next();
}

}  // namespace browsers
