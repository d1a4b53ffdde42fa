// A tab made up by a test: it does what it is told and remembers what was done to it.
#pragma once

#include <cmath>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/page.h"
#include "util/async.h"
#include "util/strings.h"

namespace fakes {

struct FakeElement final : engine::Element {
    explicit FakeElement(std::string given) : target(std::move(given)) {}
    std::string target;
};

class FakePage final : public engine::Page {
public:
    explicit FakePage(Loop& loop, std::string id = "page") : loop_(loop), id_(std::move(id)) {}

    // An element that `target` leads to, and its locator in the language that is asked for.
    void add_element(std::string target, std::string javascript = "locator('it')", std::string code = {}) {
        if (code.empty()) code = javascript;
        elements_[std::move(target)] = {javascript, code};
    }
    // Lets the next call of an operation ("click", "navigate", …) fail.
    void fail(const std::string& operation, Error error) { failures_[operation] = std::move(error); }
    // Runs in the middle of an operation.
    void during(const std::string& operation, std::function<void()> what) {
        hooks_[operation] = std::move(what);
    }
    // Lets an operation wait until release() or until it is dropped.
    void hold(const std::string& operation) { held_.emplace(operation, Completion<bool>(loop_)); }
    void release(const std::string& operation) { held_.at(operation).set(true); }

    void crash() {
        crashed = true;
        if (auto watcher = document_watcher.lock()) (*watcher)(engine::DocumentEvent::Crashed);
    }
    void open_modal(engine::Modal modal) {
        modal.number = ++modal_count_;
        modals_.push_back(std::move(modal));
        for (auto& waiter : modal_waiters_) waiter.set(true);
    }
    void open_dialog(std::string type, std::string message) {
        open_modal({.kind = engine::Modal::Kind::Dialog,
                    .dialog_type = std::move(type),
                    .message = std::move(message)});
    }
    void open_file_chooser(bool several = false) {
        open_modal({.kind = engine::Modal::Kind::FileChooser, .takes_several_files = several});
    }
    void log(std::string type, std::string text, int line = 0) {
        console_entries.push_back(
            {.type = std::move(type), .text = std::move(text), .url = page_url, .line = line, .time = now});
    }
    void throw_uncaught(std::string stack) {
        console_entries.push_back(
            {.type = "error", .text = "uncaught", .time = now, .uncaught = true, .stack = std::move(stack)});
    }

    const std::string& id() const override { return id_; }
    const std::string& opener() const override { return opened_by; }
    std::string url() const override { return page_url; }
    bool is_closed() const override { return closed; }
    bool has_crashed() const override { return crashed; }
    Task<std::string> title(Deadline) override {
        co_await operation("title", "");
        co_return page_title;
    }
    std::optional<engine::DocumentStatus> document_status() const override { return status; }

    const std::vector<engine::ConsoleEntry>& console() const override { return console_entries; }
    std::size_t console_since_navigation() const override { return document_begins; }
    void clear_console() override { console_entries.clear(); }
    void log_error(std::string text) override { throw_uncaught(std::move(text)); }
    const std::vector<engine::RequestEntry>& requests() const override { return request_entries; }
    const std::vector<engine::RequestEntry>& earlier_requests() const override { return earlier_entries; }
    std::size_t requests_before() const override { return earlier_entries.size(); }
    void clear_requests() override {
        request_entries.clear();
        earlier_entries.clear();
    }
    Task<engine::Body> response_body(const engine::RequestEntry& request, Deadline) override {
        co_await operation("response_body", request.url);
        co_return body;
    }

    const std::vector<engine::Modal>& modals() const override { return modals_; }
    Task<> wait_for_modal() override {
        struct Waiter {
            std::list<Completion<bool>>& all;
            std::list<Completion<bool>>::iterator it;
            ~Waiter() { all.erase(it); }
        } waiter{modal_waiters_, modal_waiters_.emplace(modal_waiters_.end(), loop_)};
        co_await *waiter.it;
    }
    Task<> answer_dialog(bool accept, std::optional<std::string> text, Deadline) override {
        std::erase_if(modals_,
                      [](const engine::Modal& modal) { return modal.kind == engine::Modal::Kind::Dialog; });
        co_await operation("answer_dialog", (accept ? "accept " : "dismiss ") + text.value_or("-"));
    }
    Task<> answer_file_chooser(std::optional<std::vector<std::filesystem::path>> files, Deadline) override {
        std::string names = !files ? "" : files->empty() ? "none" : "";
        for (const auto& file : files.value_or(std::vector<std::filesystem::path>{}))
            names += file.string() + ";";
        bool several = files && files->size() > 1;
        if (several && !modals_.empty() && !modals_.front().takes_several_files)
            co_await Error{.code = ErrorCode::InvalidArgument,
                           .message = "Error: Non-multiple file input can only accept single file"};
        co_await operation("answer_file_chooser", names);
        std::erase_if(modals_, [](const engine::Modal& modal) {
            return modal.kind == engine::Modal::Kind::FileChooser;
        });
    }

