// One agent's browser state: its context, its tabs, and the order of its calls.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/browser.h"
#include "session/call_progress.h"
#include "session/checkpoint.h"
#include "session/keeping.h"
#include "session/options.h"
#include "session/secrets.h"
#include "session/session_log.h"
#include "session/tab.h"
#include "session/turn_queue.h"
#include "session/typed_passwords.h"
#include "session/workspace.h"

namespace session {

class LentContext;
class Trace;
class UserRecording;
class Video;

// Opens a browser context for a session: on its first use, and again after a close or after the browser was
// lost.
using OpenContext = std::function<Task<std::shared_ptr<engine::Context>>(const Workspace& workspace)>;

// Lives on the main loop. Calls take turns; whoever has the turn may use everything else, and whoever has a
// tab's turn that tab.
class Session : public std::enable_shared_from_this<Session> {
public:
    static std::shared_ptr<Session> create(Loop& loop, SessionOptions options, OpenContext open);

    using Clock = std::chrono::steady_clock;

    // Whether a call has the turn, and when one last took it or gave it back.
    bool is_busy() const { return turns_.is_taken(); }
    Clock::time_point last_use() const { return std::max(last_use_, turns_.last_end()); }
    // Waits for the calls before this one; those after it wait. What the turn's holder does ends by
    // `deadline`.
    Task<Turn> take_turn(Deadline deadline);
    // The tab of this very id, when a call may have it to itself while others work in other tabs: nothing has
    // to be done first that concerns the whole session. Else null.
    std::shared_ptr<Tab> free_standing_tab(const std::string& id) const;
    // The same turn in that tab only. Nothing when the calls before have left the session in another state.
    Task<std::optional<Turn>> take_tab_turn(std::shared_ptr<Tab> tab, Deadline deadline);
    // The tabs that a call in `acting` may look at: all but those that other calls work in. Null: all.
    std::vector<std::shared_ptr<Tab>> tabs_beside(const Tab* acting) const;

    Loop& loop() const { return loop_; }
    const SessionOptions& options() const { return options_; }
    Workspace& workspace() { return workspace_; }
    const Workspace& workspace() const { return workspace_; }
    const Secrets& secrets() const { return secrets_; }
    // What was typed into its password fields so far; never null.
    const std::shared_ptr<const TypedPasswords>& passwords() const { return passwords_; }
    void note_password(std::string text);
    // The language that locators are printed in.
    engine::Language language() const;
    // By when the call under way must be done. What asks may take that long.
    Deadline deadline() const { return wait_until("its tool", deadline_); }
    // By when one wait of it must be over; zero: whenever the call must.
    Deadline deadline_in(std::chrono::milliseconds span, const std::string& what) const;
    // The same as `deadline`, only to know.
    Deadline call_deadline() const { return deadline_; }
    // Is told of the waits of the call that has the whole session; null: nobody is.
    void follow(std::shared_ptr<CallProgress> progress) { progress_ = std::move(progress); }
    CallProgress* progress() const { return progress_.get(); }
    // By when a context that is asked for must be there: a wake-up does not end with the call that began it.
    Deadline opening_deadline() const;

    // Whether somebody has tried to learn the client's roots yet.
    bool knows_roots() const { return knows_roots_; }
    // What the client's workspace is; nothing keeps the working directory.
    void set_roots(const std::vector<std::filesystem::path>& roots);

    // Open tabs, oldest first; none before the browser was needed.
    const std::vector<std::shared_ptr<Tab>>& tabs() const { return tabs_; }
    std::shared_ptr<Tab> current_tab() const { return current_; }
    // The current tab, made when there is none; a crashed one is replaced.
    Task<std::shared_ptr<Tab>> ensure_tab();
    // A new tab, current from now on.
    Task<std::shared_ptr<Tab>> new_tab();
    // Fails with NotFound when there is no such tab. No index is the current tab.
    // Makes the tab of that id, or at that index, the current one without showing it. Fails by naming the
    // tabs there are.
    Task<> use_tab(std::string id);
    // The tab of that id, or at that index. Fails by naming the tabs there are.
    Result<std::shared_ptr<Tab>> named_tab(const std::string& id) const;
    // A tab of another session's that this one has from now on. No other becomes the current one by it.
    void take_tab(const std::shared_ptr<engine::Page>& page, std::string id, TabAccess access);
    // It is another session's now. If it was the current one, there is none.
    void leave_tab(const engine::Page& page);
    // The context, where sessions share it and have tabs of their own; else null.
    std::shared_ptr<LentContext> tabs_context() const;

    // A tab for whoever connects, before anything is asked for; once.
    Task<> assign_tab();
    // True once after that: the agent has to be told.
    bool take_assignment() { return std::exchange(tells_assignment_, false); }
    Task<> select_tab(double index);
    Task<> close_tab(std::optional<double> index);

    // Runs Playwright code on this session's tabs; null where there is nothing to run it with.
    std::shared_ptr<engine::CodeRunner> code_runner();

    // What a call under way does not survive: its browser goes by itself, or a tab crashes.
    struct Breakdown {
        const Tab* tab;  // null: the browser
        Error error;
    };
    using BreakdownWatch = std::function<void(const Breakdown&)>;
    // Is called for each, until dropped.
    [[nodiscard]] std::shared_ptr<BreakdownWatch> watch_breakdowns(BreakdownWatch watch);
    // One of its tabs has crashed.
    void take_crash(const Tab& tab);

    // A call is done: whoever waits for this session's beginnings to be over need not any longer.
    void settle();

    bool has_browser() const { return context_ != nullptr; }
    // The browser context, opened when there is none.
    Task<std::shared_ptr<engine::Context>> ensure_browser();
    // Gives the browser context back and keeps nothing. The next call gets a new one.
    Task<> close();

