// One tab of Chromium as engine::Page.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/cdp/auto_attach.h"
#include "engine/cdp/conditions.h"
#include "engine/cdp/console_log.h"
#include "engine/cdp/dialogs.h"
#include "engine/cdp/emulation.h"
#include "engine/cdp/frames.h"
#include "engine/cdp/keyboard.h"
#include "engine/cdp/mouse.h"
#include "engine/cdp/network_log.h"
#include "engine/cdp/peer_watch.h"
#include "engine/page.h"
#include "engine/page_quota.h"
#include "engine/runaway.h"

namespace cdp {

class Context;
class Screencast;
class UserWatch;

// The name of a language in our page script.
std::string language_name(engine::Language language);

// Combines frames, input and logs. Lives on the main loop; tools may hold it longer than its context.
class Page final : public engine::Page,
                   public engine::RunawayGuard,
                   public engine::QuotaHolder,
                   public std::enable_shared_from_this<Page> {
public:
    static std::shared_ptr<Page> create(Context& context, std::shared_ptr<Session> session,
                                        const json::object& target);
    ~Page() override;

    // Sets the paused target up and resumes it, unless it is held: then the holder resumes it.
    Task<> initialize(bool held = false);
    Deadline::Clock::time_point opened_at() const { return opened_at_; }
    bool has_frame(std::string_view id) { return id == id_ || frames_.find(id) != nullptr; }
    // Whether it never had a document of its own.
    bool is_blank() const { return navigations_ == 0 && url() == "about:blank"; }
    // Call when the page opened for a download only and is being closed: it is never reported.
    void give_up();
    bool is_given_up() const { return given_up_; }
    // Waits until its first document has arrived or will not. Returns at once if none was requested.
    Task<> first_document();
    void take_download(const engine::Download& download);
    void set_quota(std::shared_ptr<engine::PageQuota> quota) override;
    // For a popup, with its place in the quota.
    void join_quota(std::shared_ptr<engine::PageQuota> quota, engine::PageQuota::Place place);
    const std::shared_ptr<engine::PageQuota>& quota() const { return quota_; }
    std::shared_ptr<Context> context() const { return context_.lock(); }
    const std::shared_ptr<Session>& session() const { return session_; }
    Task<> set_offline(bool offline) { return network_.set_offline(offline); }
    Task<> set_throttling(engine::Throttling throttling) { return network_.set_throttling(throttling); }
    Task<> set_routes(std::shared_ptr<const Routes> routes);

    const std::string& id() const override { return id_; }
    const std::string& opener() const override { return opener_; }
    std::string url() const override;
    bool is_closed() const override { return closed_; }
    bool has_crashed() const override { return crashed_; }
    Task<std::string> title(Deadline deadline) override;
    std::optional<engine::DocumentStatus> document_status() const override {
        return network_.document_status();
    }
    const std::vector<engine::ConsoleEntry>& console() const override { return console_.entries(); }
    std::size_t console_since_navigation() const override { return console_.since_navigation(); }
    void clear_console() override { console_.clear(); }
    void log_error(std::string text) override { console_.add_error(std::move(text)); }
    const std::vector<engine::RequestEntry>& requests() const override { return network_.entries(); }
    const std::vector<engine::RequestEntry>& earlier_requests() const override { return network_.earlier(); }
    std::size_t requests_before() const override { return network_.entries_before(); }
    void clear_requests() override { network_.clear_entries(); }
    Task<engine::Body> response_body(const engine::RequestEntry& request, Deadline deadline) override;
    const std::vector<engine::Modal>& modals() const override { return dialogs_.open(); }
    Task<> wait_for_modal() override { return dialogs_.wait_for_modal(); }
    Task<> answer_dialog(bool accept, std::optional<std::string> text, Deadline deadline) override;
    Task<> answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files,
                               Deadline deadline) override;
    const std::vector<engine::Download>& downloads() const override { return downloads_; }

    // page_navigation.cc
    Task<> navigate(std::string url, Deadline deadline) override;
    Task<> navigate_until(std::string url, engine::LoadState state, Deadline deadline) override;
    Task<> wait_for_load(engine::LoadState state, Deadline deadline) override;
    Task<bool> go_back(Deadline deadline) override;
    Task<bool> go_forward(Deadline deadline) override;
    Task<> reload(Cache cache, Deadline deadline) override;
    Task<> bring_to_front(Deadline deadline) override;
    Task<> close(Deadline deadline) override;

