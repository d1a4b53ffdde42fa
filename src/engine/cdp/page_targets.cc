// Targets below a page in their own processes and threads (frames, workers, and their descendants), and the
// first document of a popup.
#include "engine/cdp/fields.h"
#include "engine/cdp/page.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// A popup is shown after this long even if its first document has not arrived.
constexpr auto kFirstDocumentLimit = 5s;
// A popup opened with about:blank is often navigated soon by its opener's script.
constexpr auto kRedirectLimit = 100ms;
// A navigation that ended without a document may have become a download, which the browser reports on another
// session.
constexpr auto kDownloadLimit = 1s;

// The session kind for a target of that type; nothing for types that run unattached.
std::optional<SessionKind> kind_of(const std::string& type) {
    if (type == "iframe") return SessionKind::Frame;
    if (type == "worker") return SessionKind::Worker;
    return std::nullopt;
}

}  // namespace

Page::Attached& Page::add_session(std::shared_ptr<Session> session, SessionKind kind) {
    std::erase_if(sessions_, [](const Attached& each) { return each.session->is_closed(); });
    Attached& added = sessions_.emplace_back(std::move(session), kind);
    watch_sockets(added);
    return added;
}

bool Page::take_child(const AutoAttach::Target& target) {
    auto kind = kind_of(text_of(target.info, "type"));
    if (!kind || closed_) return false;
    engine::PageQuota::Place place;
    if (kind == SessionKind::Worker && quota_ && !(place = quota_->take(engine::PageQuota::Kind::Worker))) {
        // The worker is paused: no script of the page has run that could keep it from closing.
        target.session->post("Runtime.evaluate", {{"expression", "close()"}});
        target.session->post("Runtime.runIfWaitingForDebugger");
        network_.take_refused_worker(text_of(target.info, "url"));
        return true;
    }
    Attached& added = add_session(target.session, *kind);
    // Release the place when the session closes, since no other event may come that would release it.
    if (place) {
        added.subscriptions.push_back(
            target.session->on_closed([place = std::move(place)]() mutable { place = nullptr; }));
    }
    if (kind == SessionKind::Frame) {
        added.subscriptions.push_back(
            target.session->on_closed([this, parent = target.parent, gone = target.session.get()] {
                if (closed_) return;
                forgetting_.remove_if([](const Running& each) { return each.done(); });
                forgetting_.push_back(start(forget_frames(parent, gone->shared_from_this())));
            }));
    }
    std::string id = target.session->id();
    Running running =
        start(set_up(target.session, *kind), [this, id](Result<void>) { setting_up_.erase(id); });
    if (!running.done()) setting_up_.emplace(id, std::move(running));
    return true;
}

// A frame's target ends when the frame is removed, and when the frame moves into its parent's process. In the
// latter case the parent's session reports the move before it answers.
Task<> Page::forget_frames(std::shared_ptr<Session> parent, std::shared_ptr<Session> gone) {
    (void)co_await as_result(parent->send("Page.enable"));
    frames_.remove_all_of(*gone);
}

void Page::watch_loading() {
    auto on = [&](const char* event, bool loading) {
        subscriptions_.push_back(session_->on(event, [this, loading](const json::object& params) {
            if (text_of(params, "frameId") != id_) return;
            loading_ = loading;
            conditions_.check();
        }));
    };
    on("Page.frameStartedNavigating", true);
    on("Page.frameStartedLoading", true);
    on("Page.frameStoppedLoading", false);
}

// A page that was attached to while loading has no URL yet, not even about:blank.
bool Page::is_loading() {
    Frame* main = frames_.main();
    return loading_.value_or(main && main->url.empty());
}

Task<> Page::first_document() {
    auto self = shared_from_this();
    auto decided = [this] { return closed_ || crashed_ || given_up_ || !is_blank(); };
    if (decided()) co_return;
    (void)co_await as_result(
        bounded(conditions_.wait_until([this, decided] { return decided() || is_loading(); }),
                Deadline::in(kRedirectLimit), "Opening a tab"));
    if (decided() || !is_loading()) co_return;
    (void)co_await as_result(
        bounded(conditions_.wait_until([this, decided] { return decided() || !is_loading(); }),
                Deadline::in(kFirstDocumentLimit), "Opening a tab"));
    if (decided() || is_loading()) co_return;
    (void)co_await as_result(
        bounded(conditions_.wait_until(decided), Deadline::in(kDownloadLimit), "The download"));
}

void Page::give_up() {
    given_up_ = true;
    conditions_.check();
}

}  // namespace cdp