    // session_life.cc: a session that has a vault outlives its browser.
    void keep(Keeping keeping);
    const Keeping& keeping() const { return keeping_; }
    enum class Life { Awake, Hibernated, Crashed, Earlier };
    // Unless it is awake, the next call restores it; an earlier one perhaps, where the vault has it. It is
    // awake once everything is restored that can be.
    Life life() const { return life_; }
    void tell(store::SessionState state) const;
    // Restores what there is to restore; the one way to do so. The session does it, not the call: whoever
    // asks meanwhile waits for the same wake-up, and one that does not wait any longer does not end it. A
    // wake-up that fails leaves everything as it was. With the turn.
    Task<> wake();
    // The agent has changed what the tab shows. It goes on from there, also where it was not restored.
    void note_change(const Tab& tab) { unrestored_.note_use(tab.page().id()); }
    // What hibernation may end: nothing that a caller may wait for, what pages do (dialogs, downloads,
    // navigations), or also what is recorded.
    enum class MayEnd { Nothing, PageWork, Recordings };
    bool has_page_work() const;
    bool can_hibernate(MayEnd may_end = MayEnd::Nothing) const;
    // Keeps its state and gives the browser context back. False when it was in use after all.
    Task<bool> hibernate(MayEnd may_end = MayEnd::Nothing);
    // Gives the browser context back and keeps what was kept last.
    Task<> drop_browser();
    // Keeps its state as it is now, as far as the open pages tell. Does not wait for the turn.
    Task<> checkpoint();
    // What the next answer has to say about it, without bullets.
    void add_note(std::string line) { notes_.push_back(std::move(line)); }
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    // How often its browser died under its calls within the last minutes.
    std::size_t recent_crashes() const;
    // What it has, or had when it went to sleep.
    struct Outline {
        std::string url;
        std::size_t tabs = 0;
    };
    Outline outline() const;
    // What its tabs' scripts have in use, in bytes; those that do not answer in time are left out.
    Task<std::uint64_t> memory(std::chrono::milliseconds patience);

    // Tells of tools that pages offer, when the current tab has others than when this was last called.
    void check_page_tools();
    // Whoever wants to know is told.
    void tell_of(const Tab& tab, TabEvent event) const {
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

    // The log of calls, when it is kept and can be.
    const SessionLog* log();

private:
    Session(Loop& loop, SessionOptions options, OpenContext open);

    Task<> ensure_context();
    Task<> open_context();
    // A new context that the session does not have yet.
    Task<std::shared_ptr<engine::Context>> open_another_context();
    // The session has it from now on, without its pages.
    void attach(const std::shared_ptr<engine::Context>& context);
    Task<> begin_page_videos();
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
    // With what the session was made with, and what could not be restored.
    json::object completed(json::object checkpoint);
    Pages open_pages() const;
    std::size_t current_index() const;
    void take_loss();
    Deadline within_budget(Deadline deadline) const;
    Deadline wait_until(const std::string& what, Deadline limit) const;
    void begin_stage(const std::string& what, Deadline limit) const;
    void begin_call();
    // The same, while somebody may be using it.
    void lose_browser();
    void tell_breakdown(const Breakdown& breakdown);
    void checkpoint_later(std::chrono::milliseconds delay);
    bool can_checkpoint() const;
    // Null for one that the budget does not allow.
    std::shared_ptr<Tab> adopt(const std::shared_ptr<engine::Page>& page);
    void forget(const engine::Page& page);
    void forget_all();
    Result<std::shared_ptr<Tab>> tab_at(double index) const;
    // As its budget allows.
    bool has_all_tabs() const;
    Error too_many_tabs() const;

    Loop& loop_;
    SessionOptions options_;
    OpenContext open_;
    Workspace workspace_;
    Secrets secrets_;
    std::shared_ptr<const TypedPasswords> passwords_ = std::make_shared<const TypedPasswords>();
    TurnQueue turns_;
    Clock::time_point last_use_ = Clock::now();
    Deadline deadline_ = Deadline::never();
    std::shared_ptr<CallProgress> progress_;
    bool knows_roots_ = false;
    bool has_assigned_ = false, tells_assignment_ = false;
    std::shared_ptr<engine::Context> context_;
    std::shared_ptr<engine::CodeRunner> code_runner_;  // for this context
    std::vector<std::shared_ptr<Tab>> tabs_;
    std::shared_ptr<Tab> current_;
    std::uint64_t current_since_ =
        0;  // the number of the latest turn that made a tab the current one by its id
    // Tabs and contexts that ended, kept until the next turn: the engine may be in the middle of telling us.
    std::vector<std::shared_ptr<Tab>> ended_tabs_;
    std::shared_ptr<Trace> trace_;
    std::shared_ptr<Video> video_;
    std::shared_ptr<Video> page_videos_;  // of all tabs of this context, where options_ says so
    std::shared_ptr<UserRecording> user_recording_;
    std::vector<engine::PageTool> told_tools_;
    std::optional<SessionLog> log_;
    bool log_failed_ = false;

    Keeping keeping_;
    Life life_ = Life::Awake;
    std::shared_ptr<Waking> waking_;  // while a wake-up is under way
    Unrestored unrestored_;
    json::object last_checkpoint_;  // of the browser that runs, or crashed
    Outline outline_;               // while it is asleep
    std::vector<std::string> notes_;
    std::vector<Clock::time_point> crashes_;
    boost::asio::steady_timer checkpoint_timer_;
    bool checkpoint_due_ = false;
    Clock::time_point unkept_since_ = {};  // when the first call was that no checkpoint has
    Running checkpointing_;
    std::vector<std::weak_ptr<BreakdownWatch>> breakdown_watches_;
};

}  // namespace session