    // page_popups.cc
    // Waits until the page has settled and its popups show the documents that they were opened for.
    Task<> act(Task<> action, std::chrono::milliseconds settle) override;
    std::optional<HeldUp> held_up() const override;

    // page_script.cc
    Task<std::string> snapshot(engine::SnapshotOptions options, std::shared_ptr<engine::Element> root,
                               Deadline deadline) override;
    std::vector<std::string> take_shown_passwords() override { return std::exchange(shown_passwords_, {}); }
    Task<engine::Located> find(std::string target, engine::Language language, engine::Matches matches,
                               Deadline deadline) override;
    Task<bool> is_script(std::string text, Deadline deadline) override;
    Task<Evaluated> evaluate(std::string expression, std::shared_ptr<engine::Element> element,
                             Deadline deadline) override;
    Task<> wait_for_text(std::string text, bool visible, Deadline deadline) override;

    // page_actions.cc
    Task<> click(std::shared_ptr<engine::Element> element, engine::ClickOptions options,
                 Deadline deadline) override;
    Task<> hover(std::shared_ptr<engine::Element> element, Deadline deadline) override;
    Task<> drag(std::shared_ptr<engine::Element> from, std::shared_ptr<engine::Element> to,
                Deadline deadline) override;
    Task<> drop(std::shared_ptr<engine::Element> element, engine::DropData data, Deadline deadline) override;
    Task<> fill(std::shared_ptr<engine::Element> element, std::string text, Deadline deadline) override;
    Task<> set_checked(std::shared_ptr<engine::Element> element, bool checked, Deadline deadline) override;
    Task<std::vector<std::string>> select_options(std::shared_ptr<engine::Element> element,
                                                  std::vector<std::string> values,
                                                  Deadline deadline) override;
    Task<> set_files(std::shared_ptr<engine::Element> element, std::vector<std::filesystem::path> files,
                     Deadline deadline) override;
    Task<> type(std::shared_ptr<engine::Element> element, std::string text, Deadline deadline) override;
    Task<> press(std::shared_ptr<engine::Element> element, std::string key, Deadline deadline) override;
    // page_confined.cc
    Task<> fill_confined(std::shared_ptr<engine::Element> element, std::string text,
                         Deadline deadline) override;
    Task<> type_confined(std::shared_ptr<engine::Element> element, std::string text,
                         std::chrono::milliseconds delay, Deadline deadline) override;
    Task<std::optional<std::string>> focused_password(Deadline deadline) override;
    Task<engine::Screenshot> screenshot(engine::ScreenshotOptions options,
                                        std::shared_ptr<engine::Element> element, Deadline deadline) override;
    Task<> resize(engine::Size size, Deadline deadline) override;
    Task<> emulate_media(engine::MediaOptions options, Deadline deadline) override;
    Task<std::string> pdf(Deadline deadline) override;

    // page_clipboard.cc
    // Handles a key that copies, cuts or pastes; returns false for any other.
    Task<bool> press_clipboard_key(std::string keys);

    // page_mouse.cc
    Task<> move_mouse(engine::Point to, Deadline deadline) override;
    Task<> press_mouse(engine::MouseButton button, Deadline deadline) override;
    Task<> release_mouse(engine::MouseButton button, Deadline deadline) override;
    Task<> turn_wheel(double delta_x, double delta_y, Deadline deadline) override;
    Task<> click_at(engine::Point at, engine::ClickOptions options, Deadline deadline) override;

    // page_storage.cc
    Task<std::vector<engine::StorageItem>> storage_items(engine::StorageArea area,
                                                         Deadline deadline) override;
    Task<> set_storage_item(engine::StorageArea area, std::string name, std::optional<std::string> value,
                            Deadline deadline) override;
    Task<> clear_storage(engine::StorageArea area, Deadline deadline) override;

