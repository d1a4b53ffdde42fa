// What becomes of a session while it has no browser: checkpoints, hibernation, waking up, and crashes.
#include <algorithm>

#include "engine/runaway.h"
#include "session/session.h"

namespace session {
namespace {

using namespace std::chrono_literals;

constexpr auto kCaptureLimit = 5s;
constexpr auto kRestoreLimit = 30s;
constexpr auto kRetry = 1s;
// So long it waits for those who open contexts, who need the machine more.
constexpr auto kMostCourtesy = 10s;
constexpr auto kCrashMemory = 5min;
// A browser that dies so soon after a call may have died of it.
constexpr auto kSuspicion = 2s;
// After so many crashes its pages are not opened again: one of them is the reason, most likely.
constexpr std::size_t kMostCrashes = 5;

std::string_view opening_line(Session::Life from) {
    switch (from) {
        case Session::Life::Hibernated:
            return "This session was asleep and is awake again. Its pages were loaded anew: element refs "
                   "from before "
                   "and the state of scripts are gone.";
        case Session::Life::Crashed:
            return "The browser crashed. This session was restored from its last checkpoint in a new one: "
                   "element refs "
                   "from before and the state of scripts are gone, as are open dialogs and work under way.";
        case Session::Life::Earlier:
            return "This session was restored as an earlier connection or run of the server left it. Its "
                   "pages were "
                   "loaded anew: element refs from before, the state of scripts, open dialogs and work under "
                   "way are "
                   "gone.";
        case Session::Life::Awake:
            break;
    }
    return "";
}

bool has_download_under_way(const engine::Page& page) {
    return std::ranges::any_of(page.downloads(), [](const engine::Download& download) {
        return download.state == engine::Download::State::Started;
    });
}

}  // namespace

void Session::keep(Keeping keeping) {
    keeping_ = std::move(keeping);
    if (keeping_.vault && keeping_.may_be_there && !context_) life_ = Life::Earlier;
}

void Session::tell(store::SessionState state) const {
    if (keeping_.on_change) keeping_.on_change(state);
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

Task<std::uint64_t> Session::memory(std::chrono::milliseconds patience) {
    auto self = shared_from_this();
    std::uint64_t total = 0;
    for (const auto& tab : std::vector(tabs_)) {
        auto* guard = dynamic_cast<engine::RunawayGuard*>(&tab->page());
        if (!guard || tab->has_crashed()) continue;
        total += (co_await as_result(guard->heap_used(patience))).value_or(0);
    }
    co_return total;
}

// Off the calls' path: what changed since the last one is asked for once the session has a moment.
void Session::checkpoint_later(std::chrono::milliseconds delay) {
    if (!keeping_.vault || !(keeping_.survives_crashes || keeping_.vault->is_lasting())) return;
    if (std::exchange(checkpoint_due_, true)) return;
    checkpoint_timer_.expires_after(delay);
    checkpoint_timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        auto self = weak.lock();
        if (error || !self) return;
        self->checkpoint_due_ = false;
        // A call that takes its time is use as well.
        if (self->is_busy()) self->last_use_ = Clock::now();
        if (!self->can_checkpoint()) return self->checkpoint_later(kRetry);
        if (self->context_) self->checkpointing_ = start(self->checkpoint(), [](Result<void>) {});
    });
}

bool Session::can_checkpoint() const {
    if (is_busy() || !checkpointing_.done()) return false;
    return !keeping_.is_calm || keeping_.is_calm() || Clock::now() >= unkept_since_ + kMostCourtesy;
}

Task<> Session::checkpoint() {
    auto self = shared_from_this();
    auto context = context_;
    if (!keeping_.vault || !context || context->is_lost()) co_return;
    auto made = co_await capture(context, open_pages(), current_index(), engine::Context::Reach::OpenPages,
                                 last_checkpoint_, Deadline::in(kCaptureLimit));
    if (context_ != context) co_return;
    if (keeping_.setup) made["setup"] = keeping_.setup();
    if (made == last_checkpoint_) co_return;
    last_checkpoint_ = made;
    co_await keeping_.vault->save(keeping_.id, to_text(made));
    if (keeping_.on_checkpoint) keeping_.on_checkpoint();
}

