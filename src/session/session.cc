#include "session/session.h"

#include <algorithm>
#include <utility>

#include "session/lent_context.h"
#include "session/tab_desk.h"
#include "session/user_recording.h"
#include "session/video.h"
#include "util/json.h"

namespace session {
namespace {

constexpr std::chrono::seconds kCloseTimeout{10};
// Calls that follow each other closely are kept by one checkpoint.
constexpr std::chrono::milliseconds kCheckpointDelay{500};

// As JavaScript prints it: 3, 1.5.
std::string number_text(double number) {
    json::value value = number;
    if (auto whole = json::as_integer(value)) value = *whole;
    return json::serialize(value);
}

Task<> close_page(std::shared_ptr<engine::Page> page) { co_await page->close(Deadline::in(kCloseTimeout)); }

// Its files are complete afterwards, as far as they can be.
Task<> end_video(std::shared_ptr<Video> video) {
    if (video) (void)co_await as_result(video->stop(Deadline::in(kCloseTimeout)));
}

Error no_tab(const std::string& index) {
    return Error{.code = ErrorCode::NotFound, .message = "Tab " + index + " not found"};
}

}  // namespace

std::shared_ptr<Session> Session::create(Loop& loop, SessionOptions options, OpenContext open) {
    return std::shared_ptr<Session>(new Session(loop, std::move(options), std::move(open)));
}

Session::Session(Loop& loop, SessionOptions options, OpenContext open)
    : loop_(loop),
      options_(std::move(options)),
      open_(std::move(open)),
      workspace_(options_),
      secrets_(options_.secrets, options_.secret_origins),
      turns_(loop),
      checkpoint_timer_(loop) {}

Task<Turn> Session::take_turn(Deadline deadline) {
    Turn turn = co_await turns_.take();
    deadline_ = deadline;
    if (auto limit = options_.budget.call_time; limit.count() > 0)
        deadline_ = deadline.earlier(Deadline::in(limit));
    last_use_ = Clock::now();
    ended_tabs_.clear();
    if (!checkpoint_due_) unkept_since_ = last_use_;
    checkpoint_later(kCheckpointDelay);
    co_return turn;
}

void Session::settle() {
    if (auto lent = std::dynamic_pointer_cast<LentContext>(context_)) lent->settle();
}

engine::Language Session::language() const {
    switch (options_.codegen) {
        case Codegen::Python:
            return engine::Language::Python;
        case Codegen::Java:
            return engine::Language::Java;
        case Codegen::CSharp:
            return engine::Language::CSharp;
        case Codegen::TypeScript:
        case Codegen::None:
            break;
    }
    return engine::Language::JavaScript;
}

void Session::set_roots(const std::vector<std::filesystem::path>& roots) {
    knows_roots_ = true;
    if (!roots.empty()) workspace_.set_root(roots.front());
}

Task<> Session::ensure_context() {
    if (context_ && !context_->is_lost()) co_return;
    if (context_) take_loss();
    if (life_ == Life::Awake)
        co_await open_context();
    else
        co_await wake();
    // An earlier run may have left nothing.
    if (!context_) co_await open_context();
}

Task<> Session::open_context() {
    forget_all();
    code_runner_ = nullptr;
    context_ = nullptr;
    co_await begin_page_videos();
    std::shared_ptr<engine::Context> context = co_await open_(workspace_);
    context_ = context;
    std::weak_ptr<Session> self = weak_from_this();
    // What an earlier context still has to say is no news.
    auto is_ours = [self, context = context.get()] {
        std::shared_ptr<Session> session = self.lock();
        return session && session->context_.get() == context ? session : nullptr;
    };
    context->on_page_opened([is_ours](const std::shared_ptr<engine::Page>& page) {
        if (auto session = is_ours()) session->adopt(page);
    });
    context->on_page_closed([is_ours](const engine::Page& page) {
        auto session = is_ours();
        if (!session) return;
        // With its browser, a tab goes as all the others do, and they are remembered together.
        if (session->context_->is_lost())
            session->take_loss();
        else
            session->forget(page);
    });
    context->on_lost([is_ours] {
        if (auto session = is_ours()) session->take_loss();
    });
    for (const auto& page : std::vector(context->pages())) adopt(page);
}

Task<> Session::begin_page_videos() {
    // Of a browser that was lost.
    co_await end_video(std::exchange(page_videos_, nullptr));
    if (!options_.record_video) co_return;
    co_await VideoEncoder::check_installed();
    const std::filesystem::path& directory = options_.record_video->directory;
    page_videos_ = Video::into(loop_, directory.empty() ? workspace_.output_dir() : directory,
                               options_.record_video->format);
}

Task<std::shared_ptr<engine::Context>> Session::ensure_browser() {
    co_await ensure_context();
    co_return context_;
}

std::shared_ptr<Tab> Session::adopt(const std::shared_ptr<engine::Page>& page) {
    auto known = std::ranges::find_if(tabs_, [&](const auto& tab) { return &tab->page() == page.get(); });
    if (known != tabs_.end()) return *known;
    // What a page opens beyond the budget goes again; the page is told, and so its agent.
    if (!page->opener().empty() && has_all_tabs()) {
        if (current_)
            current_->page().log_error("A tab that the page opened was closed. " + too_many_tabs().message);
        start(close_page(page)).detach();
        return nullptr;
    }
    tabs_.push_back(std::make_shared<Tab>(*this, page));
    for (const auto& video : {video_, page_videos_}) {
        if (video) (void)video->watch(*tabs_.back());
    }
    if (user_recording_) user_recording_->watch(*tabs_.back());
    if (!current_) current_ = tabs_.back();
    std::shared_ptr<Tab> tab = tabs_.back();
    tab->start_initializing();
    tell_of(*tab, TabEvent::Opened);
    return tab;
}

bool Session::has_all_tabs() const {
    return options_.budget.tabs && !tabs_.empty() && tabs_.size() >= *options_.budget.tabs;
}

Error Session::too_many_tabs() const {
    return Error{
        .code = ErrorCode::ResourceExhausted,
        .message = "This session has " + std::to_string(tabs_.size()) + " tabs open, as many as it may.",
        .hint = "Close a tab first."};
}

std::shared_ptr<engine::CodeRunner> Session::code_runner() {
    if (!code_runner_ && context_ && options_.code_runner)
        code_runner_ = options_.code_runner(context_, workspace_.root());
    return code_runner_;
}

void Session::forget(const engine::Page& page) {
    auto it = std::ranges::find_if(tabs_, [&](const auto& tab) { return &tab->page() == &page; });
    if (it == tabs_.end()) return;
    std::shared_ptr<Tab> closed = *it;
    for (const auto& video : {video_, page_videos_}) {
        if (video) video->end(page);
    }
    ended_tabs_.push_back(closed);
    it = tabs_.erase(it);
    if (current_ == closed) {
        if (tabs_.empty())
            current_ = nullptr;
        else
            current_ = it == tabs_.end() ? tabs_.back() : *it;
    }
    tell_of(*closed, TabEvent::Closed);
}

void Session::forget_all() {
    std::vector<std::shared_ptr<Tab>> closed = std::exchange(tabs_, {});
    current_ = nullptr;
    ended_tabs_.insert(ended_tabs_.end(), closed.begin(), closed.end());
    for (const auto& tab : closed) tell_of(*tab, TabEvent::Closed);
}

Task<std::shared_ptr<Tab>> Session::new_tab() {
    co_await ensure_context();
    if (has_all_tabs()) co_await too_many_tabs();
    std::shared_ptr<engine::Page> page = co_await context_->new_page(deadline_);
    current_ = adopt(page);
    co_await current_->initialized();
    co_return current_;
}

Task<std::shared_ptr<Tab>> Session::ensure_tab() {
    co_await ensure_context();
    bool crashed = current_ && current_->has_crashed() && !current_->is_read_only();
    if (crashed) {
        std::shared_ptr<Tab> tab = current_;
        (void)co_await as_result(tab->page().close(deadline_.earlier(Deadline::in(kCloseTimeout))));
        forget(tab->page());
        current_ = nullptr;
    }
    if (!current_) co_await new_tab();
    if (crashed) current_->log_error("Error: Page crashed and was reset to about:blank.");
    co_await current_->initialized();
    co_return current_;
}

Result<std::shared_ptr<Tab>> Session::tab_at(double index) const {
    bool whole = index >= 0 && index < static_cast<double>(tabs_.size()) &&
                 index == static_cast<double>(static_cast<std::size_t>(index));
    if (!whole) return no_tab(number_text(index));
    return tabs_[static_cast<std::size_t>(index)];
}

Task<> Session::use_tab(std::string id) {
    co_await ensure_context();
    current_ = co_await named_tab(id);
}

Task<> Session::select_tab(double index) {
    if (life_ != Life::Awake) co_await wake();
    std::shared_ptr<Tab> tab = co_await tab_at(index);
    // Other sessions have tabs in the same window; each works in the background.
    if (!tabs_context()) co_await tab->page().bring_to_front(tab->action_deadline());
    current_ = tab;
}

Task<> Session::close_tab(std::optional<double> index) {
    if (life_ != Life::Awake) co_await wake();
    if (!index && !current_) co_await no_tab("undefined");
    std::shared_ptr<Tab> tab = current_;
    if (index) tab = co_await tab_at(*index);
    if (tab->is_read_only()) co_await borrowed(*tab);
    co_await tab->page().close(deadline_);
    forget(tab->page());
}

Task<> Session::close() {
    life_ = Life::Awake;
    outline_ = {};
    last_checkpoint_ = {};
    checkpointing_ = {};
    if (keeping_.vault) keeping_.vault->forget(keeping_.id);
    co_await release_context();
}

Task<> Session::release_context() {
    std::shared_ptr<engine::Context> context = std::exchange(context_, nullptr);
    trace_ = nullptr;
    user_recording_ = nullptr;
    co_await end_video(std::exchange(video_, nullptr));
    co_await end_video(std::exchange(page_videos_, nullptr));
    forget_all();
    code_runner_ = nullptr;
    if (context && !context->is_lost()) co_await context->close(Deadline::in(kCloseTimeout));
}

const SessionLog* Session::log() {
    if (!options_.save_session) return nullptr;
    if (!log_ && !log_failed_) {
        auto made = SessionLog::create(workspace_, options_);
        log_failed_ = !made;
        if (made) log_ = std::move(*made);
    }
    return log_ ? &*log_ : nullptr;
}

}  // namespace session