    // page_saved_state.cc
    Task<json::value> save_state(Deadline deadline) override;
    Task<json::array> fill_storage(json::array origins, Deadline deadline) override;
    Task<RestoreOutcome> restore_state(json::value state, Deadline deadline) override;
    // The storage of the main document's origin: {origin, localStorage, databases}; null if it has none.
    Task<json::value> origin_storage();

    // page_checks.cc
    Task<std::optional<engine::Located>> find_in_frames(std::string target, engine::Language language,
                                                        Deadline deadline) override;
    Task<std::optional<std::string>> text_inside(std::shared_ptr<engine::Element> element, std::string text,
                                                 Deadline deadline) override;
    Task<std::string> input_value(std::shared_ptr<engine::Element> element, Deadline deadline) override;
    Task<std::string> origin_of(std::shared_ptr<engine::Element> element, Deadline deadline) override;
    Task<bool> is_checked(std::shared_ptr<engine::Element> element, Deadline deadline) override;

    // page_reading.cc
    Task<json::value> read(std::string reader, std::string target, json::object options,
                           Deadline deadline) override;

    // page_webmcp.cc
    Task<std::vector<engine::PageTool>> page_tools(Deadline deadline) override;
    Task<std::string> call_page_tool(engine::PageTool tool, json::value arguments,
                                     Deadline deadline) override;

    // page_highlight.cc
    Task<> highlight(std::shared_ptr<engine::Element> element, engine::HighlightOptions options,
                     Deadline deadline) override;
    Task<> hide_highlight(std::shared_ptr<engine::Element> element, Deadline deadline) override;

    // page_runaway.cc
    Task<Found> stop_runaway(std::chrono::milliseconds limit) override;
    void abandon_scripts() override;
    Task<std::uint64_t> heap_used(std::chrono::milliseconds timeout) override;
    Task<> end_page() override;

    // page_watching.cc
    Task<> show_chapter(engine::Chapter chapter, Deadline deadline) override;
    void annotate_actions(std::optional<engine::ActionNotes> notes) override { notes_ = std::move(notes); }
    std::shared_ptr<void> watch_screen(engine::Size max_size,
                                       std::function<void(const engine::ScreenPicture&)> callback) override;
    std::shared_ptr<void> watch_document(std::function<void(engine::DocumentEvent)> callback) override;
    std::shared_ptr<void> watch_requests(std::function<void(const engine::RequestEntry&)> callback) override;
    std::shared_ptr<void> watch_changes() override;
    std::shared_ptr<engine::UserWatch> watch_user(engine::Language language,
                                                  std::function<void(engine::UserEvent)> callback) override;
    Task<json::array> document_trees(Deadline deadline) override;

private:
    struct Attached;
    // A running action, and its effects that have not finished.
    struct Act {
        Deadline::Clock::time_point begun = Deadline::Clock::now();
        std::string document;                 // the one before the action
        std::string settling;                 // the document being awaited
        std::set<std::string> requests;       // awaited
        std::set<std::string> slow;           // awaited, but only briefly
        std::map<std::string, int> answered;  // number of answers by URL
        std::set<std::string> sockets;        // WebSockets opened or written to that got no message since
        std::size_t seen = 0;                 // requests, messages and navigations so far
        std::string next;                     // the loader of the last or pending navigation
        bool leaves = false;                  // has announced a navigation that has not begun
        bool silent = false;                  // did not say in time whether its scripts rest
        // Workers that existed when the action began, and the idle ones among them.
        std::map<std::string, Running> busy;
        std::set<std::string> free;
    };
    // A check of an element before an action, repeated until it succeeds.
    struct Attempt {
        std::shared_ptr<RemoteElement> element;
        std::string function;  // (element, options) => answer of act_states.js
        json::object options = {};
        std::string call;  // "locator.click", for the error
    };

    // A script that a caller awaits. Stops the script if the caller gives up first.
    class AwaitedScript;
    // A navigation that a caller awaits. Stops it if the caller gives up before a new document arrives: until
    // then the browser holds back every command to the page.
    class AwaitedNavigation;

