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
#include "session/download_keeper.h"
#include "session/failure.h"
#include "session/page_init.h"
#include "util/async.h"

namespace session {

class Session;

// What the "Page" and "Open tabs" sections say about a tab.
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

// What a session may do with a tab that it has.
enum class TabAccess { Full, ReadOnly };

// A screenshot that was kept.
struct Picture {
    std::string stamp;  // when it was taken, as file_stamp writes it; unique within the tab
    std::filesystem::path file;
};

// Lives on the main loop, within its session.
class Tab {
public:
    Tab(Session& session, std::shared_ptr<engine::Page> page);

    engine::Page& page() const { return *page_; }
    const std::shared_ptr<engine::Page>& shared_page() const { return page_; }
    // What agents call it: the page's id, and a longer one since the tab changed hands.
    const std::string& id() const { return id_; }
    bool is_read_only() const { return access_ == TabAccess::ReadOnly; }
    // For a tab that comes from another session: what happened before is not this one's.
    void come_from_elsewhere(std::string id, TabAccess access);
    Session& session() const { return session_; }
    // Since when the session has it.
    std::chrono::system_clock::time_point created() const { return created_; }
    bool is_current() const;
    bool has_crashed() const { return page_->has_crashed(); }
    const std::vector<engine::Modal>& modals() const { return page_->modals(); }

    // A call that has this tab to itself begins and ends; other tabs' calls may run beside it.
    void begin_call(Deadline deadline) { call_deadline_ = deadline; }
    // Is told of that call's waits.
    void follow(std::shared_ptr<CallProgress> progress) { progress_ = std::move(progress); }
    void end_call() {
        call_deadline_.reset();
        progress_ = nullptr;
    }
    // By when the call under way must be done; only to know.
    Deadline call_deadline() const;
    // Until when the call under way may take, one wait of it (zero: as long as the call), and one action or
    // navigation of it. What asks may take that long.
    Deadline deadline() const;
    Deadline deadline_in(std::chrono::milliseconds span, const std::string& what) const;
    Deadline action_deadline() const;
    Deadline navigation_deadline() const;

    // Gives the page to the modules of --init-page.
    void start_initializing();
    // Waits for them; fails as they did. What a dialog holds up is not waited for.
    Task<> initialized();
    // Whether they have put something of their own in the place of Playwright's method.
    bool replaces(std::string_view method) const { return init_.replaces(method); }
    // Calls a function of Playwright's page object; gives its value as JSON, nothing for undefined.
    Task<std::optional<std::string>> run_code(std::string code, Deadline deadline);

    // The one element that a ref, a selector or a locator expression names.
    Task<engine::Located> find(std::string target, engine::Matches matches = engine::Matches::One);

    // False when a dialog or file chooser was open or opened meanwhile; the task is dropped then.
    Task<bool> until_modal(Task<> task);
    // Runs an action of a user, and waits until what it caused has settled. Gives what until_modal gives.
    Task<bool> perform(Task<> action);
    Task<bool> perform(Operation operation, Task<> action);
    // The same for an action that closes what is open; only what opens later ends it early.
    Task<bool> answer_modal(Operation operation, Task<> action);
    // The same without waiting for what it caused.
    Task<bool> run(Operation operation, Task<> action);
    // An operation that is limited by the action timeout.
    Operation action(std::string_view name) const;

    // Goes to an address as an agent types it, and gives the whole one. What was collected about the page
    // before is forgotten.
    Task<std::string> navigate(std::string typed);
    // The same, until the document has come that far.
    Task<std::string> navigate_until(std::string typed, engine::LoadState state, Operation operation);

    // The header now, and whether it differs from the one that was last taken.
    struct Shown {
        TabHeader header;
        bool changed = false;
    };
    // `current` says whether it is the tab of the call that asks; unset: the session's current one is.
    Task<Shown> take_header(std::optional<bool> current = {});
    // The header as far as it is known without asking the page, which another call works in. It counts as not
    // taken.
    TabHeader known_header() const;

    // Writes new messages to the log file.
    void log_console();
    // What log_console has come upon since this was last asked.
    std::vector<engine::ConsoleEntry> take_logged() { return std::exchange(logged_, {}); }
    // Requests that have ended and were not given before; valid until the page goes on.
    std::vector<const engine::RequestEntry*> take_requests();
    // Asks the page what tools it offers, unless the session has no use for them.
    Task<> read_page_tools();
    // What it said when it was last asked, and not been left since.
    const std::vector<engine::PageTool>& page_tools() const { return page_tools_; }
    // A screenshot of this tab was written there.
    void note_picture(const std::filesystem::path& file);
    // The latest of those, oldest first.
    const std::vector<Picture>& pictures() const { return pictures_; }
    // A line for the log file that did not come from the page.
    void log_error(const std::string& text);
    // What the "Events" section has to say since this was last asked, without bullets.
    std::vector<std::string> take_events();

private:
    Task<bool> race_modal(Task<> task);
    Deadline wait_until(const std::string& what, Deadline limit) const;
    Task<> act(Task<> action);
    Task<> before_settling(Task<> action);
    std::size_t first_unlogged() const;
    void start_console_log();
    // The whole address of what was typed, when the agent may go there; forgets the page before.
    Result<std::string> begin_navigation(const std::string& typed);
    Task<> open(Operation operation, Task<> navigation, std::string url);
    Error explain(Error error, const std::string& url) const;

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
    DownloadKeeper downloads_;
    PageInit init_;
    std::vector<engine::PageTool> page_tools_;
    std::vector<std::string> refused_page_tools_;  // as was told last
    std::vector<Picture> pictures_;                // the latest that were taken
    std::shared_ptr<void> watching_;
};

// Keeps the value of a task that is raced or run as a plain one.
template <class T>
Task<> store(Task<T> task, std::optional<T>& into) {
    into = co_await std::move(task);
}

}  // namespace session
