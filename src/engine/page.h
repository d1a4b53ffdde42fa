// What a page can do, whoever drives it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/types.h"
#include "util/async.h"
#include "util/task.h"

namespace engine {

// An element of a page. Ends with its document: using it later is an ElementNotFound error.
class Element {
public:
    virtual ~Element() = default;
};

// What is meant by a selector that matches several elements.
enum class Matches { One, First };

// What a target text led to.
struct Located {
    std::shared_ptr<Element> element;
    // The unique locator, without "page.": getByRole('button', { name: 'Save' }).
    std::string javascript;
    // The same in the language that was asked for.
    std::string code;
    // Whether it is a field for passwords or the like, by its type, its autocomplete or its name.
    bool takes_password = false;
};

// Follows what a person does in a page; looks away when dropped.
class UserWatch {
public:
    virtual ~UserWatch() = default;

    // Completes when nothing that is done from now on is missed.
    virtual Task<> ready(Deadline deadline) = 0;
    // Tells of something that happened elsewhere, in its place among what the page tells.
    virtual void insert(UserEvent event) = 0;
    // Looks away, after everything that was done until now has been told.
    virtual Task<> finish(Deadline deadline) = 0;
};

// One tab. Lives on the main loop. Every Task fails with BrowserCrashed when the tab or its browser goes, and
// with Timeout at the deadline, naming the last reason why it could not go on.
class Page {
public:
    virtual ~Page() = default;

    // The browser's name for this tab; stays the same for its life.
    virtual const std::string& id() const = 0;
    // The tab that opened this one by script or link; empty: nobody's.
    virtual const std::string& opener() const = 0;
    virtual std::string url() const = 0;
    virtual bool is_closed() const = 0;
    virtual bool has_crashed() const = 0;
    virtual Task<std::string> title(Deadline deadline) = 0;
    // Of the main document's last answer; nothing for about:blank and the like.
    virtual std::optional<DocumentStatus> document_status() const = 0;

    // What the page logged, oldest first; `console_since_navigation` is where the current document begins.
    virtual const std::vector<ConsoleEntry>& console() const = 0;
    virtual std::size_t console_since_navigation() const = 0;
    virtual void clear_console() = 0;
    // Adds an entry of our own, as an error.
    virtual void log_error(std::string text) = 0;
    // The requests since the last navigation that was asked for, oldest first.
    virtual const std::vector<RequestEntry>& requests() const = 0;
    virtual void clear_requests() = 0;
    virtual Task<Body> response_body(const RequestEntry& request, Deadline deadline) = 0;

    // What is open now, oldest first.
    virtual const std::vector<Modal>& modals() const = 0;
    // Completes when a modal opens that was not there when this was called.
    virtual Task<> wait_for_modal() = 0;
    virtual Task<> answer_dialog(bool accept, std::optional<std::string> text, Deadline deadline) = 0;
    // No files cancels.
    virtual Task<> answer_file_chooser(std::vector<std::filesystem::path> files, Deadline deadline) = 0;

    // Until the document is parsed; then up to five seconds for its load event. A download instead of a page
    // counts.
    virtual Task<> navigate(std::string url, Deadline deadline) = 0;
    // Until the document has come that far.
    virtual Task<> navigate_until(std::string url, LoadState state, Deadline deadline) = 0;
    virtual Task<> wait_for_load(LoadState state, Deadline deadline) = 0;
    // False when there is nowhere to go.
    virtual Task<bool> go_back(Deadline deadline) = 0;
    virtual Task<bool> go_forward(Deadline deadline) = 0;
    enum class Cache { Use, Ignore };
    virtual Task<> reload(Cache cache, Deadline deadline) = 0;
    virtual Task<> bring_to_front(Deadline deadline) = 0;
    virtual Task<> close(Deadline deadline) = 0;

    // Runs an action, then waits until nothing it caused is still under way, `settle` at the most after it
    // ended (navigations it began: until they have loaded, ten seconds at the most).
    virtual Task<> act(Task<> action, std::chrono::milliseconds settle) = 0;
    // So long that takes after the action at the most.
    static constexpr std::chrono::seconds kMaxSettling{40};
    // Why a page says nothing after the last action: it waits for another document, or a script lets nothing
    // else happen.
    struct HeldUp {
        std::string url = {};  // of that document; empty: it is a script
    };
    // A page that waits is left to do so until somebody needs it.
    virtual std::optional<HeldUp> held_up() const { return std::nullopt; }

