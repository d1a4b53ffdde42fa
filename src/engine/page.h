// The interface of a page, independent of the engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/types.h"
#include "util/async.h"
#include "util/task.h"

namespace engine {

// An element of a page. Becomes invalid with its document: later use is an ElementNotFound error.
class Element {
public:
    virtual ~Element() = default;
};

// Whether a selector must match one element only, or means the first match.
enum class Matches { One, First };

// The result of resolving a target text.
struct Located {
    std::shared_ptr<Element> element;
    // The unique locator, without "page.": getByRole('button', { name: 'Save' }).
    std::string javascript;
    // The same locator in the requested language.
    std::string code;
    // Whether it is a field for passwords or other secrets, by its type, its autocomplete or its name.
    bool takes_password = false;
};

// Records what a person does in a page; stops when dropped.
class UserWatch {
public:
    virtual ~UserWatch() = default;

    // Completes once no later user action can be missed.
    virtual Task<> ready(Deadline deadline) = 0;
    // Inserts an event from elsewhere, in order with the page's own events.
    virtual void insert(UserEvent event) = 0;
    // Reports all actions done until now, then stops.
    virtual Task<> finish(Deadline deadline) = 0;
};

// One tab. Lives on the main loop. Every Task fails with BrowserCrashed when the tab or its browser is gone,
// and with Timeout at the deadline, naming the last reason why it could not go on.
class Page {
public:
    virtual ~Page() = default;

    // The browser's id for this tab; never changes.
    virtual const std::string& id() const = 0;
    // The tab that opened this one by script or link; empty: none.
    virtual const std::string& opener() const = 0;
    virtual std::string url() const = 0;
    virtual bool is_closed() const = 0;
    virtual bool has_crashed() const = 0;
    virtual Task<std::string> title(Deadline deadline) = 0;
    // The main document's last HTTP status; nothing for about:blank and the like.
    virtual std::optional<DocumentStatus> document_status() const = 0;

    // The page's console, oldest first; `console_since_navigation` is where the current document begins.
    virtual const std::vector<ConsoleEntry>& console() const = 0;
    virtual std::size_t console_since_navigation() const = 0;
    virtual void clear_console() = 0;
    // Adds an entry of our own, as an error.
    virtual void log_error(std::string text) = 0;
    // The requests since the last requested navigation, oldest first.
    virtual const std::vector<RequestEntry>& requests() const = 0;
    // Requests of earlier documents, oldest first, without headers and bodies.
    virtual const std::vector<RequestEntry>& earlier_requests() const = 0;
    // How many requests came before the first of requests(), including discarded ones.
    virtual std::size_t requests_before() const = 0;
    virtual void clear_requests() = 0;
    virtual Task<Body> response_body(const RequestEntry& request, Deadline deadline) = 0;

    // The open modals, oldest first.
    virtual const std::vector<Modal>& modals() const = 0;
    // Completes when a modal opens that was not there when this was called.
    virtual Task<> wait_for_modal() = 0;
    virtual Task<> answer_dialog(bool accept, std::optional<std::string> text, Deadline deadline) = 0;
    // Cancels the chooser if `files` is unset.
    virtual Task<> answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files,
                                       Deadline deadline) = 0;

    // Waits until the document is parsed, then up to five seconds for its load event. A download instead of a
    // page counts as success.
    virtual Task<> navigate(std::string url, Deadline deadline) = 0;
    // Waits until the document has reached that state.
    virtual Task<> navigate_until(std::string url, LoadState state, Deadline deadline) = 0;
    virtual Task<> wait_for_load(LoadState state, Deadline deadline) = 0;
    // Returns false if the history has no such entry.
    virtual Task<bool> go_back(Deadline deadline) = 0;
    virtual Task<bool> go_forward(Deadline deadline) = 0;
    enum class Cache { Use, Ignore };
    virtual Task<> reload(Cache cache, Deadline deadline) = 0;
    virtual Task<> bring_to_front(Deadline deadline) = 0;
    virtual Task<> close(Deadline deadline) = 0;

    // Runs an action, then waits until everything it caused has finished: at most `settle` after the action
    // ended, or at most ten seconds for navigations that it started to load.
    virtual Task<> act(Task<> action, std::chrono::milliseconds settle) = 0;
    // The maximum of that wait.
    static constexpr std::chrono::seconds kMaxSettling{40};
    // Why the page does not respond after the last action: it waits for another document, or a script blocks
    // it.
    struct HeldUp {
        std::string url = {};  // of that document; empty: a script blocks it
    };
    // A waiting page is left alone until somebody needs it.
    virtual std::optional<HeldUp> held_up() const { return std::nullopt; }

