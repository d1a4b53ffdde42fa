#include "session/user_recording.h"

#include "session/session.h"

namespace session {
namespace {

using namespace std::chrono_literals;
using engine::UserEvent;
using Kind = UserEvent::Kind;

constexpr std::size_t kMaxSteps = 1000;
constexpr std::size_t kMaxBytes = 4 << 20;
// A navigation this soon after an action is its effect.
constexpr auto kEffect = 5s;
// Navigations this soon after each other count as one.
constexpr auto kRedirect = 500ms;

std::size_t size_of(const UserEvent& event) {
    std::size_t size = event.locator.size() + event.text.size();
    for (const std::string& value : event.values) size += value.size();
    return size;
}

}  // namespace

void UserRecording::watch(const Tab& tab) {
    const engine::Page& page = tab.page();
    if (tab.is_read_only() || watches_.contains(page.id())) return;
    if (auto opener = watches_.find(page.opener()); opener != watches_.end())
        opener->second->insert({.kind = Kind::Popup, .text = page.id()});
    auto callback = [weak = weak_from_this(), weak_page = std::weak_ptr(tab.shared_page()),
                     id = page.id()](UserEvent event) {
        auto self = weak.lock();
        auto open = weak_page.lock();
        if (self) self->take(id, open ? open->url() : "", std::move(event));
    };
    watches_[page.id()] = tab.page().watch_user(session_.language(), std::move(callback));
}

Task<> UserRecording::ready(Deadline deadline) {
    for (const auto& [page, watch] : std::map(watches_)) co_await watch->ready(deadline);
}

Task<UserRecording::Recorded> UserRecording::stop(Deadline deadline) {
    auto self = shared_from_this();
    for (const auto& [page, watch] : std::map(watches_)) (void)co_await as_result(watch->finish(deadline));
    watches_.clear();
    co_return Recorded{.steps = std::exchange(steps_, {}), .left_out = left_out_};
}

void UserRecording::take(const std::string& page, const std::string& url, UserEvent event) {
    Step* last = !steps_.empty() && steps_.back().page == page ? &steps_.back() : nullptr;
    switch (event.kind) {
        case Kind::Navigated:
            return take_navigation(page, url, std::move(event));
        case Kind::Popup:
            if (last) last->popup = event.text;
            return;
        case Kind::DialogAccepted:
        case Kind::DialogDismissed:
            if (last) last->dialog = std::move(event);
            return;
        case Kind::Download:
            if (last) last->download = true;
            return;
        case Kind::Lost:
            ++left_out_;
            return;
        default:
            break;
    }
    if (!continues(page, event)) return add(page, url, std::move(event));
    std::size_t before = size_of(last->event), now = size_of(event);
    if (now > before && !reserve(0, now - before)) return;
    last->event = std::move(event);
    last_ = session_.options().now();
}

bool UserRecording::continues(const std::string& page, const UserEvent& event) const {
    if (steps_.empty() || steps_.back().page != page) return false;
    const UserEvent& last = steps_.back().event;
    if (last.kind != event.kind || last.locator != event.locator) return false;
    if (event.kind == Kind::Fill) return true;
    return event.kind == Kind::Click && event.click.button == last.click.button &&
           event.click.count == last.click.count + 1;
}

void UserRecording::take_navigation(const std::string& page, const std::string& url, UserEvent event) {
    if (event.text == "about:blank") return;
    auto since = session_.options().now() - last_;
    if (!steps_.empty()) {
        Step& last = steps_.back();
        bool goes_on = last.event.kind == Kind::Navigated && last.page == page && since < kRedirect;
        if (goes_on) last.event.text = event.text;
        if (goes_on || (last.event.kind != Kind::Navigated && since < kEffect)) return;
    }
    add(page, url, std::move(event));
}

void UserRecording::add(const std::string& page, const std::string& url, UserEvent event) {
    if (!reserve(1, size_of(event))) return;
    steps_.push_back({.page = page, .url = url, .event = std::move(event)});
    last_ = session_.options().now();
}

bool UserRecording::reserve(std::size_t steps, std::size_t bytes) {
    bool fits = steps_.size() + steps <= kMaxSteps && bytes_ + bytes <= kMaxBytes;
    if (fits)
        bytes_ += bytes;
    else
        ++left_out_;
    return fits;
}

}  // namespace session
