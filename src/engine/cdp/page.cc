#include "engine/cdp/page.h"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

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
      console_([this](const engine::ConsoleEntry&) { notify(engine::DocumentEvent::Logged); }),
      network_(id_, context.options(), opener_),
      peers_(context.options().network_access, id_, opener_),
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
        if (frame.id != id_) ++frame_navigations_;
        if (frame.id == id_) {
            ++navigations_;
            console_.mark_navigation();
            notify(engine::DocumentEvent::Navigated);
            // A page restored from the back/forward cache has loaded before, and keeps its loader id.
            if (frame.lifecycle.contains("load"))
                for_acts([&](Act& act) { act.next = act.next.empty() ? "" : frame.loader; });
        }
        conditions_.check();
    };
    frames_.on_url_changed = [this](Frame& frame) {
        if (frame.id != id_) ++frame_navigations_;
        if (frame.id == id_) {
            ++navigations_;
            notify(engine::DocumentEvent::Navigated);
        }
        conditions_.check();
    };
    frames_.on_lifecycle = [this](Frame& frame, const std::string& step) {
        if (frame.id == id_ && step == "load") notify(engine::DocumentEvent::Loaded);
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
        notify_user_watch({.kind = accepted ? Kind::DialogAccepted : Kind::DialogDismissed, .text = text});
    };
    dialogs_.blocked_together = [this] {
        std::vector<Dialogs*> others;
        auto context = context_.lock();
        if (!context) return others;
        for (const auto& page : context->living_pages()) {
            if (page.get() != this && shares_process_with(*page)) others.push_back(&page->dialogs_);
        }
        return others;
    };
    watch_activity();
    auto on = [&](const char* event, Session::Handler handler) {
        subscriptions_.push_back(session_->on(event, std::move(handler)));
    };
    on("Inspector.targetCrashed", [this](const json::object&) {
        crashed_ = true;
        fail_waiting(page_crashed());
        notify(engine::DocumentEvent::Crashed);
    });
    watch_loading();
    subscriptions_.push_back(session_->on_closed([this] { take_closed(); }));
}

bool Page::shares_process_with(Page& other) {
    bool is_related = other.has_frame(opener_) || has_frame(other.opener_);
    if (!is_related) return false;
    // The parsed addresses refer to these texts.
    std::string here = url(), there = other.url();
    auto mine = boost::urls::parse_uri(here), theirs = boost::urls::parse_uri(there);
    // about:blank and javascript: documents belong to their opener.
    if (!mine || !theirs || !mine->has_authority() || !theirs->has_authority()) return true;
    return mine->encoded_host() == theirs->encoded_host();
}

Task<> Page::initialize(bool held) {
    auto self = shared_from_this();
    add_session(session_, SessionKind::Page);
    co_await set_up(session_, SessionKind::Page, held);
}

// Sends all commands at once; the target runs only after the last of them.
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
    place_ = nullptr;
    if (auto context = context_.lock()) context->remove(*this);
}

void Page::set_quota(std::shared_ptr<engine::PageQuota> quota) {
    if (quota_ == quota) return;
    engine::PageQuota::Place place = quota ? quota->hold(engine::PageQuota::Kind::Tab) : nullptr;
    join_quota(std::move(quota), std::move(place));
}

void Page::join_quota(std::shared_ptr<engine::PageQuota> quota, engine::PageQuota::Place place) {
    quota_ = std::move(quota);
    place_ = std::move(place);
}

void Page::take_download(const engine::Download& download) {
    note_download(downloads_, download);
    if (download.state == engine::Download::State::Started)
        notify_user_watch({.kind = engine::UserEvent::Kind::Download});
    ++downloads_seen_;
    if (auto context = context_.lock()) context->notify_download(*this, download);
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
    // An answer with a snapshot asks for the title next, which the snapshot already brought. Commands sent
    // since may have changed it.
    constexpr std::chrono::milliseconds kFresh{50};
    if (auto known = std::exchange(title_, std::nullopt);
        known && known->sent == session_->sent() && Deadline::Clock::now() - known->read < kFresh)
        co_return known->text;
    json::value title = co_await bounded(frames_.call(id_,
                                                      "() => { const { title } = document; return typeof "
                                                      "title === 'string' ? title.slice(0, 16384) : ''; }",
                                                      {}, Scripts::Snapshot),
                                         deadline, "Reading the title");
    co_return title.is_string() ? std::string(title.get_string()) : std::string();
}

Task<engine::Body> Page::response_body(const engine::RequestEntry& request, Deadline deadline) {
    return bounded(network_.body(request), deadline, "Reading the body");
}

Task<> Page::answer_dialog(bool accept, std::optional<std::string> text, Deadline deadline) {
    return bounded(dialogs_.answer_dialog(accept, std::move(text)), deadline, "Answering the dialog");
}

Task<> Page::answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files, Deadline deadline) {
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