    // The accessibility tree, of the whole page or below `root`.
    virtual Task<std::string> snapshot(SnapshotOptions options, std::shared_ptr<Element> root,
                                       Deadline deadline) = 0;
    // The texts in password fields that snapshots have shown since the last call.
    virtual std::vector<std::string> take_shown_passwords() = 0;
    // Accepts a ref (e5, f1e5), a selector, or a locator expression. With Matches::One, fails if several
    // elements match.
    virtual Task<Located> find(std::string target, Language language, Matches matches, Deadline deadline) = 0;

    virtual Task<> click(std::shared_ptr<Element> element, ClickOptions options, Deadline deadline) = 0;
    virtual Task<> hover(std::shared_ptr<Element> element, Deadline deadline) = 0;
    virtual Task<> drag(std::shared_ptr<Element> from, std::shared_ptr<Element> to, Deadline deadline) = 0;
    virtual Task<> drop(std::shared_ptr<Element> element, DropData data, Deadline deadline) = 0;
    virtual Task<> fill(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    virtual Task<> set_checked(std::shared_ptr<Element> element, bool checked, Deadline deadline) = 0;
    // Selects by value or label; returns the selected values.
    virtual Task<std::vector<std::string>> select_options(std::shared_ptr<Element> element,
                                                          std::vector<std::string> values,
                                                          Deadline deadline) = 0;
    // Sets the files of a file input, or of the input that a label is for.
    virtual Task<> set_files(std::shared_ptr<Element> element, std::vector<std::filesystem::path> files,
                             Deadline deadline) = 0;
    // Types key by key into the element, or into the focused element if none is given.
    virtual Task<> type(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    // Like `fill` and `type`, but only into this element: an element or frame that takes the focus meanwhile
    // gets none of the text. Fails at the first character that the element did not take, and says how many it
    // took.
    virtual Task<> fill_confined(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    virtual Task<> type_confined(std::shared_ptr<Element> element, std::string text,
                                 std::chrono::milliseconds delay, Deadline deadline) = 0;
    // The text of the focused element, in any frame, if it takes a password.
    virtual Task<std::optional<std::string>> focused_password(Deadline deadline) = 0;
    // `key` is like "Enter", "a", "Control+Shift+T".
    virtual Task<> press(std::shared_ptr<Element> element, std::string key, Deadline deadline) = 0;

    // Evaluates a function (called with the element if there is one) or an expression; promises are awaited.
    // The value is JSON; nothing for undefined.
    struct Evaluated {
        std::optional<json::value> value;
        bool is_function = false;
        std::size_t bytes = 0;     // size of the JSON
        std::string no_json = {};  // why the value has no JSON: it is circular, or a BigInt
    };
    // Whether the text compiles as a script. Does not run it.
    virtual Task<bool> is_script(std::string text, Deadline deadline) = 0;
    virtual Task<Evaluated> evaluate(std::string expression, std::shared_ptr<Element> element,
                                     Deadline deadline) = 0;

    // Waits until the text is visible somewhere on the page, or nowhere any more.
    virtual Task<> wait_for_text(std::string text, bool visible, Deadline deadline) = 0;

    virtual Task<Screenshot> screenshot(ScreenshotOptions options, std::shared_ptr<Element> element,
                                        Deadline deadline) = 0;
    virtual Task<> resize(Size size, Deadline deadline) = 0;
    virtual Task<> emulate_media(MediaOptions options, Deadline deadline) = 0;

    // The page as a PDF document.
    virtual Task<std::string> pdf(Deadline deadline) = 0;

    // Raw mouse input. Points are in CSS pixels of the viewport.
    virtual Task<> move_mouse(Point to, Deadline deadline) = 0;
    virtual Task<> press_mouse(MouseButton button, Deadline deadline) = 0;
    virtual Task<> release_mouse(MouseButton button, Deadline deadline) = 0;
    virtual Task<> turn_wheel(double delta_x, double delta_y, Deadline deadline) = 0;
    virtual Task<> click_at(Point at, ClickOptions options, Deadline deadline) = 0;

    // The main document's items, in the browser's order. Fails if the document has no storage.
    virtual Task<std::vector<StorageItem>> storage_items(StorageArea area, Deadline deadline) = 0;
    // Removes the item if there is no value.
    virtual Task<> set_storage_item(StorageArea area, std::string name, std::optional<std::string> value,
                                    Deadline deadline) = 0;
    virtual Task<> clear_storage(StorageArea area, Deadline deadline) = 0;

    // The first match of a selector or locator expression, searching the frames one after the other; nothing
    // if no frame has a match.
    virtual Task<std::optional<Located>> find_in_frames(std::string target, Language language,
                                                        Deadline deadline) = 0;
    // The whole text of the descendant that shows `text`; nothing if there is none, an error if there are
    // several.
    virtual Task<std::optional<std::string>> text_inside(std::shared_ptr<Element> element, std::string text,
                                                         Deadline deadline) = 0;
    // The value of an input, a text area or a select.
    virtual Task<std::string> input_value(std::shared_ptr<Element> element, Deadline deadline) = 0;
    // The origin of the element's document: "https://example.com", or "null" if it has none.
    virtual Task<std::string> origin_of(std::shared_ptr<Element> element, Deadline deadline) = 0;
    // The state of a checkbox, a radio button or an element with such a role.
    virtual Task<bool> is_checked(std::shared_ptr<Element> element, Deadline deadline) = 0;

    // Runs a reader of src/page/extract_readers.js on the elements that a ref, a selector or a locator
    // expression matches, or on the document if there is no target.
    virtual Task<json::value> read(std::string reader, std::string target, json::object options,
                                   Deadline deadline) = 0;

    // The tools that the documents in all frames offer. Frames that do not answer in time are left out.
    virtual Task<std::vector<PageTool>> page_tools(Deadline deadline) = 0;
    // Returns the tool's answer as the page wrote it, usually JSON.
    virtual Task<std::string> call_page_tool(PageTool tool, json::value arguments, Deadline deadline) = 0;

    // Stays visible until it is hidden or the document ends.
    virtual Task<> highlight(std::shared_ptr<Element> element, HighlightOptions options,
                             Deadline deadline) = 0;
    // Hides the highlight of that element, or all if none is given.
    virtual Task<> hide_highlight(std::shared_ptr<Element> element, Deadline deadline) = 0;

    // Shows the card for its duration; the Task completes when it is hidden.
    virtual Task<> show_chapter(Chapter chapter, Deadline deadline) = 0;
    // Applies from now on.
    virtual void annotate_actions(std::optional<ActionNotes> notes) = 0;
    // Calls back with each picture as the page changes, until the handle is dropped.
    virtual std::shared_ptr<void> watch_screen(Size max_size,
                                               std::function<void(const ScreenPicture&)> callback) = 0;
    // Calls back with events of the main document, until the handle is dropped.
    virtual std::shared_ptr<void> watch_document(std::function<void(DocumentEvent)> callback) = 0;
    // Calls back with each request that ended, successfully or not, until the handle is dropped. Headers may
    // still arrive later.
    virtual std::shared_ptr<void> watch_requests(std::function<void(const RequestEntry&)>) { return nullptr; }
    // While the handle is held, document watchers get Changed events, a few times a second.
    virtual std::shared_ptr<void> watch_changes() = 0;
    // Reports user actions in any frame, and their results. Only one watch at a time: a new one replaces the
    // old.
    virtual std::shared_ptr<UserWatch> watch_user(Language language,
                                                  std::function<void(UserEvent)> callback) = 0;
    // The documents of all frames in the form that traces keep, the main one first: {frame, url, doctype,
    // html: [name, {attributes}, …children], viewport}, where an iframe's source is /snapshot/<frame>. Frames
    // that do not answer in time are left out.
    virtual Task<json::array> document_trees(Deadline deadline) = 0;

    // The state that another tab needs to replace this one: {url, title, history: {urls, index}, viewport,
    // media, storage: {origin, sessionStorage}, document: {scroll, fields, …}}. Passwords and other secrets
    // are left out. The caller may add the other origins' storage of this tab as `storages`.
    virtual Task<json::value> save_state(Deadline deadline) = 0;
    // For an unused tab: restores the storage of these origins without network requests. Each is {origin,
    // localStorage, sessionStorage, databases}. Returns the origins that could not be restored.
    virtual Task<json::array> fill_storage(json::array origins, Deadline deadline) = 0;
    struct RestoreOutcome {
        std::vector<std::string> missing = {};  // what could not be restored, a sentence each
        bool is_complete = true;                // false: another attempt may restore more
    };
    // For an unused tab: restores the saved state.
    virtual Task<RestoreOutcome> restore_state(json::value state, Deadline deadline) = 0;

    // Downloads of this page since the last requested navigation, oldest first.
    virtual const std::vector<Download>& downloads() const = 0;
};

}  // namespace engine
