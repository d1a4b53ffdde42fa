// Stops pages whose script does not end or uses too much.
#include <algorithm>

#include "engine/cdp/awaited.h"
#include "engine/cdp/context.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;
using Found = engine::RunawayGuard::Found;

// A page on a busy machine may take a while to answer.
constexpr auto kTimeout = 4s;
// A page that does not end for this long, e.g. since its process is stopped, counts as crashed.
constexpr auto kEndLimit = 2s;
// A page may be silent for this long before an abandoned script is blamed and stopped.
constexpr auto kAbandonedLimit = 250ms;
// The same for a script that was only waiting when it was abandoned.
constexpr auto kLaterLimit = 1s;
constexpr auto kAbandonedWatch = 60s;
// The default limit of a requested navigation.
constexpr auto kNavigationLimit = 60s;

}  // namespace

// While a new document is awaited, the browser holds back our commands to the page.
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

// Limits a navigation that a page or a click began, which no caller would ever stop.
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

// Whether the next document's response has begun, but the page is too busy to be replaced.
bool Page::refuses_document(std::chrono::milliseconds limit) const {
    const RequestUnderWay* next = awaited_document();
    return next && next->answered && Deadline::Clock::now() - *next->answered >= limit;
}

// Terminating and crashing bypass the page's main thread; all other commands wait for it. While another
// document is awaited, not even these reach the page: only its tab can be closed.
Task<Found> Page::stop_runaway(std::chrono::milliseconds limit) {
    auto self = shared_from_this();
    if (refuses_document(std::max<std::chrono::milliseconds>(limit, kLongNavigation))) {
        (void)co_await as_result(close(Deadline::in(kTimeout)));
        count_as_ended();
        co_return Found::Ended;
    }
    if (is_held_up() || !co_await is_silent(session_, limit) || is_held_up()) co_return Found::Answers;
    session_->post("Runtime.terminateExecution");
    if (!co_await is_silent(session_, kTimeout)) co_return Found::Stopped;
    if (is_held_up()) co_return Found::Answers;
    co_await end_page();
    co_return Found::Ended;
}

Task<json::value> Page::answer_of(std::shared_ptr<PendingScript> script) {
    Result<json::value> answer = co_await script->answer;
    co_return std::move(answer);
}

// A script that only waits does not block the page and may go on, but it is checked again until it ends.
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

bool Page::is_stopping_scripts() const {
    return std::ranges::any_of(stopping_scripts_, [](const Running& each) { return !each.done(); });
}

void Page::abandon_script(std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script) {
    if (is_held_up()) return;
    std::erase_if(stopping_scripts_, [](const Running& each) { return each.done(); });
    stopping_scripts_.push_back(
        start(stop_script(std::move(session), std::move(script)), [](Result<void>) {}));
}

void Page::abandon_scripts() { abandon_script(session_); }

Task<std::uint64_t> Page::heap_used(std::chrono::milliseconds timeout) {
    auto self = shared_from_this();
    json::value usage = co_await bounded(session_->send("Runtime.getHeapUsage"), Deadline::in(timeout),
                                         "Measuring the page's memory");
    double total = 0;
    for (const char* part : {"usedSize", "embedderHeapUsedSize", "backingStorageSize"}) {
        if (const json::value* bytes = usage.as_object().if_contains(part))
            total += bytes->to_number<double>();
    }
    co_return static_cast<std::uint64_t>(total);
}

Task<> Page::end_page() {
    auto self = shared_from_this();
    session_->post("Page.crash");
    (void)co_await as_result(bounded(conditions_.wait_until([this] { return closed_ || crashed_; }),
                                     Deadline::in(kEndLimit), "Ending the page"));
    count_as_ended();
}

void Page::count_as_ended() {
    if (closed_ || crashed_) return;
    unreachable_ = true;
    if (auto context = context_.lock()) context->browser().connection()->count_as_crashed(session_->id());
}

}  // namespace cdp