    // The accessibility tree, of the whole page or below `root`.
    virtual Task<std::string> snapshot(SnapshotOptions options, std::shared_ptr<Element> root,
                                       Deadline deadline) = 0;
    // A ref (e5, f1e5), a selector, or a locator expression. Fails when it may match one element only and
    // there are several.
    virtual Task<Located> find(std::string target, Language language, Matches matches, Deadline deadline) = 0;

    virtual Task<> click(std::shared_ptr<Element> element, ClickOptions options, Deadline deadline) = 0;
    virtual Task<> hover(std::shared_ptr<Element> element, Deadline deadline) = 0;
    virtual Task<> drag(std::shared_ptr<Element> from, std::shared_ptr<Element> to, Deadline deadline) = 0;
    virtual Task<> drop(std::shared_ptr<Element> element, DropData data, Deadline deadline) = 0;
    virtual Task<> fill(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    virtual Task<> set_checked(std::shared_ptr<Element> element, bool checked, Deadline deadline) = 0;
    // By value or label; gives the values selected.
    virtual Task<std::vector<std::string>> select_options(std::shared_ptr<Element> element,
                                                          std::vector<std::string> values,
                                                          Deadline deadline) = 0;
    // Into a file input, or the one that its label is for.
    virtual Task<> set_files(std::shared_ptr<Element> element, std::vector<std::filesystem::path> files,
                             Deadline deadline) = 0;
    // Types key by key into the element, or without one into what has focus.
    virtual Task<> type(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    // The same as `fill` and `type`, into this element and nowhere else: an element or frame that takes the
    // focus meanwhile gets none of it. Fails at the first character that the element did not take, and tells
    // how many it took.
    virtual Task<> fill_confined(std::shared_ptr<Element> element, std::string text, Deadline deadline) = 0;
    virtual Task<> type_confined(std::shared_ptr<Element> element, std::string text,
                                 std::chrono::milliseconds delay, Deadline deadline) = 0;
    // Whether what has the focus now, in whatever frame, takes a password.
    virtual Task<bool> focus_takes_password(Deadline deadline) = 0;
    // "Enter", "a", "Control+Shift+T".
    virtual Task<> press(std::shared_ptr<Element> element, std::string key, Deadline deadline) = 0;

    // A function (called with the element when there is one) or an expression; promises are awaited. The
    // value is JSON; nothing for undefined.
    struct Evaluated {
        std::optional<json::value> value;
        bool is_function = false;
    };
    virtual Task<Evaluated> evaluate(std::string expression, std::shared_ptr<Element> element,
                                     Deadline deadline) = 0;

    // Until the text is visible somewhere on the page, or nowhere any more.
    virtual Task<> wait_for_text(std::string text, bool visible, Deadline deadline) = 0;

    virtual Task<Screenshot> screenshot(ScreenshotOptions options, std::shared_ptr<Element> element,
                                        Deadline deadline) = 0;
    virtual Task<> resize(Size size, Deadline deadline) = 0;
    virtual Task<> emulate_media(MediaOptions options, Deadline deadline) = 0;

    // The page as a PDF document.
    virtual Task<std::string> pdf(Deadline deadline) = 0;

    // The mouse by itself. Points are in CSS pixels of the viewport.
    virtual Task<> move_mouse(Point to, Deadline deadline) = 0;
    virtual Task<> press_mouse(MouseButton button, Deadline deadline) = 0;
    virtual Task<> release_mouse(MouseButton button, Deadline deadline) = 0;
    virtual Task<> turn_wheel(double delta_x, double delta_y, Deadline deadline) = 0;
    virtual Task<> click_at(Point at, ClickOptions options, Deadline deadline) = 0;

    // What the main document keeps, in the browser's order. Fails where it may keep nothing.
    virtual Task<std::vector<StorageItem>> storage_items(StorageArea area, Deadline deadline) = 0;
    // No value removes the item.
    virtual Task<> set_storage_item(StorageArea area, std::string name, std::optional<std::string> value,
                                    Deadline deadline) = 0;
    virtual Task<> clear_storage(StorageArea area, Deadline deadline) = 0;

    // The first match of a selector or locator expression, searching the frames one after the other; nothing
    // when no frame has one.
    virtual Task<std::optional<Located>> find_in_frames(std::string target, Language language,
                                                        Deadline deadline) = 0;
    // The whole text of the element inside that shows `text`; nothing when there is none, an error for
    // several.
    virtual Task<std::optional<std::string>> text_inside(std::shared_ptr<Element> element, std::string text,
                                                         Deadline deadline) = 0;
    // Of an input, a text area or a select.
    virtual Task<std::string> input_value(std::shared_ptr<Element> element, Deadline deadline) = 0;
    // Of the document that the element is in: "https://example.com", "null" for one that has none.
    virtual Task<std::string> origin_of(std::shared_ptr<Element> element, Deadline deadline) = 0;
    // Of a checkbox, a radio button or what has such a role.
    virtual Task<bool> is_checked(std::shared_ptr<Element> element, Deadline deadline) = 0;

    // What a reader of src/page/extract_readers.js makes of the elements that a ref, a selector or a locator
    // expression leads to, or of the document without a target.
    virtual Task<json::value> read(std::string reader, std::string target, json::object options,
                                   Deadline deadline) = 0;

    // What the documents in all frames offer to agents. Frames that do not answer in time offer nothing.
    virtual Task<std::vector<PageTool>> page_tools(Deadline deadline) = 0;
    // Gives the tool's answer as the page wrote it; JSON as a rule.
    virtual Task<std::string> call_page_tool(PageTool tool, json::value arguments, Deadline deadline) = 0;

    // Stays until it is hidden or the document goes.
    virtual Task<> highlight(std::shared_ptr<Element> element, HighlightOptions options,
                             Deadline deadline) = 0;
    // Of that element, or all without one.
    virtual Task<> hide_highlight(std::shared_ptr<Element> element, Deadline deadline) = 0;

    // Stays for its duration; the Task ends with it.
    virtual Task<> show_chapter(Chapter chapter, Deadline deadline) = 0;
    // From now on; nothing ends it.
    virtual void annotate_actions(std::optional<ActionNotes> notes) = 0;
    // Told of each picture as the page changes, until the handle is dropped.
    virtual std::shared_ptr<void> watch_screen(Size largest,
                                               std::function<void(const ScreenPicture&)> callback) = 0;
    // Told when the main document has another address, or has loaded, until the handle is dropped.
    virtual std::shared_ptr<void> watch_document(std::function<void(DocumentEvent)> callback) = 0;
    // Told of what a person does in any frame, and of what comes of it. One at a time: another one takes its
    // place.
    virtual std::shared_ptr<UserWatch> watch_user(Language language,
                                                  std::function<void(UserEvent)> callback) = 0;
    // The documents in all frames as traces keep them, the main one first: {frame, url, doctype, html: [name,
    // {attributes}, …children], viewport}, where an iframe's source is /snapshot/<frame>. Frames that do not
    // answer in time are left out.
    virtual Task<json::array> document_trees(Deadline deadline) = 0;

    // What it takes to make another tab of this one: {url, title, history: {urls, index}, viewport, media,
    // storage: {origin, sessionStorage}, document: {scroll, fields, …}}. Passwords and the like are left out.
    // `storages` may add what other origins keep for this tab.
    virtual Task<json::value> remember(Deadline deadline) = 0;
    // For a tab that nobody has used: gives these origins what they kept, without asking the network. Each is
    // {origin, localStorage, sessionStorage, databases}. Gives those that could not be filled.
    virtual Task<json::array> fill_storage(json::array origins, Deadline deadline) = 0;
    struct Recalled {
        std::vector<std::string> missing = {};  // what could not be brought back, a sentence each
        bool is_complete = true;                // false: another attempt may bring back more
    };
    // For the same: becomes the tab that was remembered.
    virtual Task<Recalled> recall(json::value memory, Deadline deadline) = 0;

    // Downloads of this page, oldest first, since the last navigation that was asked for.
    virtual const std::vector<Download>& downloads() const = 0;
};

}  // namespace engine
