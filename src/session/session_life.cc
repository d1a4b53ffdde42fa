// The life of a session while it has no browser: checkpoints, hibernation, waking up, and crashes.
#include <algorithm>

#include "browsers/context_lease.h"
#include "engine/navigation_failure.h"
#include "engine/responsiveness.h"
#include "engine/runaway.h"
#include "session/session.h"
#include "util/shared_result.h"
#include "util/time_text.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr auto kCaptureLimit = 5s;
// Max time that a wake-up waits for a context, and max time to fill it.
constexpr auto kOpenLimit = 2min;
constexpr auto kRestoreLimit = 30s;
constexpr auto kCloseLimit = 10s;
constexpr auto kRetry = 1s;
// Max time that a checkpoint waits for sessions that open contexts, which need the machine more.
constexpr auto kMaxCheckpointDelay = 10s;
constexpr auto kCrashMemory = 5min;
// A browser that dies this soon after a call may have died of it.
constexpr auto kSuspicion = 2s;
// After this many crashes its pages are not opened again: one of them is the likely reason.
constexpr std::size_t kMaxCrashes = 5;

// Whether the browser was lost because it stopped answering.
bool stopped_answering(const std::shared_ptr<engine::Context>& context) {
    auto lease = std::dynamic_pointer_cast<browsers::ContextLease>(context);
    auto lost = std::dynamic_pointer_cast<engine::Responsiveness>(lease ? lease->underlying() : context);
    return lost && lost->is_unresponsive();
}

constexpr std::string_view kUnresponsive = "The browser did not answer any more and counts as lost.";

// The note of a session that is not restored when its browser ends.
std::string lost_tabs(std::size_t tabs, const std::shared_ptr<Tab>& current) {
    std::string line = "The browser ended, or the connection to it. This session's ";
    line += tabs == 1 ? "tab is gone" : std::to_string(tabs) + " tabs are gone";
    if (current) line += (tabs == 1 ? ": " : ", the current one at ") + current->page().url();
    return line + ". It goes on in a new tab: element refs from before and the state of scripts are gone.";
}

std::string_view opening_line(Session::Life from) {
    switch (from) {
        case Session::Life::Hibernated:
            return "This session was asleep and is awake again. Its pages were loaded anew: element refs "
                   "from before and the state of scripts are gone.";
        case Session::Life::Crashed:
            return "The browser crashed. This session was restored from its last checkpoint in a new one: "
                   "element refs from before and the state of scripts are gone, as are open dialogs and "
                   "work under way.";
        case Session::Life::Earlier:
            return "This session was restored as an earlier connection or run of the server left it. Its "
                   "pages were loaded anew: element refs from before, the state of scripts, open dialogs "
                   "and work under way are gone.";
        case Session::Life::Awake:
            break;
    }
    return "";
}

// The member of a checkpoint that was taken between calls: when.
constexpr std::string_view kInterim = "interim";

std::string killed_line(std::string_view taken) {
    return "Its server was killed: this is its checkpoint of " + std::string(taken) +
           ", and what was done after that is lost.";
}

constexpr std::string_view kKept =
    "What is missing is kept, and tried again when the session wakes up the next time.";

constexpr std::string_view kNothingKept =
    "This session's server ended before it had kept the session's state: its pages and cookies are gone, and "
    "it begins anew.";

// Whether the page shows a site's answer, and not that the site is down.
bool shows_document(const engine::Page& page) {
    auto status = page.document_status();
    return !engine::is_error_page(page.url()) && !(status && status->status >= 500);
}

bool has_navigation_under_way(const engine::Page& page) {
    return std::ranges::any_of(page.requests(), [](const engine::RequestEntry& request) {
        return request.is_navigation && !request.finished && !request.redirected && request.failure.empty();
    });
}

Error still_waking() {
    return Error{.code = ErrorCode::Timeout,
                 .message = "Restoring this session takes longer than the call may.",
                 .hint = "It goes on meanwhile, and nothing is lost. Call again."};
}

// Whether a retry is useless: the state is another version's, damaged, or sealed with a lost key.
bool is_unreadable(const Error& error) {
    return error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotFound;
}

bool has_download_under_way(const engine::Page& page) {
    return std::ranges::any_of(page.downloads(), [](const engine::Download& download) {
        return download.state == engine::Download::State::Started;
    });
}

}  // namespace

void Session::set_persistence(Persistence persistence) {
    persistence_ = std::move(persistence);
    if (persistence_.checkpoints && persistence_.may_be_there && !context_) life_ = Life::Earlier;
}

void Session::notify_state(store::SessionState state) const {
    if (persistence_.on_change) persistence_.on_change(state);
}

Pages Session::open_pages() const {
    Pages pages;
    for (const auto& tab : tabs_) pages.push_back(tab->shared_page());
    return pages;
}

