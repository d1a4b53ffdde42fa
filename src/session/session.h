// One agent's browser state: its context, its tabs, and the order of its calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/browser.h"
#include "engine/page_quota.h"
#include "session/call_progress.h"
#include "session/checkpoint.h"
#include "session/options.h"
#include "session/persistence.h"
#include "session/secrets.h"
#include "session/session_log.h"
#include "session/tab.h"
#include "session/turn_queue.h"
#include "session/typed_passwords.h"
#include "session/workspace.h"

namespace browsers {
class ContextLease;
}

namespace session {

class Har;
class Trace;
class UserRecording;
class Video;

// Opens a browser context for a session: on its first use, and again after a close or after the browser was
// lost.
using OpenContext = std::function<Task<std::shared_ptr<engine::Context>>(const Workspace& workspace)>;

// Lives on the main loop. Calls take turns; a call with the session's turn may use everything else, a call
// with a tab's turn that tab.
class Session : public std::enable_shared_from_this<Session> {
public:
    static std::shared_ptr<Session> create(Loop& loop, SessionOptions options, OpenContext open);

    using Clock = std::chrono::steady_clock;

    // Whether a call has the turn, and when one last took it or gave it back.
    bool is_busy() const { return turns_.is_taken(); }
    Clock::time_point last_use() const { return std::max(last_use_, turns_.last_end()); }
    // Waits for the calls before this one; those after it wait. The turn's owner must end its work by
    // `deadline`.
    Task<Turn> take_turn(Deadline deadline);
    // The tab of this very id or index, if a call may have it alone while others work in other tabs: the
    // session needs no other work first. Else null.
    std::shared_ptr<Tab> free_standing_tab(const std::string& id) const;
    // The same turn in that tab only. Nothing when earlier calls left the tab no longer free-standing.
    Task<std::optional<Turn>> take_tab_turn(std::shared_ptr<Tab> tab, Deadline deadline);
    // The tabs that a call in `acting` may look at: all but those that other calls work in. Null: all.
    std::vector<std::shared_ptr<Tab>> tabs_beside(const Tab* acting) const;

    Loop& loop() const { return loop_; }
    const SessionOptions& options() const { return options_; }
    Workspace& workspace() { return workspace_; }
    const Workspace& workspace() const { return workspace_; }
    const Secrets& secrets() const { return secrets_; }
    // The texts of its password fields so far; never null.
    const std::shared_ptr<const TypedPasswords>& passwords() const { return passwords_; }
    void note_password(std::string text);
    // Texts that pages show in password fields, however they came there.
    void note_shown_passwords(std::vector<std::string> texts);
    // The language that locators are printed in.
    engine::Language language() const;
    // The deadline of the running call; notifies its progress of a wait until then.
    Deadline deadline() const { return wait_until("its tool", deadline_); }
    // The deadline of one wait; zero: that of the call.
    Deadline deadline_in(std::chrono::milliseconds span, const std::string& what) const;
    // The same as `deadline`, without notifying the progress.
    Deadline call_deadline() const { return deadline_; }
    // Sets the progress of the call that has the session's turn; null: none.
    void follow(std::shared_ptr<CallProgress> progress) { progress_ = std::move(progress); }
    CallProgress* progress() const { return progress_.get(); }
    // Number of calls that have not ended.
    std::size_t calls() const { return turns_.length(); }
    // The deadline for opening a context: a wake-up does not end with the call that began it.
    Deadline opening_deadline() const;

    // Whether the client was already asked for its roots.
    bool knows_roots() const { return knows_roots_; }
    // Sets the client's workspace; an empty list keeps the working directory.
    void set_roots(const std::vector<std::filesystem::path>& roots);
    // The client's roots have changed: the next call asks for them.
    void forget_roots() { knows_roots_ = false; }

    // Open tabs, oldest first; none before the browser was needed.
    const std::vector<std::shared_ptr<Tab>>& tabs() const { return tabs_; }
    std::shared_ptr<Tab> current_tab() const { return current_; }
    // The current tab, made when there is none; a crashed one is replaced.
    Task<std::shared_ptr<Tab>> ensure_tab();
    // A new tab, current from now on.
    Task<std::shared_ptr<Tab>> new_tab();
    // Whether a tab is being opened that will be the current one.
    bool is_opening_tab() const { return opening_tabs_ > 0; }
    // Makes the tab of that id, or at that index, the current one without showing it. Fails by naming the
    // existing tabs.
    Task<> use_tab(std::string id);
    // The tab of that id, or at that index. Fails by naming the existing tabs.
    Result<std::shared_ptr<Tab>> named_tab(const std::string& id) const;
    // Takes a tab over from another session. The current tab stays current.
    void take_tab(const std::shared_ptr<engine::Page>& page, std::string id, TabAccess access);
    // Gives a tab up to another session. If it was the current one, there is none.
    void leave_tab(const engine::Page& page);
    // The context, if sessions share it and have tabs of their own; else null.
    std::shared_ptr<browsers::ContextLease> tabs_context() const;