    Page(Context& context, std::shared_ptr<Session> session, const json::object& target);
    // Whether a dialog of one of the two blocks the scripts of the other: pages that opened each other share
    // a process unless they are of different sites.
    bool shares_process_with(Page& other);
    void listen();
    Task<> set_up(std::shared_ptr<Session> session, SessionKind kind, bool held = false);
    // page_targets.cc
    Attached& add_session(std::shared_ptr<Session> session, SessionKind kind);
    bool take_child(const AutoAttach::Target& target);
    void watch_loading();
    bool is_loading();
    Task<> forget_frames(std::shared_ptr<Session> parent, std::shared_ptr<Session> gone);
    void take_closed();
    void fail_waiting(const Error& error);
    template <class T>
    Task<T> bounded(Task<T> task, Deadline deadline, std::string what) {
        return with_deadline(loop_, std::move(task), deadline, std::move(what));
    }

    // Ends a script that would block the task's navigation, and returns the task's result. Stops the
    // navigation if it times out or is dropped.
    template <class T>
    Task<T> stopped_when_late(Task<T> navigation);
    // Returns the task's result. If it times out while the page has long awaited another document, stops that
    // navigation.
    template <class T>
    Task<T> freed_when_late(Task<T> task);
    // Whether the page has requested another document that has not arrived.
    bool awaits_document() const { return awaited_document() != nullptr; }
    const RequestUnderWay* awaited_document() const;
    // Call when the page is needed: stops a navigation that has taken too long.
    void reclaim();
    Task<> limit_navigation();
    // Whether anything but its scripts keeps the page from answering.
    bool is_held_up() const;
    bool refuses_document(std::chrono::milliseconds limit) const;
    // The page is over even if the browser does not report its end.
    void count_as_ended();
    // Whether the page did not answer on that session within `limit`.
    Task<bool> is_silent(std::shared_ptr<Session> session, std::chrono::milliseconds limit);
    // A running script, and its answer.
    struct PendingScript {
        explicit PendingScript(Loop& loop) : answer(loop) {}
        Completion<Result<json::value>> answer;
        Running running = {};
    };
    static Task<json::value> answer_of(std::shared_ptr<PendingScript> script);
    Task<> stop_script(std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script);
    // `script` is null if only the page knows it.
    void abandon_script(std::shared_ptr<Session> session, std::shared_ptr<PendingScript> script = nullptr);
    bool is_stopping_scripts() const;
    Task<> end_busy_script();
    // Waits until the browser routes the pointer to the element's frame. Returns false at the deadline.
    Task<bool> reaches_frame(std::string frame, engine::Point point, std::string call, Deadline deadline);
    // Whether a document in the frame sees the pointer when it is moved to the point.
    Task<bool> sees_pointer(std::string id, engine::Point point, std::string call, Deadline deadline);
    // Returns the new document's loader id; empty for a navigation within the document or a download.
    Task<std::string> open_document(std::string url, Deadline deadline);
    Task<json::value> read_in_frame(std::string frame, std::string reader, std::string selector,
                                    json::object options);
    Task<json::object> with_origin(std::string frame, std::string reader, json::object options);
    Task<> wait_for_lifecycle(std::string step, std::string loader);
    void note_title(std::string title) {
        title_ = Title{std::move(title), Deadline::Clock::now(), session_->sent()};
    }
    Task<json::value> send_when_active(std::string method, json::object params, Deadline deadline,
                                       std::string what);
    Task<> network_idle();
    Task<bool> go(int offset, Deadline deadline);
    // What has happened before a navigation that the browser is told to begin.
    struct Arrival {
        std::size_t navigations, failures, downloads;
    };
    Arrival expect_arrival() const;
    bool has_ended(const Arrival& arrival) const;
    // Call when it has ended. Fails with the browser's reason if no document came; false for a download.
    Task<bool> arrived(Arrival arrival, Deadline deadline);
    Task<bool> became_download(std::size_t before, std::chrono::milliseconds limit, Deadline deadline);
    Task<> reload_document(Cache cache, Deadline deadline);
    Task<json::value> read_saved_state();
    Task<json::array> read_frames();
    Task<> restore_document(std::string frame, std::string url, json::object document,
                            RestoreOutcome& outcome, Deadline deadline);
    Task<> restore_documents(const json::object& state, std::string url, RestoreOutcome& outcome,
                             Deadline deadline);
    Frame* frame_at(const json::array& way, std::string_view url);
    Task<> restore_frames(json::array frames, RestoreOutcome& outcome, Deadline deadline);
    Task<> answer_blank();
    Task<> answer_as_before();
    Task<> put_origin(json::object origin, std::string address, Deadline deadline);
    Task<json::array> put_storage(json::array origins, Deadline deadline);
    enum class Rebuilt { Nothing, UpToCurrent, All };
    Task<Rebuilt> rebuild_past(const json::object& state, std::string url, RestoreOutcome& outcome,
                               Deadline deadline);
    Task<> show_again(std::string url, Rebuilt rebuilt, Deadline deadline);
    Task<Rebuilt> rebuild_history(json::object history, Deadline deadline);
    Task<> load_in_place(Deadline deadline);
    Task<> emulate_again(json::object state, Deadline deadline);
    // page_settling.cc
    void install_activity_hook(Session& session, SessionKind kind);
    void watch_activity();
    void watch_navigations();
    void for_acts(const std::function<void(Act&)>& visit);
    void note_request(Act& act, const RequestUnderWay& request);
    std::shared_ptr<Act> begin_act();
    bool is_fresh(const Act& act);    // whether the document was replaced since the action began
    bool is_leaving(const Act& act);  // whether it is about to be replaced
    Task<> unless_leaving(std::shared_ptr<Act> act, Task<> task);
    Task<> rest(std::shared_ptr<Act> act, std::chrono::milliseconds span);
    Task<bool> workers_rest(std::shared_ptr<Act> act, Deadline window);
    Task<bool> requests_answered(std::shared_ptr<Act> act, Deadline limit);
    Task<> quiet(std::shared_ptr<Act> act, std::chrono::milliseconds settle);
    Task<> next_document(std::shared_ptr<Act> act, Deadline deadline);
    Task<> settle(std::shared_ptr<Act> act, std::chrono::milliseconds span);
    void watch_sockets(Attached& attached);
    void notify(engine::DocumentEvent event);
    void notify_ended(const engine::RequestEntry& request);
    Task<> notify_changes();
    // While the handle lives, the browser draws the page even in a background tab.
    std::shared_ptr<void> keep_drawing();
    // Inserts the event into the user watch, if there is one, in order.
    void notify_user_watch(engine::UserEvent event);