    Task<> navigate(std::string url, Deadline) override {
        document_begins = console_entries.size();
        co_await operation("navigate", url);
        page_url = url;
    }
    Task<bool> go_back(Deadline) override {
        co_await operation("go_back", "");
        co_return has_history;
    }
    Task<bool> go_forward(Deadline) override {
        co_await operation("go_forward", "");
        co_return has_history;
    }
    Task<> navigate_until(std::string url, engine::LoadState state, Deadline) override {
        co_await operation("navigate_until", url + " " + std::to_string(static_cast<int>(state)));
        page_url = url;
    }
    Task<> wait_for_load(engine::LoadState state, Deadline) override {
        return operation("wait_for_load", std::to_string(static_cast<int>(state)));
    }
    Task<> reload(Cache cache, Deadline) override {
        return operation("reload", cache == Cache::Ignore ? "anew" : "");
    }
    Task<> bring_to_front(Deadline) override { return operation("bring_to_front", ""); }
    Task<> close(Deadline) override {
        co_await operation("close", "");
        closed = true;
        if (on_closed) on_closed(*this);
    }

    Task<> act(Task<> action, std::chrono::milliseconds) override {
        co_await std::move(action);
        co_await operation("settle", "");
    }

    Task<std::string> snapshot(engine::SnapshotOptions options, std::shared_ptr<engine::Element> root,
                               Deadline) override {
        std::string details = target_of(root);
        if (options.depth) details += " depth=" + std::to_string(*options.depth);
        if (options.boxes) details += " boxes";
        co_await operation("snapshot", details);
        co_return tree;
    }
    Task<engine::Located> find(std::string target, engine::Language language, engine::Matches,
                               Deadline) override {
        co_await operation("find", "");
        auto it = elements_.find(target);
        if (it == elements_.end())
            co_await Error{.code = ErrorCode::ElementNotFound, .message = "No element."};
        bool javascript = language == engine::Language::JavaScript;
        co_return engine::Located{std::make_shared<FakeElement>(target), it->second.first,
                                  javascript ? it->second.first : it->second.second,
                                  password_fields.contains(target)};
    }

