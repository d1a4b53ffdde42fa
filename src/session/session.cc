#include "session/session.h"

#include <algorithm>
#include <utility>

#include "browsers/context_lease.h"
#include "session/har.h"
#include "session/tab_sharing.h"
#include "session/user_recording.h"
#include "session/video.h"
#include "util/json.h"

namespace session {
namespace {

constexpr std::chrono::seconds kCloseTimeout{10};
constexpr std::size_t kMaxEndedTabs = 50;
constexpr std::size_t kMaxLeftEvents = 100;
// Calls that follow each other closely share one checkpoint.
constexpr std::chrono::milliseconds kCheckpointDelay{500};

// The number as JavaScript prints it: 3, 1.5.
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

engine::PageLimits page_limits(const Budget& budget) {
    return {.tabs = budget.tabs, .workers = budget.workers, .download_bytes = budget.download_bytes};
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
      secrets_(options_.secrets, options_.secret_origins, options_.redact_url_params, options_.hidden),
      quota_(std::make_shared<engine::PageQuota>(page_limits(options_.budget))),
      console_quota_(std::make_shared<ConsoleQuota>(options_.budget.console_bytes)),
      turns_(loop),
      checkpoint_timer_(loop) {
    workspace_.set_redactor(&secrets_.redactor());
}

void Session::set_budget(Budget budget) {
    options_.budget = budget;
    quota_ = std::make_shared<engine::PageQuota>(page_limits(budget));
    console_quota_ = std::make_shared<ConsoleQuota>(budget.console_bytes);
}

// Makes a new list: owners of the previous one may be reading it.
void Session::note_password(std::string text) {
    if (passwords_->holds(text)) return;
    if (options_.password_typed && TypedPasswords::is_distinct(text)) options_.password_typed(text);
    auto longer = std::make_shared<TypedPasswords>(*passwords_);
    longer->add(std::move(text));
    passwords_ = std::move(longer);
}

// The server's log does not hide them: pages must not choose its words.
void Session::note_shown_passwords(std::vector<std::string> texts) {
    if (std::ranges::all_of(texts, [&](const std::string& each) { return passwords_->holds(each); })) return;
    auto longer = std::make_shared<TypedPasswords>(*passwords_);
    longer->add_shown(std::move(texts));
    passwords_ = std::move(longer);
}

Deadline Session::within_budget(Deadline deadline) const {
    auto limit = options_.budget.call_time;
    return limit.count() > 0 ? deadline.earlier(Deadline::in(limit)) : deadline;
}

Deadline Session::wait_until(const std::string& what, Deadline limit) const {
    if (progress_) progress_->wait(what, limit);
    return limit;
}

Deadline Session::deadline_in(std::chrono::milliseconds span, const std::string& what) const {
    return wait_until(what, span.count() > 0 ? deadline_.earlier(Deadline::in(span)) : deadline_);
}

void Session::begin_stage(const std::string& what, Deadline limit) const {
    if (progress_) progress_->begin(what, limit);
}

void Session::begin_call() {
    last_use_ = Clock::now();
    ended_tabs_.clear();
    if (!checkpoint_due_) unkept_since_ = last_use_;
    checkpoint_later(kCheckpointDelay);
}

Task<Turn> Session::take_turn(Deadline deadline) {
    Turn turn = co_await turns_.take();
    deadline_ = within_budget(deadline);
    begin_call();
    co_return turn;
}

std::shared_ptr<Tab> Session::free_standing_tab(const std::string& id) const {
    bool is_ready = life_ == Life::Awake && context_ && !context_->is_lost() && knows_roots_ &&
                    (!options_.auto_assign_tab || has_assigned_);
    // A trace, or Playwright code in all tabs, allows one call at a time.
    if (!is_ready || trace_ || !options_.init_page.empty()) return nullptr;
    auto it = std::ranges::find_if(tabs_, [&](const auto& tab) { return tab->id() == id; });
    // A call of the whole session may change the order of the tabs, so an index waits for it.
    if (it == tabs_.end() && !turns_.has_for_session())
        it = std::ranges::find_if(tabs_,
                                  [&, i = 0](const auto&) mutable { return std::to_string(i++) == id; });
    return it == tabs_.end() || (*it)->has_crashed() ? nullptr : *it;
}

Task<std::optional<Turn>> Session::take_tab_turn(std::shared_ptr<Tab> tab, Deadline deadline) {
    Turn turn = co_await turns_.take(tab->id());
    if (free_standing_tab(tab->id()) != tab) co_return std::nullopt;
    tab->begin_call(within_budget(deadline));
    // As if the calls had run one after the other: the last one that named a tab made it current.
    if (turn.number() > current_since_) {
        current_since_ = turn.number();
        current_ = tab;
    }
    begin_call();
    co_return std::optional<Turn>(std::move(turn));
}

std::vector<std::shared_ptr<Tab>> Session::tabs_beside(const Tab* acting) const {
    std::vector<std::shared_ptr<Tab>> tabs;
    for (const auto& tab : tabs_) {
        if (!acting || tab.get() == acting || !turns_.is_taken(tab->id())) tabs.push_back(tab);
    }
    return tabs;
}

void Session::finish_opening() {
    if (auto lease = std::dynamic_pointer_cast<browsers::ContextLease>(context_)) lease->finish_opening();
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
    if (!roots.empty() && options_.trusts_roots) workspace_.set_root(roots.front());
    if (std::string note = workspace_.note(); !note.empty()) add_note(std::move(note));
}

Task<> Session::ensure_context() {
    if (context_ && !context_->is_lost()) co_return;
    if (context_) take_loss();
    bool was_awake = life_ == Life::Awake;
    co_await wake();
    // An earlier run may have left nothing.
    if (was_awake || !context_) co_await open_context();
}

Task<> Session::open_context() {
    attach(co_await open_another_context());
    checkpointing_ = start(save_beginning(), [](Result<void>) {});
    if (progress_) {
        progress_->begin_tool();
        progress_->note("the browser is there");
    }
    begins_apart_ = options_.others_are_busy && options_.others_are_busy();
    for (const auto& page : std::vector(context_->pages())) adopt(page);
}

Task<std::shared_ptr<engine::Context>> Session::open_another_context() {
    forget_all();
    code_runner_ = nullptr;
    context_ = nullptr;
    co_await begin_page_videos();
    co_await begin_har();
    co_return co_await open_(workspace_);
}

void Session::attach(const std::shared_ptr<engine::Context>& context) {
    context_ = context;
    awake_since_ = Clock::now();
    std::weak_ptr<Session> self = weak_from_this();
    // Ignores late events of an earlier context.
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
        // When the browser is lost, all tabs go and are remembered together.
        if (session->context_->is_lost())
            session->lose_browser();
        else
            session->forget(page);
    });
    context->on_lost([is_ours] {
        if (auto session = is_ours()) session->lose_browser();
    });
}

Task<> Session::begin_page_videos() {
    // Ends the videos of a lost browser.
    co_await end_video(std::exchange(page_videos_, nullptr));
    if (!options_.record_video) co_return;
    co_await VideoEncoder::check_installed();
    const std::filesystem::path& directory = options_.record_video->directory;
    page_videos_ =
        Video::into(loop_, directory.empty() ? workspace_.output_dir() : directory,
                    directory.empty() ? ChosenBy::Us : ChosenBy::Operator, options_.record_video->format);
}

// Writes one file for all its browsers.
Result<void> Session::begin_har() {
    if (har_ || !options_.record_har) return ok();
    Har::Redaction redaction{
        .entry =
            [this](json::value entry) {
                return secrets_.redact_all(passwords_->redactor().redact_all(std::move(entry)));
            },
        .body =
            [this](std::string body) {
                return secrets_.redactor().redact_bytes(passwords_->redactor().redact_bytes(std::move(body)));
            }};
    har_ = TRY(Har::create(loop_, *options_.record_har, std::move(redaction)));
    return ok();
}

Task<std::shared_ptr<engine::Context>> Session::ensure_browser() {
    co_await ensure_context();
    co_return context_;
}

std::shared_ptr<Tab> Session::adopt(const std::shared_ptr<engine::Page>& page) {
    auto known = std::ranges::find_if(tabs_, [&](const auto& tab) { return &tab->page() == page.get(); });
    if (known != tabs_.end()) return *known;
    // Closes a popup beyond the budget; the page's log shows it to the agent.
    if (!page->opener().empty() && has_all_tabs()) {
        quota_->note_refused(engine::PageQuota::Kind::Tab);
        if (current_)
            current_->page().log_error("A tab that the page opened was closed. " + too_many_tabs().message);
        start(close_page(page)).detach();
        return nullptr;
    }
    hold_to_quota(*page);
    tabs_.push_back(std::make_shared<Tab>(*this, page));
    for (const auto& video : {video_, page_videos_}) {
        if (video) (void)video->watch(*tabs_.back());
    }
    if (har_) har_->watch(page);
    if (user_recording_) user_recording_->watch(*tabs_.back());
    bool may_begin_here = !begins_apart_ || !page->opener().empty();
    if (!current_ && may_begin_here) current_ = tabs_.back();
    std::shared_ptr<Tab> tab = tabs_.back();
    tab->start_initializing();
    notify_tab_event(*tab, TabEvent::Opened);
    return tab;
}

bool Session::has_all_tabs() const {
    return options_.budget.tabs && !tabs_.empty() && tabs_.size() >= *options_.budget.tabs;
}

Error Session::too_many_tabs() const {
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "This session has " + std::to_string(tabs_.size()) +
                            " tabs open, as many as it may (session.maxTabs).",
                 .hint = "Close a tab first."};
}

