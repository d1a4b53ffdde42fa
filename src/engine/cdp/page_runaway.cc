// A page whose script does not end, or takes too much.
#include "engine/cdp/awaited.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;
using Found = engine::RunawayGuard::Found;

// A page on a busy machine may take a while to say anything.
constexpr auto kPatience = 4s;
// So long a page may do something else before a script that nobody waits for any more is taken for the
// reason.
constexpr auto kAbandonedLimit = 250ms;
// As long as a navigation that was asked for may take, unless another time is set.
constexpr auto kNavigationLimit = 60s;

}  // namespace

// While a new document is awaited, the browser keeps what we send from the page.
bool Page::awaits_document() const {
    const Frame* main = const_cast<Frames&>(frames_).main();
    return std::ranges::any_of(network_.under_way(), [&](const auto& each) {
        const RequestUnderWay& request = each.second;
        return request.is_navigation && request.frame == id_ && (!main || request.loader != main->loader);
    });
}

// One that a page or a click began: nobody else would ever stop it.
Task<> Page::limit_navigation() {
    do {
        co_await sleep_for(loop_, kNavigationLimit);
    } while (awaited_navigations_ > 0);
    if (awaits_document()) session_->post("Page.stopLoading");
}

bool Page::is_held_up() const { return closed_ || crashed_ || !dialogs_.open().empty() || awaits_document(); }

Task<bool> Page::is_silent(std::shared_ptr<Session> session, std::chrono::milliseconds limit) {
    auto answer = co_await as_result(bounded(session->send("Runtime.evaluate", {{"expression", "0"}}),
                                             Deadline::in(limit), "Looking at the page"));
    co_return !answer && answer.error().code == ErrorCode::Timeout;
}

// Terminating and crashing go past the page's main thread; all else waits for it.
Task<Found> Page::stop_runaway(std::chrono::milliseconds limit) {
    auto self = shared_from_this();
    if (is_held_up() || !co_await is_silent(session_, limit) || is_held_up()) co_return Found::Answers;
    session_->post("Runtime.terminateExecution");
    if (!co_await is_silent(session_, kPatience)) co_return Found::Stopped;
    if (is_held_up()) co_return Found::Answers;
    end_page();
    co_return Found::Ended;
}

// A script that only waits for something keeps nobody from the page: it may go on.
Task<> Page::stop_script(std::shared_ptr<Session> session) {
    if (is_held_up() || !co_await is_silent(session, kAbandonedLimit) || is_held_up()) co_return;
    session->post("Runtime.terminateExecution");
}

void Page::abandon_script(std::shared_ptr<Session> session) {
    if (is_held_up()) return;
    stopping_script_ = start(stop_script(std::move(session)), [](Result<void>) {});
}

void Page::abandon_scripts() { abandon_script(session_); }

Task<std::uint64_t> Page::heap_used(std::chrono::milliseconds patience) {
    auto self = shared_from_this();
    json::value usage = co_await bounded(session_->send("Runtime.getHeapUsage"), Deadline::in(patience),
                                         "Measuring the page's memory");
    double total = 0;
    for (const char* part : {"usedSize", "embedderHeapUsedSize", "backingStorageSize"}) {
        if (const json::value* bytes = usage.as_object().if_contains(part))
            total += bytes->to_number<double>();
    }
    co_return static_cast<std::uint64_t>(total);
}

void Page::end_page() { session_->post("Page.crash"); }

}  // namespace cdp
