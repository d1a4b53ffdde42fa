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
// The same for one that only waited when it was left.
constexpr auto kLaterLimit = 1s;
constexpr auto kAbandonedWatch = 60s;
// As long as a navigation that was asked for may take, unless another time is set.
constexpr auto kNavigationLimit = 60s;

}  // namespace

// While a new document is awaited, the browser keeps what we send from the page.
const RequestUnderWay* Page::awaited_document() const {
    const Frame* main = const_cast<Frames&>(frames_).main();
    for (const auto& [id, request] : network_.under_way()) {
        if (request.is_navigation && request.frame == id_ && (!main || request.loader != main->loader))
            return &request;
    }
    return nullptr;
}

std::optional<engine::Page::HeldUp> Page::held_up() const {
    const RequestUnderWay* awaited = left_waiting_ ? awaited_document() : nullptr;
    if (awaited) return HeldUp{.url = awaited->url};
    return left_silent_ ? std::optional(HeldUp{}) : std::nullopt;
}

void Page::reclaim() {
    bool was_left = std::exchange(left_waiting_, false);
    bool long_ago = Deadline::Clock::now() - navigation_begun_ >= kLongNavigation;
    if ((was_left || long_ago) && awaited_navigations_ == 0 && awaits_document())
        session_->post("Page.stopLoading");
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

Task<json::value> Page::answer_of(std::shared_ptr<PendingScript> script) {
    Result<json::value> answer = co_await script->answer;
    co_return std::move(answer);
}

// A script that only waits for something keeps nobody from the page: it may go on. What it does afterwards is
// looked at as long as it has not ended.
Task<> Page::stop_script(std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script) {
    Deadline end = Deadline::in(kAbandonedWatch);
    for (std::chrono::milliseconds limit = kAbandonedLimit;; limit = kLaterLimit) {
        if (is_held_up()) co_return;
        if (co_await is_silent(session, limit) && !is_held_up()) {
            session->post("Runtime.terminateExecution");
            co_return;
        }
        co_await sleep_for(loop_, kAbandonedLimit);
        if (!script || script->answer.is_set() || session->is_closed() || end.has_passed()) co_return;
    }
}

void Page::abandon_script(std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script) {
    if (is_held_up()) return;
    std::erase_if(stopping_scripts_, [](const Running& each) { return each.done(); });
    stopping_scripts_.push_back(
        start(stop_script(std::move(session), std::move(script)), [](Result<void>) {}));
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