std::size_t Session::current_index() const {
    auto it = std::ranges::find(tabs_, current_);
    return it == tabs_.end() ? 0 : static_cast<std::size_t>(it - tabs_.begin());
}

Session::Outline Session::outline() const {
    if (!context_) return outline_;
    return {current_ ? current_->page().url() : "", tabs_.size()};
}

Task<std::uint64_t> Session::memory(std::chrono::milliseconds timeout) {
    auto self = shared_from_this();
    std::uint64_t total = 0;
    for (const auto& tab : std::vector(tabs_)) {
        auto* guard = dynamic_cast<engine::RunawayGuard*>(&tab->page());
        if (!guard || tab->has_crashed()) continue;
        total += (co_await as_result(guard->heap_used(timeout))).value_or(0);
    }
    co_return total;
}

// Delays no call: the changes since the last checkpoint are read once the session is idle.
void Session::checkpoint_later(std::chrono::milliseconds delay) {
    if (!persistence_.checkpoints ||
        !(persistence_.survives_crashes || persistence_.checkpoints->is_lasting()))
        return;
    if (std::exchange(checkpoint_due_, true)) return;
    checkpoint_timer_.expires_after(delay);
    checkpoint_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        auto self = weak.lock();
        if (error || !self) return;
        self->checkpoint_due_ = false;
        // A long call counts as use, too.
        if (self->is_busy()) self->last_use_ = Clock::now();
        if (!self->can_checkpoint()) return self->checkpoint_later(kRetry);
        if (self->context_)
            self->checkpointing_ = start(self->save_checkpoint(Moment::BetweenCalls), [](Result<void>) {});
    });
}

bool Session::can_checkpoint() const {
    if (is_busy() || !checkpointing_.done()) return false;
    return !persistence_.is_calm || persistence_.is_calm() ||
           Clock::now() >= unkept_since_ + kMaxCheckpointDelay;
}

Task<> Session::checkpoint() {
    auto self = shared_from_this();
    co_await save_checkpoint(Moment::AtTheEnd);
}

// Borrows the session, which may own the task.
Task<> Session::save_checkpoint(Moment moment) {
    auto context = context_;
    if (!persistence_.checkpoints || !context || context->is_lost()) co_return;
    auto made = co_await capture(context, open_pages(), current_index(), engine::Context::Reach::OpenPages,
                                 last_checkpoint_, Deadline::in(kCaptureLimit));
    if (context_ != context) co_return;
    made = completed(std::move(made));
    json::object before = last_checkpoint_;
    bool was_interim = before.erase(kInterim) > 0;
    if (made == before && !(was_interim && moment == Moment::AtTheEnd)) co_return;
    if (moment == Moment::BetweenCalls) made[kInterim] = utc_text_now();
    last_checkpoint_ = made;
    co_await persistence_.checkpoints->save(persistence_.id, to_text(made));
    if (persistence_.on_checkpoint) persistence_.on_checkpoint();
}

Task<> Session::keep_beginning() {
    auto self = shared_from_this();
    co_await save_beginning();
}

// Borrows the session, which may own the task.
Task<> Session::save_beginning() {
    // An earlier checkpoint is worth more.
    if (!persistence_.checkpoints || !persistence_.checkpoints->is_lasting() || !last_checkpoint_.empty())
        co_return;
    json::object made = beginning(context_ != nullptr);
    if (persistence_.setup) made["setup"] = persistence_.setup();
    co_await persistence_.checkpoints->save(persistence_.id, to_text(made));
}

json::object Session::completed(json::object checkpoint) {
    for (const auto& tab : tabs_) {
        if (shows_document(tab->page())) unrestored_.note_document(tab->page().id());
    }
    checkpoint = unrestored_.carry_into(std::move(checkpoint));
    if (persistence_.setup) {
        json::object setup = persistence_.setup();
        // The context has its present form.
        setup.erase("storageState");
        checkpoint["setup"] = std::move(setup);
    }
    return checkpoint;
}

bool Session::has_page_work() const {
    return std::ranges::any_of(tabs_, [](const std::shared_ptr<Tab>& tab) {
        return !tab->modals().empty() || has_download_under_way(tab->page()) ||
               has_navigation_under_way(tab->page());
    });
}

// Whether hibernating would end more than allowed.
bool Session::would_end(MayEnd may_end) const {
    if (may_end < MayEnd::Recordings && (trace_ || video_ || user_recording_)) return true;
    if (may_end >= MayEnd::PageWork) return false;
    return std::ranges::any_of(tabs_, [](const std::shared_ptr<Tab>& tab) {
        return !tab->modals().empty() || has_download_under_way(tab->page());
    });
}