    // A snapshot requested before it was known whether the frame is visible.
    struct EarlySnapshot {
        explicit EarlySnapshot(Loop& loop) : answer(loop) {}
        Completion<Result<json::value>> answer;
        Running running = {};
    };
    using EarlySnapshots = std::map<std::string, EarlySnapshot>;
    Task<json::value> snapshot_document(std::string frame, json::object options,
                                        std::shared_ptr<RemoteElement> root);
    void snapshot_early(const std::string& frame, const json::object& options, EarlySnapshots& early);
    Task<std::string> snapshot_frame(std::string frame, json::object options,
                                     std::shared_ptr<RemoteElement> root,
                                     std::shared_ptr<EarlySnapshots> early);
    Task<std::string> child_frame(std::string frame, std::string ref, std::int64_t index);
    Task<std::shared_ptr<RemoteElement>> find_ref(std::string ref);
    Task<std::shared_ptr<RemoteElement>> find_selector(std::string frame, std::string selector,
                                                       engine::Matches matches);
    Task<std::optional<engine::Located>> locate(std::string target, bool is_ref, engine::Language language,
                                                engine::Matches matches);
    Task<engine::Located> find_through_frames(std::string target, engine::Language language,
                                              engine::Matches matches);
    Task<engine::Located> describe(std::shared_ptr<RemoteElement> element, engine::Language language);
    Task<std::string> locator_for(std::shared_ptr<RemoteElement> element, std::string language);
    Task<std::string> selector_for(std::shared_ptr<RemoteElement> element);
    // The locator of the element that the selector finds in that frame.
    Task<std::string> locator_in(std::string frame, std::string selector, std::string language);
    static Task<std::string> locator_while_open(std::weak_ptr<Page> page, std::string frame,
                                                std::string selector, std::string language);

