// For viewers and traces: cards, action labels, pictures, and documents in the form that traces keep.
#include <map>

#include "engine/cdp/context.h"
#include "engine/cdp/page.h"
#include "engine/cdp/screencast.h"
#include "engine/cdp/user_watch.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// How long to wait for a document's next change, and how long to pause after one that did not answer.
constexpr std::chrono::milliseconds kChangeLimit{2'000}, kBetweenDocuments{100};

// In a trace, frames beyond this number are empty.
constexpr std::size_t kMaxTraced = 50;

// The name of a frame in a trace.
std::string trace_name(const std::string& frame) { return "frame@" + to_lower(frame); }

// The label of an action on the screen; nothing for calls that are not actions.
std::string title_of(const std::string& call) {
    static const std::map<std::string, std::string> kTitles = {
        {"locator.click", "Click"},        {"locator.dblclick", "Double click"},
        {"locator.hover", "Hover"},        {"locator.dragTo", "Drag"},
        {"locator.drop", "Drop"},          {"locator.fill", "Fill"},
        {"locator.check", "Check"},        {"locator.uncheck", "Uncheck"},
        {"locator.press", "Press"},        {"locator.pressSequentially", "Type"},
        {"locator.selectOption", "Select"}};
    auto it = kTitles.find(call);
    return it == kTitles.end() ? "" : it->second;
}

}  // namespace

Task<> Page::show_chapter(engine::Chapter chapter, Deadline deadline) {
    auto self = shared_from_this();
    json::object shown{{"title", chapter.title},
                       {"description", chapter.description},
                       {"duration", chapter.duration.count()}};
    (void)co_await bounded(
        frames_.call(id_, "chapter => troupe.showChapter(chapter)", {json::value(std::move(shown))}),
        deadline, "Showing the chapter");
    co_await sleep_until(loop_, Deadline::in(chapter.duration).earlier(deadline));
}

// Labels never make an action fail: a label that cannot be shown is skipped.
Task<> Page::note_action(std::shared_ptr<RemoteElement> element, std::string call, Deadline deadline) {
    engine::ActionNotes notes = *notes_;
    json::object shown{{"title", title_of(call)},
                       {"duration", notes.duration.count()},
                       {"position", notes.position},
                       {"cursor", notes.cursor},
                       {"styles", json::object{{"point", notes.point_style},
                                               {"highlight", notes.highlight_style},
                                               {"title", notes.title_style}}}};
    if (title_of(call).empty()) co_return;
    auto done = co_await as_result(
        bounded(frames_.call(element->frame, "(element, action) => troupe.showAction(element, action)",
                             {Argument(*element), json::value(std::move(shown))}),
                Deadline::in(1s).earlier(deadline), "Naming the action"));
    if (done) co_await sleep_until(loop_, Deadline::in(notes.duration).earlier(deadline));
}

std::shared_ptr<void> Page::watch_screen(engine::Size max_size,
                                         std::function<void(const engine::ScreenPicture&)> callback) {
    if (!screencast_) screencast_ = std::make_shared<Screencast>(session_);
    return screencast_->watch(max_size, std::move(callback));
}

std::shared_ptr<void> Page::keep_drawing() {
    if (auto context = context_.lock(); !context || context->browser().draws_all_tabs()) return nullptr;
    if (!screencast_) screencast_ = std::make_shared<Screencast>(session_);
    return screencast_->keep_drawing();
}

std::shared_ptr<void> Page::watch_document(std::function<void(engine::DocumentEvent)> callback) {
    auto watcher = std::make_shared<std::function<void(engine::DocumentEvent)>>(std::move(callback));
    document_watchers_.push_back(watcher);
    return watcher;
}

std::shared_ptr<void> Page::watch_requests(std::function<void(const engine::RequestEntry&)> callback) {
    auto watcher = std::make_shared<std::function<void(const engine::RequestEntry&)>>(std::move(callback));
    request_watchers_.push_back(watcher);
    return watcher;
}