bool Session::is_hibernatable(MayEnd may_end) const {
    if (!persistence_.checkpoints || !persistence_.hibernates || !context_ || context_->is_lost())
        return false;
    return !would_end(may_end);
}

bool Session::can_hibernate(MayEnd may_end) const { return !is_busy() && is_hibernatable(may_end); }

Task<bool> Session::hibernate(MayEnd may_end) {
    auto self = shared_from_this();
    if (!can_hibernate(may_end)) co_return false;
    // A call that comes meanwhile waits, and wakes the session up again.
    co_return co_await hibernate_in(co_await turns_.take(), may_end);
}

Task<bool> Session::hibernate_after_call(Deadline deadline) {
    auto self = shared_from_this();
    if (!is_hibernatable(MayEnd::Nothing)) co_return false;
    auto turn =
        co_await as_result(with_deadline(loop_, turns_.take(), deadline, "Waiting for a call to end"));
    if (!turn || has_page_work() || !is_hibernatable(MayEnd::Nothing)) co_return false;
    co_return co_await hibernate_in(std::move(*turn), MayEnd::Nothing);
}

Task<bool> Session::hibernate_in(Turn /*held*/, MayEnd may_end) {
    Pages pages = open_pages();
    auto made = co_await capture(context_, pages, current_index(), engine::Context::Reach::Everything,
                                 last_checkpoint_, Deadline::in(kCaptureLimit));
    if (!context_ || context_->is_lost()) co_return false;
    made = completed(std::move(made));
    co_await persistence_.checkpoints->save(persistence_.id, to_text(made));
    if (!context_) {
        // The session was closed meanwhile, for good.
        persistence_.checkpoints->forget(persistence_.id);
        co_return false;
    }
    // A page may have opened a tab or a dialog, or begun a download, since the capture.
    if (context_->is_lost() || would_end(may_end) || open_pages() != pages) co_return false;
    if (may_end > MayEnd::Nothing) note_ended_work();
    co_await fall_asleep();
    co_return true;
}

void Session::note_ended_work() {
    for (const auto& tab : tabs_) {
        std::string url = tab->page().url();
        if (!tab->modals().empty()) notes_.push_back("A dialog that was open on " + url + " is gone.");
        if (has_download_under_way(tab->page()))
            notes_.push_back("A download from " + url + " was under way and has ended.");
    }
}

// The next wake-up restores the last saved state.
Task<> Session::fall_asleep() {
    outline_ = outline();
    life_ = Life::Hibernated;
    last_checkpoint_ = {};
    unrestored_ = {};
    if (code_runner_) notes_.emplace_back("What Playwright code had set up is gone.");
    notify_state(store::SessionState::Hibernated);
    (void)co_await as_result(release_context());
    ended_tabs_.clear();
}

Task<> Session::drop_browser() {
    auto self = shared_from_this();
    if (!context_) co_return;
    checkpointing_ = {};
    co_await fall_asleep();
}

// The browser has ended by itself.
void Session::take_loss() {
    // Reported once: later the tabs are forgotten.
    if (life_ == Life::Awake && !tabs_.empty()) {
        if (stopped_answering(context_)) notes_.emplace_back(kUnresponsive);
        if (!persistence_.checkpoints || !persistence_.survives_crashes)
            notes_.push_back(lost_tabs(tabs_.size(), current_));
    }
    if (persistence_.checkpoints && persistence_.survives_crashes && life_ == Life::Awake && context_) {
        outline_ = {current_ ? current_->page().url() : "", tabs_.size()};
        if (!tabs_.empty()) {
            last_checkpoint_ =
                completed(with_addresses(std::move(last_checkpoint_), open_pages(), current_index()));
            life_ = Life::Crashed;
            notify_state(store::SessionState::Error);
        }
        auto now = Clock::now();
        if (is_busy() || now - last_use_ < kSuspicion) crashes_.push_back(now);
    }
    forget_all();
}

std::size_t Session::recent_crashes() const {
    auto since = Clock::now() - kCrashMemory;
    return static_cast<std::size_t>(
        std::ranges::count_if(crashes_, [&](auto crash) { return crash > since; }));
}

Task<std::optional<json::object>> Session::load_checkpoint() {
    if (life_ == Life::Crashed) co_return last_checkpoint_;
    auto text = co_await persistence_.checkpoints->load(persistence_.id);
    if (!text) co_return std::nullopt;
    co_return co_await parse_checkpoint(*text);
}

// A running wake-up. The session gets nothing until it is done; dropping it gives the context back.
struct Session::Waking {
    explicit Waking(Loop& loop) : done(loop) {}

    Deadline opening = Deadline::in(kOpenLimit);
    SharedResult<void> done;
    Running running = {};
};

Deadline Session::opening_deadline() const { return waking_ ? waking_->opening : deadline_; }