    Task<json::object> attempt(Attempt attempt, Deadline deadline);
    Task<engine::Point> to_viewport(std::string frame, engine::Point point);
    Task<engine::Point> pointer_target(std::shared_ptr<RemoteElement> element, std::string prepare,
                                       std::string call, Deadline deadline);
    Task<> focus(std::shared_ptr<engine::Element> element, std::string call, Deadline deadline);
    // All frame ids, the main frame first.
    std::vector<std::string> frame_ids();
    // The loader ids of all documents; nothing while one of them loads.
    std::optional<std::vector<std::string>> loaded_documents();
    Task<std::vector<json::value>> run_in_frames(std::string expression);
    struct FrameAnswer {
        std::string frame, url;
        Result<json::value> answer;
    };
    // Asks all frames at once, since a page may have dozens. A frame that does not answer in time has an
    // error.
    Task<std::vector<FrameAnswer>> ask_frames(std::vector<std::string> frames,
                                              std::function<Task<json::value>(const std::string& frame)> ask,
                                              Deadline deadline);
    Task<> note_action(std::shared_ptr<RemoteElement> element, std::string call, Deadline deadline);
    Task<std::shared_ptr<RemoteElement>> first_in_frames(std::string frame, std::string selector);

    Loop& loop_;
    std::weak_ptr<Context> context_;
    std::shared_ptr<Session> session_;
    std::string id_;
    std::string opener_;
    std::string test_id_attribute_;
    std::vector<std::string> init_scripts_;
    bool closed_ = false, crashed_ = false;
    bool unreachable_ = false;  // counts as crashed, but the browser has not ended it
    Deadline::Clock::time_point opened_at_ = Deadline::Clock::now();
    Frames frames_;
    ConsoleLog console_;
    NetworkLog network_;
    PeerWatch peers_;
    Dialogs dialogs_;
    Emulation emulation_;
    Keyboard keyboard_;
    Mouse mouse_;
    std::optional<engine::ActionNotes> notes_;
    std::shared_ptr<Screencast> screencast_;
    std::vector<std::weak_ptr<std::function<void(engine::DocumentEvent)>>> document_watchers_;
    std::vector<std::weak_ptr<std::function<void(const engine::RequestEntry&)>>> request_watchers_;
    std::weak_ptr<Running> watching_changes_;
    std::weak_ptr<UserWatch> user_watch_;
    int user_watches_ = 0;  // number of watches so far
    Conditions conditions_;
    // The title that came with the last snapshot, until it is read.
    struct Title {
        std::string text;
        Deadline::Clock::time_point read;
        std::uint64_t sent;  // number of commands sent before it
    };
    std::optional<Title> title_;
    std::vector<std::string> shown_passwords_;
    std::size_t navigations_ = 0;        // of the main frame, within the document or not
    std::size_t frame_navigations_ = 0;  // of the frames in the page
    std::optional<bool> loading_;        // the main frame's last reported state
    bool given_up_ = false;
    bool left_waiting_ = false, left_silent_ = false;  // after the last action
    std::shared_ptr<engine::PageQuota> quota_;         // null: no limits
    engine::PageQuota::Place place_;                   // this tab's own place
    std::vector<engine::Download> downloads_;
    std::size_t downloads_seen_ = 0;
    std::vector<std::weak_ptr<Act>> acts_;
    std::size_t acts_begun_ = 0;
    std::string channel_;               // name of the channel to hooks/activity.js; pages do not know it
    std::set<std::string> unanswered_;  // URLs that an action awaited in vain
    // The documents, if none of them had the WebMCP interface when last asked.
    struct WithoutTools {
        std::vector<std::string> documents;
        Deadline::Clock::time_point asked;
        std::size_t acts_before;
    };
    std::optional<WithoutTools> without_tools_;
    // The page's own session, and those of the frames and workers below it.
    struct Attached {
        std::shared_ptr<Session> session;
        SessionKind kind;
        std::vector<Subscription> subscriptions = {};
    };
    std::list<Attached> sessions_;
    AutoAttach targets_;
    std::map<std::string, Running> setting_up_;
    std::list<Running> stopping_scripts_;
    Running limiting_navigation_;
    Deadline::Clock::time_point navigation_begun_ = {};  // start of the last network navigation
    int awaited_navigations_ = 0;                        // those awaited by a caller
    std::list<Running> forgetting_;
    std::vector<Subscription> subscriptions_;
};

}  // namespace cdp
