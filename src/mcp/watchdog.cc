#include "mcp/watchdog.h"

namespace mcp {
namespace {

constexpr std::chrono::seconds kInterval{1};

const std::string& session_of(const Watchdog::Watched& call) {
    for (const std::string* name : {&call.stage.session, &call.caller.session_name, &call.caller.path_name})
        if (!name->empty()) return *name;
    return call.caller.connection;
}

}  // namespace

Watchdog::Watchdog(Loop& loop, Log& log, Metrics& metrics, std::function<void(const std::string&)> report)
    : loop_(loop),
      log_(log),
      overdue_(metrics.counter("troupe_calls_overdue_total",
                               "Calls given up because they had no answer 5 seconds after their deadline.")),
      report_(std::move(report)),
      timer_(loop) {}

Watchdog::Entry::Entry(Watchdog& owner, Watched watched, std::function<void(Error)> on_overdue)
    : watchdog(owner),
      call(std::move(watched)),
      give_up(std::move(on_overdue)),
      place(owner.calls_.insert(owner.calls_.end(), this)) {
    watchdog.check_later();
}

Watchdog::Entry::~Entry() {
    watchdog.calls_.erase(place);
    // Without calls, no timer of ours keeps the loop busy.
    if (watchdog.calls_.empty()) {
        watchdog.checking_ = false;
        watchdog.timer_.cancel();
    }
}

void Watchdog::check_later() {
    if (checking_) return;
    checking_ = true;
    timer_.start(kInterval, [this] {
        checking_ = false;
        // After a stall of the whole process, the calls' own timers come first.
        auto now = Clock::now();
        if (now < timer_.expiry() + kInterval) check(now);
        if (!calls_.empty()) check_later();
    });
}

void Watchdog::check(Clock::time_point now) {
    for (Entry* entry : calls_) {
        Deadline limit = entry->call.deadline.earlier(entry->call.stage.limit);
        if (!entry->given_up && !limit.is_never() && now >= limit.at() + kOverdue) give_up(*entry, now);
    }
}

void Watchdog::give_up(Entry& entry, Clock::time_point now) {
    entry.given_up = true;
    overdue_.add();
    const Watched& call = entry.call;
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - entry.since).count();
    log_.error("call overdue", {{"call", call.name},
                                {"agent", call.caller.label()},
                                {"session", session_of(call)},
                                {"waits_for", call.stage.what},
                                {"seconds", seconds}});
    if (report_) report_(call.name + " in session \"" + session_of(call) + "\": " + call.stage.what);
    entry.give_up(
        Error{.code = ErrorCode::InternalError,
              .message = call.name + " had no answer 5 seconds after its deadline and was given up.",
              .hint = "It was waiting for: " + call.stage.what + ". Look at the page before you repeat it.",
              .details = std::string(kDetails)});
}

}  // namespace mcp