std::shared_ptr<engine::CodeRunner> Session::code_runner() {
    if (!code_runner_ && context_ && options_.code_runner && workspace_.ensure_root())
        code_runner_ = options_.code_runner(context_, workspace_.root());
    return code_runner_;
}

void Session::forget(const engine::Page& page) {
    auto it = std::ranges::find_if(tabs_, [&](const auto& tab) { return &tab->page() == &page; });
    if (it == tabs_.end()) return;
    std::shared_ptr<Tab> closed = *it;
    save_events(*closed);
    for (const auto& video : {video_, page_videos_}) {
        if (video) video->end(page);
    }
    ended_tabs_.push_back(closed);
    // A page may open and close tabs while no call clears the list.
    if (!is_busy() && ended_tabs_.size() > kMaxEndedTabs) {
        boost::asio::post(loop_, [weak = weak_from_this()] {
            if (auto self = weak.lock(); self && !self->is_busy()) self->ended_tabs_.clear();
        });
    }
    it = tabs_.erase(it);
    if (current_ == closed) {
        if (tabs_.empty())
            current_ = nullptr;
        else
            current_ = it == tabs_.end() ? tabs_.back() : *it;
    }
    notify_tab_event(*closed, TabEvent::Closed);
}

void Session::forget_all() {
    std::vector<std::shared_ptr<Tab>> closed = std::exchange(tabs_, {});
    current_ = nullptr;
    ended_tabs_.insert(ended_tabs_.end(), closed.begin(), closed.end());
    for (const auto& tab : closed) {
        save_events(*tab);
        notify_tab_event(*tab, TabEvent::Closed);
    }
}

