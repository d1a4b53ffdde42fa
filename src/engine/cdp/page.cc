#include "engine/cdp/page.h"

#include "engine/cdp/context.h"
#include "engine/cdp/downloads.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/user_watch.h"
#include "util/crypto.h"

namespace cdp {
namespace {

Error page_closed() {
    return Error{.code = ErrorCode::BrowserCrashed,
                 .message = "Target page, context or browser has been closed"};
}
Error page_crashed() { return Error{.code = ErrorCode::BrowserCrashed, .message = "Page crashed"}; }

}  // namespace

std::shared_ptr<Page> Page::create(Context& context, std::shared_ptr<Session> session,
                                   const json::object& target) {
    std::shared_ptr<Page> page(new Page(context, std::move(session), target));
    page->listen();
    return page;
}

Page::Page(Context& context, std::shared_ptr<Session> session, const json::object& target)
    : loop_(context.browser().loop()),
      context_(context.weak_from_this()),
      session_(std::move(session)),
      id_(text_of(target, "targetId")),
      opener_(text_of(target, "openerId")),
      test_id_attribute_(context.options().test_id_attribute),
      init_scripts_(context.options().init_scripts),
      frames_(id_),
      network_(id_, context.options(), opener_),
      peers_(context.options().way, id_, opener_),
      dialogs_(loop_),
      emulation_(context.options(), context.browser().headless(),
                 context.is_users() ? Owner::User : Owner::Us),
      keyboard_(session_),
      mouse_(session_, keyboard_,
             [this](std::string expression) { return run_in_frames(std::move(expression)); }),
      conditions_(loop_),
      channel_(random_uuid()),
      targets_(context.browser().connection(),
               [this](const AutoAttach::Target& target) { return take_child(target); }) {
    (void)network_.set_routes(context.shared_routes());
}

Page::~Page() = default;

void Page::listen() {
    frames_.on_navigated = [this](Frame& frame) {
        network_.take_commit(frame.id, frame.loader);
        if (auto context = context_.lock()) context->note_visit(frame.url);
        if (frame.id == id_) {
            ++navigations_;
            console_.mark_navigation();
            tell(engine::DocumentEvent::Navigated);
            // One from the back/forward cache has loaded before, and keeps the name that it had then.
            if (frame.lifecycle.contains("load"))
                for_acts([&](Act& act) { act.next = act.next.empty() ? "" : frame.loader; });
        }
        conditions_.check();
    };
    frames_.on_url_changed = [this](Frame& frame) {
        if (frame.id == id_) {
            ++navigations_;
            tell(engine::DocumentEvent::Navigated);
        }
        conditions_.check();
    };
    frames_.on_lifecycle = [this](Frame& frame, const std::string& step) {
        if (frame.id == id_ && step == "load") tell(engine::DocumentEvent::Loaded);
        conditions_.check();
    };
    frames_.on_removed = [this](const std::string& frame) {
        network_.take_detached_frame(frame);
        conditions_.check();
    };
    frames_.is_crowded = [this] {
        auto context = context_.lock();
        return context && context->browser().opens_contexts();
    };
    dialogs_.on_answered = [this](bool accepted, std::string text) {
        using Kind = engine::UserEvent::Kind;
        tell_user_watch({.kind = accepted ? Kind::DialogAccepted : Kind::DialogDismissed, .text = text});
    };
    watch_activity();
    auto on = [&](const char* event, Session::Handler handler) {
        subscriptions_.push_back(session_->on(event, std::move(handler)));
    };
    on("Inspector.targetCrashed", [this](const json::object&) {
        crashed_ = true;
        fail_waiting(page_crashed());
        tell(engine::DocumentEvent::Crashed);
    });
    watch_loading();
    subscriptions_.push_back(session_->on_closed([this] { take_closed(); }));
}

Task<> Page::initialize(bool held) {
    auto self = shared_from_this();
    add_session(session_, SessionKind::Page);
    co_await set_up(session_, SessionKind::Page, held);
}

// Everything is sent in one go; the target runs only after the last of it.
Task<> Page::set_up(std::shared_ptr<Session> session, SessionKind kind, bool held) {
    bool is_page = kind == SessionKind::Page, is_worker = kind == SessionKind::Worker;
    console_.attach(session, kind);
    std::optional<Completion<Result<void>>> tree;
    if (!is_worker) {
        frames_.attach(session);
        dialogs_.attach(session);
        session->post("Page.enable");
        tree.emplace(loop_);
        frames_.ask_tree(session, [done = *tree](Result<void> taken) { done.set(std::move(taken)); });
        session->post("Page.setLifecycleEventsEnabled", {{"enabled", true}});
    }
    network_.attach(session, kind);
    session->post("Runtime.enable");
    session->post("Log.enable");
    targets_.watch(session);
    Batch emulation;
    install_activity_hook(*session, kind);
    if (!is_worker) {
        emulation = emulation_.attach(session, kind);
        peers_.attach(session);
        for (const std::string& script : init_scripts_) {
            session->post("Page.addScriptToEvaluateOnNewDocument",
                          {{"source", script}, {"runImmediately", true}});
        }
    }
    if (auto watch = user_watch_.lock(); watch && !is_worker) watch->attach(session);
    if (!held) session->post("Runtime.runIfWaitingForDebugger");
    if (tree) {
        Result<void> taken = co_await *tree;
        co_await std::move(taken);
    }
    co_await Batch::finish(std::move(emulation));
    if (is_page) co_await emulation_.fit_window();
}

void Page::fail_waiting(const Error& error) { conditions_.fail(error); }

void Page::take_closed() {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    fail_waiting(page_closed());
    setting_up_.clear();
    forgetting_.clear();
    if (auto context = context_.lock()) context->remove(*this);
}

void Page::take_download(const engine::Download& download) {
    note_download(downloads_, download);
    if (download.state == engine::Download::State::Started)
        tell_user_watch({.kind = engine::UserEvent::Kind::Download});
    ++downloads_seen_;
    if (auto context = context_.lock()) context->tell_download(*this, download);
    conditions_.check();
}

std::string Page::url() const {
    Frame* main = const_cast<Frames&>(frames_).main();
    return main && !main->url.empty() ? main->url : "about:blank";
}

Task<> Page::set_routes(std::shared_ptr<const Routes> routes) {
    return Batch::finish(network_.set_routes(std::move(routes)));
}

Task<std::string> Page::title(Deadline deadline) {
    // The answer that shows a snapshot asks for the title next; it came along. Whatever the page was told
    // since may have changed it.
    constexpr std::chrono::milliseconds kFresh{50};
    if (auto known = std::exchange(title_, std::nullopt);
        known && known->sent == session_->sent() && Deadline::Clock::now() - known->read < kFresh)
        co_return known->text;
    json::value title = co_await bounded(frames_.call(id_, "() => document.title", {}, Scripts::Snapshot),
                                         deadline, "Reading the title");
    co_return title.is_string() ? std::string(title.get_string()) : std::string();
}

Task<engine::Body> Page::response_body(const engine::RequestEntry& request, Deadline deadline) {
    return bounded(network_.body(request), deadline, "Reading the body");
}

Task<> Page::answer_dialog(bool accept, std::optional<std::string> text, Deadline deadline) {
    return bounded(dialogs_.answer_dialog(accept, std::move(text)), deadline, "Answering the dialog");
}

Task<> Page::answer_file_chooser(std::vector<std::filesystem::path> files, Deadline deadline) {
    return bounded(dialogs_.answer_file_chooser(std::move(files)), deadline, "Choosing files");
}

std::vector<std::string> Page::frame_ids() {
    std::vector<std::string> ids;
    if (Frame* main = frames_.main()) ids.push_back(main->id);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        for (Frame* child : frames_.children(ids[i])) ids.push_back(child->id);
    }
    return ids;
}

