// One tab of a session: its page, and what answers have already said about it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/page.h"
#include "session/call_progress.h"
#include "session/console.h"
#include "session/console_log.h"
#include "session/download_saver.h"
#include "session/failure.h"
#include "session/page_init.h"
#include "util/async.h"

namespace session {

class Session;

// The content of the "Page" and "Open tabs" sections about a tab.
struct TabHeader {
    std::string id = {};  // only where tabs are named by id
    bool read_only = false;
    std::string title;
    std::string url;
    bool current = false;
    bool crashed = false;
    std::optional<engine::DocumentStatus> status;
    ConsoleCounts console;
    std::size_t page_tools = 0;

    bool operator==(const TabHeader&) const = default;
};

// A session's access to one of its tabs.
enum class TabAccess { Full, ReadOnly };

// A saved screenshot.
struct Picture {
    std::string stamp;  // when it was taken, as file_stamp writes it; unique within the tab
    std::filesystem::path file;
    std::chrono::system_clock::time_point taken = {};
    engine::Size size = {};
    bool full_page = false;
};

// Lives on the main loop, within its session.
class Tab {
public:
    Tab(Session& session, std::shared_ptr<engine::Page> page);

    engine::Page& page() const { return *page_; }
    const std::shared_ptr<engine::Page>& shared_page() const { return page_; }
    // Its id for agents: the page's id, or a longer one after the tab changed hands.
    const std::string& id() const { return id_; }
    bool is_read_only() const { return access_ == TabAccess::ReadOnly; }
    // Adopts a tab from another session: its earlier events are not this session's.
    void adopt_as(std::string id, TabAccess access);
    Session& session() const { return session_; }
    // When the session got it.
    std::chrono::system_clock::time_point created() const { return created_; }
    bool is_current() const;
    bool has_crashed() const { return page_->has_crashed(); }
    const std::vector<engine::Modal>& modals() const { return page_->modals(); }

    // A call that has this tab alone begins and ends; calls in other tabs may run beside it.
    void begin_call(Deadline deadline) { call_deadline_ = deadline; }
    // Sets that call's progress.
    void follow(std::shared_ptr<CallProgress> progress) { progress_ = std::move(progress); }
    void end_call() {
        call_deadline_.reset();
        progress_ = nullptr;
    }
    // Notifies the running call's caller of its present step.
    void note_step(const std::string& step) const;
    // The deadline of the running call, without notifying its progress.
    Deadline call_deadline() const;
    // Deadlines of the running call, of one wait (zero: as long as the call), and of one action or
    // navigation. Each notifies the call's progress of a wait until then.
    Deadline deadline() const;
    Deadline deadline_in(std::chrono::milliseconds span, const std::string& what) const;
    Deadline action_deadline() const;
    Deadline expect_deadline() const;
    Deadline navigation_deadline() const;

    // Gives the page to the modules of --init-page.
    void start_initializing();
    // Waits for them; fails as they did. Does not wait while a dialog holds them up.
    Task<> initialized();
    // Whether they have replaced this method of Playwright.
    bool replaces(std::string_view method) const { return init_.replaces(method); }
    // Calls a function of Playwright's page object; gives its value as JSON, nothing for undefined.
    Task<std::optional<std::string>> run_code(std::string code, Deadline deadline);

    // The one element that a ref, a selector or a locator expression names.
    Task<engine::Located> find(std::string target, engine::Matches matches = engine::Matches::One);

    // The page's snapshot. What it shows in password fields is kept out of the session's record.
    Task<std::string> snapshot(engine::SnapshotOptions options, std::shared_ptr<engine::Element> root,
                               Deadline deadline);

    // False when a dialog or file chooser was open or opened meanwhile; the task is dropped then.
    Task<bool> until_modal(Task<> task);
    // Runs a user's action, and waits until its effects have settled. Gives what until_modal gives.
    Task<bool> perform(Task<> action);
    Task<bool> perform(Operation operation, Task<> action);
    // The same for an action that closes the open modal; only a later one ends it early.
    Task<bool> answer_modal(Operation operation, Task<> action);
    // The same without waiting for its effects.
    Task<bool> run(Operation operation, Task<> action);
    // An operation that is limited by the action timeout.
    Operation action(std::string_view name) const;
    // An operation of a testing tool, limited by the expect timeout.
    Operation check(std::string_view name) const;