// A download may have arrived since the last answer: its file is saved while its context still exists.
void Session::save_events(Tab& tab) {
    for (std::string& event : tab.take_download_events()) {
        if (left_events_.size() < kMaxLeftEvents) left_events_.push_back(std::move(event));
    }
}

Task<std::shared_ptr<Tab>> Session::new_tab() {
    co_await ensure_context();
    if (has_all_tabs()) co_await too_many_tabs();
    struct Opening {
        int& count;
        explicit Opening(int& opening) : count(opening) { ++count; }
        ~Opening() { --count; }
    };
    {
        Opening opening(opening_tabs_);
        std::shared_ptr<engine::Page> page =
            co_await context_->new_page(deadline_in(options_.navigation_timeout, "a new tab"));
        current_ = adopt(page);
        begins_apart_ = false;
    }
    co_await current_->initialized();
    co_return current_;
}

Task<std::shared_ptr<Tab>> Session::ensure_tab() {
    co_await ensure_context();
    bool crashed = current_ && current_->has_crashed() && !current_->is_read_only();
    if (crashed) {
        std::shared_ptr<Tab> tab = current_;
        (void)co_await as_result(tab->page().close(deadline_in(kCloseTimeout, "a crashed tab to close")));
        forget(tab->page());
        current_ = nullptr;
    }
    if (!current_) co_await new_tab();
    if (crashed) {
        current_->log_error("Error: Page crashed and was reset to about:blank.");
        notes_.emplace_back(
            "The page crashed. This tab is a new one, at about:blank: the old page's element refs and the "
            "state of its scripts are gone.");
    }
    co_await current_->initialized();
    co_return current_;
}