    Task<> click(std::shared_ptr<engine::Element> element, engine::ClickOptions options, Deadline) override {
        return operation("click", target_of(element) +
                                      " button=" + std::to_string(static_cast<int>(options.button)) +
                                      " count=" + std::to_string(options.count) +
                                      " modifiers=" + std::to_string(options.modifiers.size()));
    }
    Task<> hover(std::shared_ptr<engine::Element> element, Deadline) override {
        return operation("hover", target_of(element));
    }
    Task<> drag(std::shared_ptr<engine::Element> from, std::shared_ptr<engine::Element> to,
                Deadline) override {
        return operation("drag", target_of(from) + " to " + target_of(to));
    }
    Task<> drop(std::shared_ptr<engine::Element> element, engine::DropData data, Deadline) override {
        std::string details = target_of(element);
        for (const auto& file : data.files) details += " " + file.string();
        for (const auto& [type, text] : data.data) details += " " + type + "=" + text;
        return operation("drop", details);
    }
    Task<> fill(std::shared_ptr<engine::Element> element, std::string text, Deadline) override {
        return operation("fill", target_of(element) + " " + text);
    }
    Task<> set_checked(std::shared_ptr<engine::Element> element, bool checked, Deadline) override {
        return operation("set_checked", target_of(element) + (checked ? " yes" : " no"));
    }
    Task<std::vector<std::string>> select_options(std::shared_ptr<engine::Element> element,
                                                  std::vector<std::string> values, Deadline) override {
        co_await operation("select_options", target_of(element) + " " + join(values, ","));
        co_return values;
    }
    Task<> set_files(std::shared_ptr<engine::Element> element, std::vector<std::filesystem::path> files,
                     Deadline) override {
        std::string names;
        for (const auto& file : files) names += " " + file.filename().string();
        return operation("set_files", target_of(element) + names);
    }
    // What `readings` has for the reader; null for a target that add_element did not put there.
    Task<json::value> read(std::string reader, std::string target, json::object options, Deadline) override {
        co_await operation("read",
                           reader + " " + target + (options.empty() ? "" : " " + json::serialize(options)));
        if (!target.empty() && !elements_.contains(target)) co_return nullptr;
        co_return readings[reader];
    }
    Task<> type(std::shared_ptr<engine::Element> element, std::string text, Deadline) override {
        return operation("type", target_of(element) + " " + text);
    }
    Task<> fill_confined(std::shared_ptr<engine::Element> element, std::string text, Deadline) override {
        ++confined;
        return operation("fill", target_of(element) + " " + text);
    }
    Task<> type_confined(std::shared_ptr<engine::Element> element, std::string text,
                         std::chrono::milliseconds, Deadline) override {
        ++confined;
        return operation("type", target_of(element) + " " + text);
    }
    Task<std::optional<std::string>> focused_password(Deadline) override { co_return focused_password_text; }
    std::vector<std::string> take_shown_passwords() override { return std::exchange(shown_passwords, {}); }
    Task<> press(std::shared_ptr<engine::Element> element, std::string key, Deadline) override {
        return operation("press", target_of(element) + " " + key);
    }
    // As it is for a page: what begins so is a statement and stands in no brackets.
    Task<bool> is_script(std::string text, Deadline) override {
        co_return !text.starts_with("(return") && !text.contains(" => (return");
    }
    Task<Evaluated> evaluate(std::string expression, std::shared_ptr<engine::Element> element,
                             Deadline) override {
        co_await operation("evaluate", expression + " on " + target_of(element));
        co_return evaluated;
    }
    Task<> wait_for_text(std::string text, bool visible, Deadline) override {
        return operation("wait_for_text", text + (visible ? " visible" : " hidden"));
    }
    Task<engine::Screenshot> screenshot(engine::ScreenshotOptions options,
                                        std::shared_ptr<engine::Element> element, Deadline) override {
        co_await operation("screenshot", options.format + (options.full_page ? " full" : "") +
                                             (options.css_scale ? " css" : " device") + " " +
                                             target_of(element));
        co_return picture;
    }
    Task<> resize(engine::Size size, Deadline) override {
        return operation("resize", std::to_string(size.width) + "x" + std::to_string(size.height));
    }
    Task<> emulate_media(engine::MediaOptions options, Deadline) override {
        media = std::move(options);
        return operation("emulate_media", "");
    }
    Task<std::string> pdf(Deadline) override {
        co_await operation("pdf", "");
        co_return "%PDF-1.4";
    }
    Task<> move_mouse(engine::Point to, Deadline) override { return operation("move_mouse", text_of(to)); }
    Task<> press_mouse(engine::MouseButton button, Deadline) override {
        return operation("press_mouse", std::to_string(static_cast<int>(button)));
    }
    Task<> release_mouse(engine::MouseButton button, Deadline) override {
        return operation("release_mouse", std::to_string(static_cast<int>(button)));
    }
    Task<> turn_wheel(double delta_x, double delta_y, Deadline) override {
        return operation("turn_wheel", text_of({delta_x, delta_y}));
    }
    Task<> click_at(engine::Point at, engine::ClickOptions options, Deadline) override {
        return operation("click_at", text_of(at) +
                                         " button=" + std::to_string(static_cast<int>(options.button)) +
                                         " count=" + std::to_string(options.count) +
                                         " delay=" + std::to_string(options.delay.count()));
    }
    Task<std::vector<engine::StorageItem>> storage_items(engine::StorageArea area, Deadline) override {
        co_await operation("storage_items", "");
        co_return storage[area];
    }
    Task<> set_storage_item(engine::StorageArea area, std::string name, std::optional<std::string> value,
                            Deadline) override {
        co_await operation("set_storage_item", name);
        std::erase_if(storage[area], [&](const engine::StorageItem& item) { return item.name == name; });
        if (value) storage[area].push_back({name, *value});
    }
    Task<> clear_storage(engine::StorageArea area, Deadline) override {
        co_await operation("clear_storage", "");
        storage[area].clear();
    }
    // Finds what add_element put there under the whole locator.
    Task<std::optional<engine::Located>> find_in_frames(std::string target, engine::Language language,
                                                        Deadline deadline) override {
        co_await operation("find_in_frames", target);
        if (!elements_.contains(target)) co_return std::nullopt;
        co_return co_await find(target, language, engine::Matches::First, deadline);
    }
    Task<std::optional<std::string>> text_inside(std::shared_ptr<engine::Element> element, std::string text,
                                                 Deadline) override {
        co_await operation("text_inside", target_of(element) + " " + text);
        auto it = texts.find(text);
        co_return it == texts.end() ? std::nullopt : std::optional(it->second);
    }
    Task<std::string> input_value(std::shared_ptr<engine::Element> element, Deadline) override {
        co_await operation("input_value", target_of(element));
        co_return field_value;
    }
    Task<std::string> origin_of(std::shared_ptr<engine::Element>, Deadline) override {
        co_return frame_origin.empty() ? page_url.substr(0, page_url.find('/', page_url.find("://") + 3))
                                       : frame_origin;
    }
    Task<bool> is_checked(std::shared_ptr<engine::Element> element, Deadline) override {
        co_await operation("is_checked", target_of(element));
        co_return field_value == "true";
    }
    Task<> highlight(std::shared_ptr<engine::Element> element, engine::HighlightOptions options,
                     Deadline) override {
        return operation("highlight", target_of(element) + " " + options.label + " {" + options.style + "}");
    }
    Task<> hide_highlight(std::shared_ptr<engine::Element> element, Deadline) override {
        return operation("hide_highlight", target_of(element));
    }
    Task<> show_chapter(engine::Chapter chapter, Deadline) override {
        return operation("show_chapter", chapter.title + "|" + chapter.description + "|" +
                                             std::to_string(chapter.duration.count()));
    }
    void annotate_actions(std::optional<engine::ActionNotes> given) override { notes = std::move(given); }
    std::shared_ptr<void> watch_screen(engine::Size,
                                       std::function<void(const engine::ScreenPicture&)> callback) override {
        auto handle =
            std::make_shared<std::function<void(const engine::ScreenPicture&)>>(std::move(callback));
        screen_watcher = handle;
        return handle;
    }
    Task<std::vector<engine::PageTool>> page_tools(Deadline) override { co_return offered_tools; }
    Task<std::string> call_page_tool(engine::PageTool tool, json::value arguments, Deadline) override {
        co_await operation("call_page_tool", tool.name + " " + json::serialize(arguments));
        co_return tool_answer;
    }
    std::shared_ptr<void> watch_document(std::function<void(engine::DocumentEvent)> callback) override {
        auto handle = std::make_shared<std::function<void(engine::DocumentEvent)>>(std::move(callback));
        document_watcher = handle;
        return handle;
    }
    std::shared_ptr<void> watch_changes() override {
        auto handle = change_watcher.lock();
        if (!handle) change_watcher = handle = std::make_shared<int>();
        return handle;
    }
    // Tells what `user_callback` is called with.
    std::shared_ptr<engine::UserWatch> watch_user(engine::Language,
                                                  std::function<void(engine::UserEvent)> callback) override {
        class Watch final : public engine::UserWatch {
        public:
            explicit Watch(FakePage& page) : page_(page) {}
            ~Watch() override { page_.user_callback = nullptr; }
            Task<> ready(Deadline) override { co_return; }
            void insert(engine::UserEvent event) override { page_.user_callback(std::move(event)); }
            Task<> finish(Deadline) override { return page_.operation("finish_watch", ""); }

        private:
            FakePage& page_;
        };
        user_callback = std::move(callback);
        return std::make_shared<Watch>(*this);
    }
    // The main document, and one in a frame.
    Task<json::array> document_trees(Deadline) override {
        co_await operation("document_trees", "");
        json::array trees;
        for (const std::string& frame : {id_, std::string("inner")}) {
            trees.push_back(json::object{{"frame", "frame@" + frame},
                                         {"url", page_url},
                                         {"doctype", "html"},
                                         {"html", json::array{"HTML", json::object()}},
                                         {"viewport", json::object{{"width", 800}, {"height", 600}}}});
        }
        co_return trees;
    }
    // What `saved_state` has, with the address; the address of what is restored, and what `restore_missing`
    // says.
    Task<json::value> save_state(Deadline) override {
        co_await operation("save_state", "");
        saved_state["url"] = page_url;
        co_return saved_state;
    }
    Task<json::array> fill_storage(json::array origins, Deadline) override {
        co_await operation("fill_storage", json::serialize(origins));
        json::array left;
        for (const json::value& each : origins) {
            if (unfilled.contains(std::string(each.at("origin").as_string()))) left.push_back(each);
        }
        co_return left;
    }
    // What could not be opened shows an error page.
    Task<RestoreOutcome> restore_state(json::value given, Deadline) override {
        co_await operation("restore_state", json::serialize(given));
        if (given.is_object() && given.get_object().contains("url"))
            page_url = std::string(given.at("url").as_string());
        if (!down.contains(page_url))
            co_return RestoreOutcome{.missing = restore_missing, .is_complete = restores_all};
        std::string url = std::exchange(page_url, "chrome-error://chromewebdata/");
        co_return RestoreOutcome{.missing = {url + " could not be opened again"}, .is_complete = false};
    }
    const std::vector<engine::Download>& downloads() const override { return download_list; }