bool Session::can_hibernate() const {
    if (!keeping_.vault || !keeping_.hibernates || !context_ || context_->is_lost()) return false;
    if (is_busy() || trace_ || video_ || user_recording_) return false;
    return std::ranges::none_of(tabs_, [](const std::shared_ptr<Tab>& tab) {
        return !tab->modals().empty() || has_download_under_way(tab->page());
    });
}

Task<bool> Session::hibernate() {
    auto self = shared_from_this();
    if (!can_hibernate()) co_return false;
    // Whoever calls meanwhile waits, and wakes it up again.
    Turn turn = co_await turns_.take();
    auto made = co_await capture(context_, open_pages(), current_index(), engine::Context::Reach::Everything,
                                 last_checkpoint_, Deadline::in(kCaptureLimit));
    if (!context_ || context_->is_lost()) co_return false;
    if (keeping_.setup) made["setup"] = keeping_.setup();
    co_await keeping_.vault->save(keeping_.id, to_text(made));
    if (!context_) {
        // Closed meanwhile, for good.
        keeping_.vault->forget(keeping_.id);
        co_return false;
    }
    outline_ = outline();
    life_ = Life::Hibernated;
    last_checkpoint_ = {};
    if (code_runner_) notes_.emplace_back("What Playwright code had set up is gone.");
    tell(store::SessionState::Hibernated);
    (void)co_await as_result(release_context());
    ended_tabs_.clear();
    co_return true;
}

// The browser is gone, by itself.
void Session::take_loss() {
    if (keeping_.vault && keeping_.survives_crashes && life_ == Life::Awake && context_) {
        outline_ = {current_ ? current_->page().url() : "", tabs_.size()};
        if (!tabs_.empty()) {
            last_checkpoint_ = with_addresses(std::move(last_checkpoint_), open_pages(), current_index());
            life_ = Life::Crashed;
            tell(store::SessionState::Error);
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
    auto text = co_await keeping_.vault->load(keeping_.id);
    if (!text) co_return std::nullopt;
    co_return co_await parse_checkpoint(*text);
}

Task<> Session::wake() {
    auto self = shared_from_this();
    if (life_ == Life::Awake) co_return;
    auto loaded = co_await as_result(load_checkpoint());
    if (!loaded) notes_.push_back("This session could not be restored: " + loaded.error().message);
    if (!loaded || !*loaded) {
        life_ = Life::Awake;
        co_return;
    }
    json::object checkpoint = std::move(**loaded);
    if (const json::object* setup = json::find_object(checkpoint, "setup"); setup && keeping_.take_setup)
        keeping_.take_setup(*setup);
    co_await open_context();
    Life from = std::exchange(life_, Life::Awake);
    auto revived = co_await as_result(revive(checkpoint, from));
    if (revived) {
        tell(store::SessionState::Active);
        co_return;
    }
    // The next call tries again with the same, unless that is what kills it.
    if (context_ && !context_->is_lost()) {
        notes_.push_back("This session could not be restored: " + revived.error().message);
        co_return;
    }
    life_ = Life::Crashed;
    last_checkpoint_ = std::move(checkpoint);
    co_await revived.error();
}

Task<> Session::revive(json::object checkpoint, Life from) {
    bool dangerous = recent_crashes() >= kMostCrashes;
    if (dangerous) checkpoint["tabs"] = json::array();
    Restored restored =
        co_await restore(loop_, context_, checkpoint, deadline_.earlier(Deadline::in(kRestoreLimit)));
    for (const auto& page : restored.pages) {
        auto tab = adopt(page);
        if (page == restored.pages[restored.current]) current_ = tab;
    }
    // The browser may have told of them in another order.
    std::ranges::sort(tabs_, {}, [&](const std::shared_ptr<Tab>& tab) {
        return std::ranges::find(restored.pages, tab->shared_page()) - restored.pages.begin();
    });
    notes_.emplace_back(opening_line(from));
    if (dangerous) notes_.emplace_back("Its pages were not opened again: the browser kept crashing.");
    std::ranges::move(restored.missing, std::back_inserter(notes_));
    // Tabs have other names now.
    json::array tabs;
    if (const json::array* before = json::find_array(checkpoint, "tabs")) tabs = *before;
    for (std::size_t i = 0; i < tabs.size() && i < restored.pages.size(); ++i) {
        if (tabs[i].is_object()) tabs[i].as_object()["id"] = restored.pages[i]->id();
    }
    checkpoint["tabs"] = std::move(tabs);
    last_checkpoint_ = std::move(checkpoint);
}

}  // namespace session