std::shared_ptr<Session::BreakdownWatch> Session::watch_breakdowns(BreakdownWatch watch) {
    std::erase_if(breakdown_watches_, [](const auto& each) { return each.expired(); });
    auto kept = std::make_shared<BreakdownWatch>(std::move(watch));
    breakdown_watches_.push_back(kept);
    return kept;
}

void Session::report_breakdown(const Breakdown& breakdown) {
    for (const auto& weak : std::vector(breakdown_watches_)) {
        if (auto watch = weak.lock()) (*watch)(breakdown);
    }
}

void Session::take_crash(const Tab& tab) {
    report_breakdown({&tab, {.code = ErrorCode::BrowserCrashed, .message = "Target crashed"}});
}

void Session::lose_browser() {
    take_loss();
    report_breakdown(
        {nullptr,
         {.code = ErrorCode::BrowserCrashed,
          .message = "Target page, context or browser has been closed",
          .hint = "The browser ended while this call was under way. The next call gets a new one."}});
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
    co_await wake();
    std::shared_ptr<Tab> tab = co_await tab_at(index);
    // Other sessions have tabs in the same window; each works in the background.
    if (!tabs_context()) co_await tab->page().bring_to_front(tab->action_deadline());
    current_ = tab;
}

Task<> Session::close_tab(std::optional<double> index) {
    co_await wake();
    if (!index && !current_) co_await no_tab("undefined");
    std::shared_ptr<Tab> tab = current_;
    if (index) tab = co_await tab_at(*index);
    if (tab->is_read_only()) co_await read_only_error(*tab);
    co_await tab->page().close(deadline_in(options_.navigation_timeout, "a tab to close"));
    forget(tab->page());
}

Task<> Session::close() {
    if (waking_)
        end_waking(Error{.code = ErrorCode::SessionNotFound, .message = "The session was closed meanwhile."});
    life_ = Life::Awake;
    outline_ = {};
    last_checkpoint_ = {};
    unrestored_ = {};
    checkpointing_ = {};
    if (persistence_.checkpoints) persistence_.checkpoints->forget(persistence_.id);
    // Time to end its videos, those of its pages, and the context.
    (void)deadline_in(3 * kCloseTimeout, "its browser context to close");
    co_await release_context();
}

Task<> Session::release_context() {
    std::shared_ptr<engine::Context> context = std::exchange(context_, nullptr);
    trace_ = nullptr;
    user_recording_ = nullptr;
    co_await end_video(std::exchange(video_, nullptr));
    co_await end_video(std::exchange(page_videos_, nullptr));
    if (har_) (void)co_await as_result(har_->finish(Deadline::in(kCloseTimeout)));
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