    // Goes to an address as an agent types it, and gives the complete one. Forgets what was collected about
    // the previous page.
    Task<std::string> navigate(std::string typed);
    // The same, until the document reaches `state`.
    Task<std::string> navigate_until(std::string typed, engine::LoadState state, Operation operation);

    // The header now, and whether it differs from the one that was last taken.
    struct Shown {
        TabHeader header;
        bool changed = false;
    };
    // `current` says whether it is the tab of the asking call; unset: whether it is the session's current
    // one.
    Task<Shown> take_header(std::optional<bool> current = {});
    // The header as far as it is known without asking the page, which another call uses. Does not count as
    // taken.
    TabHeader known_header() const;

    // Writes new messages to the log file.
    void log_console();
    // The entries that log_console found since the last call.
    std::vector<engine::ConsoleEntry> take_logged() { return std::exchange(logged_, {}); }
    // Requests that have ended and were not given before; valid until the page's next event.
    std::vector<const engine::RequestEntry*> take_requests();
    // Asks the page for its tools, unless the session has no use for them.
    Task<> read_page_tools();
    // The tools that it gave when last asked, unless it was left since.
    const std::vector<engine::PageTool>& page_tools() const { return page_tools_; }
    // Records that a screenshot of this tab was written to `file`.
    void note_picture(const std::filesystem::path& file, engine::Size size = {}, bool full_page = false);
    // The latest screenshots, oldest first.
    const std::vector<Picture>& pictures() const { return pictures_; }
    // Adds a line to the log file that did not come from the page.
    void log_error(const std::string& text);
    // Lines for the "Events" section since the last call, without bullets.
    std::vector<std::string> take_events();
    // Those about downloads; the files that have arrived are saved.
    std::vector<std::string> take_download_events();

private:
    Task<bool> race_modal(Task<> task);
    Deadline wait_until(const std::string& what, Deadline limit) const;
    CallProgress* progress() const;
    void note_step(const Operation& operation) const;
    Task<> act(Task<> action);
    Task<> before_settling(Task<> action);
    std::size_t first_unlogged() const;
    void start_console_log();
    // Completes a typed address, if the agent may go there; forgets the previous page.
    Result<std::string> begin_navigation(const std::string& typed);
    Task<> open(Operation operation, Task<> navigation, std::string url);
    Error explain(Error error, const std::string& url) const;
    // Names the rule that refused the page's last document, and that document; nothing when none did.
    std::optional<std::string> explain_refusal(std::string refused) const;
    std::optional<std::string> take_refusal();

    Session& session_;
    std::shared_ptr<engine::Page> page_;
    std::string id_;
    TabAccess access_ = TabAccess::Full;
    std::optional<Deadline> call_deadline_;   // of the call that has this tab to itself
    std::shared_ptr<CallProgress> progress_;  // of the same
    std::chrono::system_clock::time_point created_;
    TabHeader last_header_;
    std::string last_title_;
    std::unique_ptr<ConsoleLog> console_log_;  // a new one for each navigation
    std::optional<engine::ConsoleEntry> last_logged_;
    struct Taken {
        std::string id;
        bool taken = false;
    };
    std::vector<Taken> taken_requests_;         // one for each of the page's requests
    std::vector<engine::ConsoleEntry> logged_;  // for take_logged, the latest of them
    DownloadSaver downloads_;
    PageInit init_;
    std::vector<engine::PageTool> page_tools_;
    std::vector<std::string> refused_page_tools_;  // as last reported
    std::vector<Picture> pictures_;                // the latest that were taken
    std::string reported_refusal_;                 // the id of its request
    std::shared_ptr<void> watching_;
};

// Keeps the value of a task that is raced or run as a plain one.
template <class T>
Task<> capture_into(Task<T> task, std::optional<T>& into) {
    into = co_await std::move(task);
}

}  // namespace session