    std::string page_url = "about:blank";
    std::string page_title;
    std::string tree;
    std::optional<engine::DocumentStatus> status;
    std::vector<engine::ConsoleEntry> console_entries;
    std::size_t document_begins = 0;
    std::vector<engine::RequestEntry> request_entries, earlier_entries;
    std::vector<engine::Download> download_list;
    engine::Body body;
    Evaluated evaluated;
    engine::Screenshot picture{.base64 = "UE5H", .size = {800, 600}};
    engine::MediaOptions media;
    std::map<engine::StorageArea, std::vector<engine::StorageItem>> storage;
    json::object saved_state;
    std::vector<std::string> restore_missing;
    bool restores_all = true;
    std::set<std::string> down;                // addresses that cannot be restored
    std::set<std::string> unfilled;            // origins that cannot be filled
    std::map<std::string, std::string> texts;  // what an element inside shows -> its whole text
    std::string frame_origin;                  // of every element's document; empty: the page's own
    std::string field_value;
    std::set<std::string> password_fields;  // targets
    std::optional<std::string> focused_password_text;
    std::vector<std::string> shown_passwords;
    int confined = 0;  // texts that were typed into one element and nowhere else
    bool has_history = true;
    std::map<std::string, json::value> readings;  // by reader
    std::optional<engine::ActionNotes> notes;
    std::weak_ptr<std::function<void(const engine::ScreenPicture&)>> screen_watcher;
    std::weak_ptr<std::function<void(engine::DocumentEvent)>> document_watcher;
    std::weak_ptr<int> change_watcher;                     // whether somebody wants to know of changes
    std::function<void(engine::UserEvent)> user_callback;  // while somebody watches
    std::vector<engine::PageTool> offered_tools;
    std::string tool_answer = "null";
    bool crashed = false;
    bool closed = false;
    std::string opened_by;
    std::chrono::system_clock::time_point now;
    std::function<void(FakePage&)> on_closed;
    // "click e2 …", in the order in which it was done; titles and look-ups are not kept.
    std::vector<std::string> done;

private:
    static std::string target_of(const std::shared_ptr<engine::Element>& element) {
        return element ? static_cast<FakeElement&>(*element).target : "-";
    }
    static std::string text_of(engine::Point point) {
        return std::to_string(std::lround(point.x)) + "," + std::to_string(std::lround(point.y));
    }
    Task<> operation(std::string name, std::string details) {
        if (name != "title" && name != "find" && name != "settle")
            done.push_back(details.empty() ? name : name + " " + details);
        if (auto hook = hooks_.find(name); hook != hooks_.end()) {
            auto what = std::exchange(hook->second, nullptr);
            if (what) what();
        }
        for (const std::string& each : {name, name + " " + details})
            if (auto held = held_.find(each); held != held_.end()) co_await held->second;
        if (auto failure = failures_.find(name); failure != failures_.end()) {
            Error error = std::move(failure->second);
            failures_.erase(failure);
            co_await std::move(error);
        }
    }

    Loop& loop_;
    std::string id_;
    std::map<std::string, std::pair<std::string, std::string>> elements_;
    std::map<std::string, Error> failures_;
    std::map<std::string, std::function<void()>> hooks_;
    std::map<std::string, Completion<bool>> held_;
    std::vector<engine::Modal> modals_;
    std::list<Completion<bool>> modal_waiters_;
    std::uint64_t modal_count_ = 0;
};

}  // namespace fakes
