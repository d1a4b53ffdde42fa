// For people who watch: cards, names of actions, pictures, and the document as traces keep it.
#include <map>

#include "engine/cdp/context.h"
#include "engine/cdp/page.h"
#include "engine/cdp/screencast.h"
#include "engine/cdp/user_watch.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// Frames beyond are empty in a trace.
constexpr std::size_t kMostTraced = 50;

// What a trace calls a frame.
std::string trace_name(const std::string& frame) { return "frame@" + to_lower(frame); }

// What an action is called on the screen; nothing for what is none.
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

// An action is never worse for its name: what cannot be shown is not.
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

std::shared_ptr<void> Page::watch_screen(engine::Size largest,
                                         std::function<void(const engine::ScreenPicture&)> callback) {
    if (!screencast_) screencast_ = std::make_shared<Screencast>(session_);
    return screencast_->watch(largest, std::move(callback));
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

void Page::tell(engine::DocumentEvent event) {
    if (event == engine::DocumentEvent::Navigated)
        tell_user_watch({.kind = engine::UserEvent::Kind::Navigated, .text = url()});
    std::erase_if(document_watchers_, [](const auto& weak) { return weak.expired(); });
    // A copy: who is told may look away, or make others look.
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

void Page::tell_user_watch(engine::UserEvent event) {
    if (auto watch = user_watch_.lock()) watch->insert(std::move(event));
}

Task<json::array> Page::document_trees(Deadline deadline) {
    auto self = shared_from_this();
    std::vector<std::string> frames = frame_ids();
    if (frames.size() > kMostTraced) frames.resize(kMostTraced);
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