    // Opens a tab for a new client, before its first request; once.
    Task<> assign_tab();
    // True once after assign_tab(): the agent has to be notified.
    bool take_assignment() { return std::exchange(announces_assignment_, false); }
    // These fail with NotFound when there is no such tab. No index is the current tab.
    Task<> select_tab(double index);
    Task<> close_tab(std::optional<double> index);

    // The runner of Playwright code on this session's tabs; null when there is none.
    std::shared_ptr<engine::CodeRunner> code_runner();

    // An event that ends a running call: its browser ends by itself, or a tab crashes.
    struct Breakdown {
        const Tab* tab;  // null: the browser
        Error error;
    };
    using BreakdownWatch = std::function<void(const Breakdown&)>;
    // Calls `watch` for each breakdown, until the result is dropped.
    [[nodiscard]] std::shared_ptr<BreakdownWatch> watch_breakdowns(BreakdownWatch watch);
    // Reports that one of its tabs has crashed.
    void take_crash(const Tab& tab);

    // A call is done: other sessions no longer wait for this one's opening.
    void finish_opening();

    bool has_browser() const { return context_ != nullptr; }
    // The browser context, opened when there is none.
    Task<std::shared_ptr<engine::Context>> ensure_browser();
    // Gives the browser context back and keeps nothing. The next call gets a new one.
    Task<> close();

    // session_life.cc: a session that has a checkpoint store outlives its browser.
    void set_persistence(Persistence persistence);
    const Persistence& persistence() const { return persistence_; }
    enum class Life { Awake, Hibernated, Crashed, Earlier };
    // The next call restores a session that is not Awake; an Earlier one only if the checkpoint store has it.
    // It is Awake once all that can be restored is.
    Life life() const { return life_; }
    void notify_state(store::SessionState state) const;
    // Restores the session; the only way to do so. The session owns the wake-up: callers that come meanwhile
    // wait for the same one, and a caller that gives up does not end it. A failed wake-up changes nothing.
    // Needs the turn.
    Task<> wake();
    // The agent has changed the page in the tab and goes on from there, even if the tab was not restored.
    void note_change(const Tab& tab) { unrestored_.note_use(tab.page().id()); }
    // The work that hibernation may end: none that a caller may wait for, that of pages (dialogs, downloads,
    // navigations), or also recordings.
    enum class MayEnd { Nothing, PageWork, Recordings };
    bool has_page_work() const;
    bool can_hibernate(MayEnd may_end = MayEnd::Nothing) const;
    // When it got its present context.
    Clock::time_point awake_since() const { return awake_since_; }
    // Saves its state and gives the browser context back. False when it was in use after all.
    Task<bool> hibernate(MayEnd may_end = MayEnd::Nothing);
    // The same between two calls, if the running one ends before the deadline and leaves no work behind.
    Task<bool> hibernate_after_call(Deadline deadline);
    // Gives the browser context back and keeps the last checkpoint.
    Task<> drop_browser();
    // Saves its present state, as far as open pages show it. Does not wait for the turn.
    Task<> checkpoint();
    // Saves its setup until the first checkpoint: a server that is killed before then forgets neither the
    // setup nor the session.
    Task<> keep_beginning();
    // Replaces its initial budget, before it has pages.
    void set_budget(Budget budget);
    const std::shared_ptr<ConsoleQuota>& console_quota() const { return console_quota_; }
    // Adds a line about the session to the next answer, without a bullet.
    void add_note(std::string line) { notes_.push_back(std::move(line)); }
    std::vector<std::string> take_notes();
    // Events of tabs that have ended since the last answer, without bullets.
    std::vector<std::string> take_left_events() { return std::exchange(left_events_, {}); }
    // How often its browser died under its calls in the last minutes.
    std::size_t recent_crashes() const;
    // Its tabs now, or when it last had a browser.
    struct Outline {
        std::string url;
        std::size_t tabs = 0;
    };
    Outline outline() const;
    // Bytes used by its tabs' scripts; tabs that do not answer within `timeout` are left out.
    Task<std::uint64_t> memory(std::chrono::milliseconds timeout);

    // Notifies when the current tab's page tools differ from those at the last call.
    void check_page_tools();
    // Calls the tab_event option, if set.
    void notify_tab_event(const Tab& tab, TabEvent event) const {
        if (options_.tab_event) options_.tab_event(tab.id(), event);
    }

    // The trace that is being recorded; null when none is. It ends with the browser.
    const std::shared_ptr<Trace>& trace() const { return trace_; }
    void set_trace(std::shared_ptr<Trace> trace) { trace_ = std::move(trace); }

    // The video that is being recorded, of tabs that open later as well; null when none is. It ends with the
    // browser.
    const std::shared_ptr<Video>& video() const { return video_; }
    void set_video(std::shared_ptr<Video> video) { video_ = std::move(video); }

    // The recording of what a person does, in tabs that open later as well; null when none is under way. It
    // ends with the browser.
    const std::shared_ptr<UserRecording>& user_recording() const { return user_recording_; }
    void set_user_recording(std::shared_ptr<UserRecording> recording) {
        user_recording_ = std::move(recording);
    }