Task<std::vector<Page::FrameAnswer>> Page::ask_frames(
    std::vector<std::string> frames, std::function<Task<json::value>(const std::string& frame)> ask,
    Deadline deadline) {
    struct Asked {
        Completion<Result<json::value>> answer;
        Running running = {};
    };
    std::vector<FrameAnswer> answers;
    std::vector<Asked> all;
    for (const std::string& id : frames) {
        Frame* frame = frames_.find(id);
        if (!frame) continue;
        answers.push_back({id, frame->url, json::value(nullptr)});
        Asked& asked = all.emplace_back(Completion<Result<json::value>>(loop_));
        asked.running =
            start(bounded(ask(id), deadline, "A frame"),
                  [answer = asked.answer](Result<json::value> result) { answer.set(std::move(result)); });
    }
    for (std::size_t i = 0; i < all.size(); ++i) answers[i].answer = co_await all[i].answer;
    co_return answers;
}

Task<std::vector<json::value>> Page::run_in_frames(std::string expression) {
    std::vector<json::value> values;
    for (const std::string& id : frame_ids()) {
        auto value = co_await as_result(frames_.call(id, "() => " + expression, {}));
        values.push_back(value ? std::move(*value) : json::value(nullptr));
    }
    co_return values;
}

}  // namespace cdp