Task<> Session::wake() {
    auto self = shared_from_this();
    if (life_ == Life::Awake) co_return;
    begin_stage("its session to wake up", deadline_);
    auto waking = waking_ ? waking_ : begin_waking();
    auto woken =
        co_await as_result(with_deadline(loop_, waking->done.get(), deadline_, "Restoring the session"));
    if (!woken && waking_ == waking) co_await still_waking();
    co_await std::move(woken);
}

// The task borrows the session, which owns it.
std::shared_ptr<Session::Waking> Session::begin_waking() {
    auto waking = waking_ = std::make_shared<Waking>(loop_);
    waking->running = start(restore_itself(), [this](Result<void> result) { end_waking(std::move(result)); });
    return waking;
}

void Session::end_waking(Result<void> result) {
    auto waking = std::exchange(waking_, nullptr);
    waking->running.cancel();
    waking->done.set(std::move(result));
}

Task<> Session::restore_itself() {
    auto loaded = co_await as_result(load_checkpoint());
    bool may_come_back = !loaded && !is_unreadable(loaded.error());
    if (may_come_back && life_ != Life::Earlier) co_await loaded.error();
    // An unreadable disk must not stop the agent; nor is its state overwritten.
    if (may_come_back) persistence_.checkpoints = std::make_shared<MemoryCheckpointStore>();
    if (!loaded) notes_.push_back("This session could not be restored: " + loaded.error().message);
    if (!loaded || !*loaded) {
        life_ = Life::Awake;
        co_return;
    }
    json::object checkpoint = std::move(**loaded);
    if (const json::object* setup = json::find_object(checkpoint, "setup"); setup && persistence_.take_setup)
        persistence_.take_setup(*setup);
    if (is_beginning(checkpoint)) {
        if (had_browser(checkpoint)) notes_.emplace_back(kNothingKept);
        life_ = Life::Awake;
        co_return;
    }
    std::shared_ptr<engine::Context> context = co_await open_another_context();
    begin_stage("its pages to be restored", Deadline::in(kRestoreLimit + kCloseLimit));
    auto restored =
        co_await as_result(restore(loop_, context, checkpoint, tabs_to_open(), Deadline::in(kRestoreLimit)));
    if (restored && !context->is_lost()) {
        come_back(context, std::move(*restored), std::move(checkpoint));
        co_return;
    }
    // The next call tries again with the same checkpoint.
    if (context->is_lost()) {
        crashes_.push_back(Clock::now());
        notify_state(store::SessionState::Error);
    } else {
        (void)co_await as_result(context->close(Deadline::in(kCloseLimit)));
    }
    if (!restored) co_await restored.error();
    co_await Error{.code = ErrorCode::BrowserCrashed, .message = "The browser crashed."};
}

OpenTabs Session::tabs_to_open() const {
    return recent_crashes() >= kMaxCrashes ? OpenTabs::No : OpenTabs::Yes;
}

// Runs in one step: no caller sees a session that is half awake.
void Session::come_back(const std::shared_ptr<engine::Context>& context, Restored restored,
                        json::object checkpoint) {
    Life from = std::exchange(life_, Life::Awake);
    attach(context);
    const auto& current = restored.pages[restored.current];
    for (const auto& page : restored.pages) {
        auto tab = page->is_closed() ? nullptr : adopt(page);
        if (tab && page == current) current_ = tab;
    }
    // Adopts pages that these have opened meanwhile.
    for (const auto& page : std::vector(context->pages())) adopt(page);
    std::string opening(opening_line(from));
    // The session may have slept again before an answer told of the last time.
    std::erase(notes_, opening);
    notes_.push_back(std::move(opening));
    auto taken = json::find_string(checkpoint, kInterim);
    if (taken && from == Life::Earlier) notes_.push_back(killed_line(*taken));
    if (tabs_to_open() == OpenTabs::No)
        notes_.emplace_back("Its pages were not opened again: the browser kept crashing.");
    std::ranges::move(restored.missing, std::back_inserter(notes_));
    if (!restored.unrestored.empty()) notes_.emplace_back(kKept);
    unrestored_ = std::move(restored.unrestored);
    // The tabs have new ids.
    json::array tabs;
    if (const json::array* before = json::find_array(checkpoint, "tabs")) tabs = *before;
    for (std::size_t i = 0; i < tabs.size() && i < restored.pages.size(); ++i) {
        if (tabs[i].is_object()) tabs[i].as_object()["id"] = restored.pages[i]->id();
    }
    checkpoint["tabs"] = std::move(tabs);
    last_checkpoint_ = std::move(checkpoint);
    notify_state(store::SessionState::Active);
    // The call that began it may be gone.
    if (!is_busy()) finish_opening();
}

}  // namespace session