    // The log of calls; null when it is off or cannot be written.
    const SessionLog* log();

private:
    Session(Loop& loop, SessionOptions options, OpenContext open);

    Task<> ensure_context();
    Task<> open_context();
    // Opens a context that the session does not own yet.
    Task<std::shared_ptr<engine::Context>> open_another_context();
    // Makes it the session's context, without its pages.
    void attach(const std::shared_ptr<engine::Context>& context);
    Task<> begin_page_videos();
    Result<void> begin_har();
    Task<> release_context();
    Task<std::optional<json::object>> load_checkpoint();
    struct Waking;
    std::shared_ptr<Waking> begin_waking();
    void end_waking(Result<void> result);
    Task<> restore_itself();
    OpenTabs tabs_to_open() const;
    void come_back(const std::shared_ptr<engine::Context>& context, Restored restored,
                   json::object checkpoint);
    bool would_end(MayEnd may_end) const;
    void note_ended_work();
    Task<> fall_asleep();
    // Adds the session's setup and the parts that could not be restored.
    json::object completed(json::object checkpoint);
    Pages open_pages() const;
    std::size_t current_index() const;
    void take_loss();
    Deadline within_budget(Deadline deadline) const;
    Deadline wait_until(const std::string& what, Deadline limit) const;
    void begin_stage(const std::string& what, Deadline limit) const;
    void begin_call();
    // The browser was lost, perhaps under a running call.
    void lose_browser();
    void report_breakdown(const Breakdown& breakdown);
    void checkpoint_later(std::chrono::milliseconds delay);
    bool can_checkpoint() const;
    // A checkpoint between calls says so: the state that a killed server leaves may lack what came after it.
    enum class Moment { BetweenCalls, AtTheEnd };
    Task<> save_checkpoint(Moment moment);
    Task<> save_beginning();
    // Whether its state can be saved without disturbing a call; hibernating then needs a turn.
    bool is_hibernatable(MayEnd may_end) const;
    Task<bool> hibernate_in(Turn turn, MayEnd may_end);
    // Null for a page that the budget does not allow.
    std::shared_ptr<Tab> adopt(const std::shared_ptr<engine::Page>& page);
    void forget(const engine::Page& page);
    void forget_all();
    void save_events(Tab& tab);
    Result<std::shared_ptr<Tab>> tab_at(double index) const;
    // Counts the page towards this session's quota.
    void hold_to_quota(engine::Page& page);
    // Whether it has as many tabs as its budget allows.
    bool has_all_tabs() const;
    Error too_many_tabs() const;

    Loop& loop_;
    SessionOptions options_;
    OpenContext open_;
    Workspace workspace_;
    Secrets secrets_;
    std::shared_ptr<const TypedPasswords> passwords_ = std::make_shared<const TypedPasswords>();
    // Of its tabs, in any browser.
    std::shared_ptr<engine::PageQuota> quota_;
    std::shared_ptr<ConsoleQuota> console_quota_;
    TurnQueue turns_;
    Clock::time_point last_use_ = Clock::now(), awake_since_ = Clock::now();
    Deadline deadline_ = Deadline::never();
    std::shared_ptr<CallProgress> progress_;
    bool knows_roots_ = false;
    bool has_assigned_ = false, announces_assignment_ = false;
    std::shared_ptr<engine::Context> context_;
    std::shared_ptr<engine::CodeRunner> code_runner_;  // for this context
    std::vector<std::shared_ptr<Tab>> tabs_;
    std::shared_ptr<Tab> current_;
    // In a context that it shares: the session began while another one's call ran. It does not begin in a tab
    // that the other one may be opening.
    bool begins_apart_ = false;
    int opening_tabs_ = 0;
    std::uint64_t current_since_ = 0;  // the latest turn that made a tab the current one by its id
    // Tabs that ended, kept until the next turn: the engine may still be in a callback about them.
    std::vector<std::shared_ptr<Tab>> ended_tabs_;
    std::shared_ptr<Trace> trace_;
    std::shared_ptr<Video> video_;
    std::shared_ptr<Video> page_videos_;  // of all tabs of this context, where options_ says so
    std::shared_ptr<Har> har_;            // of all tabs, where options_ says so
    std::shared_ptr<UserRecording> user_recording_;
    std::vector<engine::PageTool> reported_tools_;
    std::optional<SessionLog> log_;
    bool log_failed_ = false;

    Persistence persistence_;
    Life life_ = Life::Awake;
    std::shared_ptr<Waking> waking_;  // while a wake-up is under way
    Unrestored unrestored_;
    json::object last_checkpoint_;  // of the browser that runs, or crashed
    Outline outline_;               // while it is asleep
    std::vector<std::string> notes_;
    std::vector<std::string> left_events_;
    std::vector<Clock::time_point> crashes_;
    boost::asio::steady_timer checkpoint_timer_;
    bool checkpoint_due_ = false;
    Clock::time_point unkept_since_ = {};  // time of the first call after the last checkpoint
    Running checkpointing_;
    std::vector<std::weak_ptr<BreakdownWatch>> breakdown_watches_;
};

}  // namespace session