void Page::notify_ended(const engine::RequestEntry& request) {
    std::erase_if(request_watchers_, [](const auto& weak) { return weak.expired(); });
    for (const auto& weak : std::vector(request_watchers_)) {
        if (auto watcher = weak.lock()) (*watcher)(request);
    }
}

std::shared_ptr<void> Page::watch_changes() {
    auto watching = watching_changes_.lock();
    if (!watching) {
        watching = std::make_shared<Running>(start(notify_changes(), [](Result<void>) {}));
        watching_changes_ = watching;
    }
    return watching;
}

// Watches each document until it is replaced, then the next one.
Task<> Page::notify_changes() {
    auto self = shared_from_this();
    std::string document;
    json::value seen = 0;
    while (!closed_ && !crashed_) {
        Frame* frame = frames_.main();
        std::string loader = frame ? frame->loader : "";
        if (std::exchange(document, loader) != loader) seen = 0;
        auto now = co_await as_result(frames_.call(id_, "(seen, limit) => troupe.changes(seen, limit)",
                                                   {json::value(seen), json::value(kChangeLimit.count())}));
        if (!now) {
            co_await sleep_for(loop_, kBetweenDocuments);
        } else if (*now != seen) {
            seen = std::move(*now);
            notify(engine::DocumentEvent::Changed);
        }
    }
}

void Page::notify(engine::DocumentEvent event) {
    if (event == engine::DocumentEvent::Navigated)
        notify_user_watch({.kind = engine::UserEvent::Kind::Navigated, .text = url()});
    std::erase_if(document_watchers_, [](const auto& weak) { return weak.expired(); });
    // A copy: a callback may add or remove watchers.
    for (const auto& weak : std::vector(document_watchers_)) {
        if (auto watcher = weak.lock()) (*watcher)(event);
    }
}

std::shared_ptr<engine::UserWatch> Page::watch_user(engine::Language language,
                                                    std::function<void(engine::UserEvent)> callback) {
    std::string name = language_name(language);
    auto locator_in = [weak = weak_from_this(), name](std::string frame, std::string selector) {
        return locator_while_open(weak, std::move(frame), std::move(selector), name);
    };
    auto watch = std::make_shared<UserWatch>(
        loop_, UserWatch::Setup{.world = "troupe-recorder-" + std::to_string(++user_watches_),
                                .main_frame = id_,
                                .language = name,
                                .test_id_attribute = test_id_attribute_,
                                .locator_in = std::move(locator_in),
                                .callback = std::move(callback)});
    for (const Attached& each : sessions_) {
        if (each.kind != SessionKind::Worker && !each.session->is_closed()) watch->attach(each.session);
    }
    user_watch_ = watch;
    return watch;
}

Task<std::string> Page::locator_while_open(std::weak_ptr<Page> weak, std::string frame, std::string selector,
                                           std::string language) {
    auto page = weak.lock();
    if (!page || page->closed_)
        co_return Error{.code = ErrorCode::BrowserCrashed, .message = "The page is gone."};
    co_return co_await page->locator_in(std::move(frame), std::move(selector), std::move(language));
}

void Page::notify_user_watch(engine::UserEvent event) {
    if (auto watch = user_watch_.lock()) watch->insert(std::move(event));
}

Task<json::array> Page::document_trees(Deadline deadline) {
    auto self = shared_from_this();
    std::vector<std::string> frames = frame_ids();
    if (frames.size() > kMaxTraced) frames.resize(kMaxTraced);
    auto read = [this](const std::string& frame) {
        json::array names;
        for (Frame* child : frames_.children(frame)) names.emplace_back(trace_name(child->id));
        return frames_.call(frame, "names => troupe.documentTree(names)", {json::value(std::move(names))});
    };
    json::array trees;
    for (FrameAnswer& each : co_await ask_frames(std::move(frames), read, deadline)) {
        if (!each.answer || !each.answer->is_object()) continue;
        json::object tree = std::move(each.answer->get_object());
        tree["frame"] = trace_name(each.frame);
        trees.push_back(std::move(tree));
    }
    co_return trees;
}

}  // namespace cdp
