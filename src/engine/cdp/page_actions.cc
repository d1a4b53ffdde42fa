// User actions: each waits until the element is ready, then sends trusted input.
#include <deque>

#include "engine/cdp/context.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/file_input.h"
#include "engine/cdp/page.h"
#include "engine/cdp/primary_selection.h"
#include "engine/cdp/refusal.h"
#include "engine/cdp/screenshot.h"
#include "util/files.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

// Delays before the next attempts; the last one repeats.
constexpr std::chrono::milliseconds kBackoff[] = {0ms, 20ms, 100ms, 100ms, 500ms};

const std::string kOutOfReach =
    "the pointer does not reach the element's frame: it has not been drawn, or something lies over it";

// The log of an action's attempts. Repeated outcomes in a row are counted, as in Playwright.
class CallLog {
public:
    void add(std::vector<std::string> attempt) {
        if (attempt.empty()) return;
        if (blocks_.empty() || blocks_.back().lines != attempt) blocks_.push_back({std::move(attempt)});
        ++blocks_.back().count;
        if (blocks_.size() > kMaxBlocks) blocks_.pop_front();
    }
    // The reason why the last attempt failed.
    std::string cause() const { return blocks_.empty() ? "" : blocks_.back().lines.back(); }
    std::string text() const {
        std::string text;
        for (const Block& block : blocks_) {
            std::string times = block.count > 1 ? std::to_string(block.count) + " × " : "- ";
            std::string indent(block.count > 1 ? std::to_string(block.count).size() + 1 : 0, ' ');
            for (std::size_t i = 0; i < block.lines.size(); ++i)
                text += "  " + (i == 0 ? times : indent + "- ") + block.lines[i] + "\n";
        }
        return text;
    }

private:
    static constexpr std::size_t kMaxBlocks = 20;
    struct Block {
        std::vector<std::string> lines;
        std::size_t count = 0;
    };
    std::deque<Block> blocks_;
};

std::shared_ptr<RemoteElement> remote(const std::shared_ptr<engine::Element>& element) {
    return std::dynamic_pointer_cast<RemoteElement>(element);
}

engine::Point point_of(const json::object& answer) {
    const json::object* point = json::find_object(answer, "point");
    return point ? engine::Point{number_of(*point, "x"), number_of(*point, "y")} : engine::Point{};
}

// The timeout in ms, rounded back to the caller's value.
std::int64_t given(Deadline deadline) { return (deadline.remaining().count() + 50) / 100 * 100; }

Error timed_out(const std::string& call, std::int64_t milliseconds, const CallLog& log) {
    std::string message = call + ": Timeout " + std::to_string(milliseconds) + "ms exceeded.";
    if (std::string cause = log.cause(); !cause.empty())
        message += " Cause: " + cause + ".\nCall log:\n" + log.text();
    return Error{.code = ErrorCode::Timeout, .message = std::move(message)};
}

Error timed_out(const std::string& call, std::int64_t milliseconds, const std::string& cause) {
    CallLog log;
    if (!cause.empty()) log.add({cause});
    return timed_out(call, milliseconds, log);
}

}  // namespace

// Repeats the check until the page reports success; the error at the deadline says what was still missing.
Task<json::object> Page::attempt(Attempt attempt, Deadline deadline) {
    std::int64_t milliseconds = given(deadline);
    CallLog log;
    if (notes_) co_await note_action(attempt.element, attempt.call, deadline);
    for (std::size_t n = 0;; ++n) {
        attempt.options["attempt"] = n;
        auto answer = co_await as_result(
            with_deadline(loop_,
                          frames_.call(attempt.element->frame, attempt.function,
                                       {Argument(*attempt.element), json::value(attempt.options)}),
                          deadline, attempt.call));
        if (!answer) {
            if (answer.error().code == ErrorCode::Timeout)
                co_return timed_out(attempt.call, milliseconds, log);
            co_return answer.error();
        }
        if (!answer->is_object()) co_return Error{.message = attempt.call + ": no answer from the page."};
        json::object& result = answer->get_object();
        std::vector<std::string> steps;
        if (const json::array* lines = json::find_array(result, "log")) {
            for (const json::value& line : *lines) steps.emplace_back(line.as_string());
        }
        if (flag_of(result, "ok")) co_return std::move(result);
        if (const json::object* error = json::find_object(result, "error")) {
            co_return Error{.code = ErrorCode::ElementNotInteractive,
                            .message = attempt.call + ": " + text_of(*error, "message")};
        }
        steps.push_back(text_of(result, "reason"));
        log.add(std::move(steps));
        if (flag_of(result, "detached")) {
            co_return Error{.code = ErrorCode::ElementNotFound,
                            .message = attempt.call + ": Element is not attached to the DOM"};
        }
        auto wait = kBackoff[std::min(n, std::size(kBackoff) - 1)];
        if (deadline.remaining() <= wait) co_return timed_out(attempt.call, milliseconds, log);
        co_await sleep_for(loop_, wait);
    }
}

Task<engine::Point> Page::to_viewport(std::string id, engine::Point point) {
    while (id != id_) {
        auto owner = co_await frames_.owner(id);
        json::value origin =
            co_await frames_.call(owner->frame, "frame => troupe.frameOrigin(frame)", {Argument(*owner)});
        const json::object& place = origin.as_object();
        point.x += number_of(place, "x");
        point.y += number_of(place, "y");
        id = owner->frame;
    }
    co_return point;
}

Task<engine::Point> Page::pointer_target(std::shared_ptr<RemoteElement> element, std::string prepare,
                                         std::string call, Deadline deadline) {
    json::object options;
    if (element->frame != id_) options["scrollFirst"] = true;
    json::object answer =
        co_await attempt({.element = element,
                          .function = "(element, options) => troupe." + prepare + "(element, options)",
                          .options = std::move(options),
                          .call = call},
                         deadline);
    co_return co_await bounded(to_viewport(element->frame, point_of(answer)), deadline, call);
}

// Until a frame of another process has been drawn, the browser routes input to the page around it.
Task<bool> Page::reaches_frame(std::string id, engine::Point point, std::string call, Deadline deadline) {
    Frame* frame = frames_.find(id);
    if (!frame || frame->session == session_) co_return true;
    for (std::size_t n = 0;; ++n) {
        auto seen = co_await as_result(sees_pointer(id, point, call, deadline));
        // Any step may time out.
        if (!seen && seen.error().code == ErrorCode::Timeout) co_return false;
        if (co_await std::move(seen)) co_return true;
        auto wait = kBackoff[std::clamp<std::size_t>(n, 1, 3)];
        if (deadline.remaining() <= wait) co_return false;
        co_await sleep_for(loop_, wait);
    }
}

Task<bool> Page::sees_pointer(std::string id, engine::Point point, std::string call, Deadline deadline) {
    (void)co_await bounded(frames_.call(id, "() => troupe.watchPointer()", {}), deadline, call);
    co_await bounded(mouse_.move(point), deadline, call);
    json::value seen = co_await bounded(frames_.call(id, "() => troupe.sawPointer()", {}), deadline, call);
    co_return seen == json::value(true);
}

Task<> Page::click(std::shared_ptr<engine::Element> target, engine::ClickOptions options, Deadline deadline) {
    auto self = shared_from_this();
    co_await check_button(context_.lock().get(), options.button);
    auto element = remote(target);
    std::string call = options.count == 2 ? "locator.dblclick" : "locator.click";
    std::int64_t milliseconds = given(deadline);
    for (;;) {
        engine::Point point = co_await pointer_target(element, "prepareClick", call, deadline);
        if (!co_await reaches_frame(element->frame, point, call, deadline))
            co_await timed_out(call, milliseconds, kOutOfReach);
        auto clicked = co_await as_result(bounded(mouse_.click(point, options), deadline, call));
        if (!clicked && clicked.error().code == ErrorCode::Timeout)
            co_await timed_out(call, milliseconds, "");
        if (!clicked && crashed_) co_await clicked.error();
        if (!clicked) co_return;  // the click closed its page
        // The click may have replaced the document, so the answer may be lost.
        auto hit = co_await as_result(bounded(frames_.call(element->frame, "() => troupe.releaseHit()", {}),
                                              Deadline::in(1s).earlier(deadline), call));
        if (!hit || !hit->is_object() || flag_of(hit->get_object(), "ok")) co_return;
        if (deadline.has_passed())
            co_await timed_out(call, milliseconds, text_of(hit->get_object(), "reason"));
    }
}

Task<> Page::hover(std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    engine::Point point = co_await pointer_target(element, "prepareHover", "locator.hover", deadline);
    std::int64_t milliseconds = given(deadline);
    if (!co_await reaches_frame(element->frame, point, "locator.hover", deadline))
        co_await timed_out("locator.hover", milliseconds, std::string(kOutOfReach));
    co_await bounded(mouse_.move(point), deadline, "locator.hover");
    (void)co_await as_result(bounded(frames_.call(element->frame, "() => troupe.releaseHit()", {}),
                                     Deadline::in(1s), "locator.hover"));
}

Task<> Page::drag(std::shared_ptr<engine::Element> from, std::shared_ptr<engine::Element> to,
                  Deadline deadline) {
    auto self = shared_from_this();
    engine::Point start = co_await pointer_target(remote(from), "prepareDrop", "locator.dragTo", deadline);
    co_await bounded(mouse_.move(start), deadline, "locator.dragTo");
    co_await bounded(mouse_.down(), deadline, "locator.dragTo");
    engine::Point end = co_await pointer_target(remote(to), "prepareDrop", "locator.dragTo", deadline);
    co_await bounded(mouse_.move(end), deadline, "locator.dragTo");
    co_await bounded(mouse_.up(), deadline, "locator.dragTo");
}

Task<> Page::drop(std::shared_ptr<engine::Element> target, engine::DropData data, Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    json::array files, texts;
    for (const auto& file : data.files) {
        std::string bytes = co_await read_file(file);
        files.push_back(json::object{{"name", file.filename().string()}, {"base64", base64_encode(bytes)}});
    }
    for (const auto& [type, value] : data.data)
        texts.push_back(json::object{{"mimeType", type}, {"value", value}});
    json::object ready =
        co_await attempt({.element = element,
                          .function = "(element, options) => troupe.prepareDrop(element, options)",
                          .call = "locator.drop"},
                         deadline);
    const json::object* point = json::find_object(ready, "point");
    json::value answer = co_await bounded(
        frames_.call(element->frame,
                     "(element, payload, point) => troupe.dispatchDrop(element, payload, point)",
                     {Argument(*element),
                      json::value(json::object{{"files", std::move(files)}, {"data", std::move(texts)}}),
                      json::value(point ? *point : json::object{})}),
        deadline, "locator.drop");
    if (const json::object* error = json::find_object(answer.as_object(), "error")) {
        co_await Error{.code = ErrorCode::ElementNotInteractive,
                       .message = "locator.drop: " + text_of(*error, "message")};
    }
}

Task<> Page::fill(std::shared_ptr<engine::Element> target, std::string text, Deadline deadline) {
    auto self = shared_from_this();
    json::object answer = co_await attempt(
        {.element = remote(target),
         .function = "(element, { value, ...options }) => troupe.fill(element, value, options)",
         .options = {{"value", text}},
         .call = "locator.fill"},
        deadline);
    if (!flag_of(answer, "needsInput")) co_return;
    if (text.empty()) {
        co_await bounded(keyboard_.press("Delete"), deadline, "locator.fill");
    } else {
        co_await bounded(keyboard_.insert(std::move(text)), deadline, "locator.fill");
    }
}

Task<> Page::set_checked(std::shared_ptr<engine::Element> target, bool checked, Deadline deadline) {
    auto self = shared_from_this();
    std::string call = checked ? "locator.check" : "locator.uncheck";
    auto ask = [&](bool clicked) {
        return attempt(
            {.element = remote(target),
             .function = "(element, { wanted, clicked }) => troupe.setChecked(element, wanted, { clicked })",
             .options = {{"wanted", checked}, {"clicked", clicked}},
             .call = call},
            deadline);
    };
    json::object answer = co_await ask(false);
    if (!flag_of(answer, "click")) co_return;
    co_await click(target, {}, deadline);
    (void)co_await ask(true);
}

Task<std::vector<std::string>> Page::select_options(std::shared_ptr<engine::Element> target,
                                                    std::vector<std::string> values, Deadline deadline) {
    auto self = shared_from_this();
    json::object answer = co_await attempt(
        {.element = remote(target),
         .function = "(element, { values, ...options }) => troupe.selectOptions(element, values, options)",
         .options = {{"values", json::array(values.begin(), values.end())}},
         .call = "locator.selectOption"},
        deadline);
    std::vector<std::string> selected;
    if (const json::array* list = json::find_array(answer, "values")) {
        for (const json::value& value : *list) selected.emplace_back(value.as_string());
    }
    co_return selected;
}

Task<> Page::set_files(std::shared_ptr<engine::Element> target, std::vector<std::filesystem::path> files,
                       Deadline deadline) {
    auto self = shared_from_this();
    auto element = remote(target);
    (void)co_await attempt({.element = element,
                            .function = "(element, options) => troupe.fileInputReady(element, options)",
                            .call = "locator.setInputFiles"},
                           deadline);
    auto input = co_await bounded(
        frames_.call_for_element(element->frame, "element => troupe.retarget(element, 'control')",
                                 {Argument(*element)}),
        deadline, "locator.setInputFiles");
    co_await bounded(refusable(put_files(input->session, {{"objectId", input->object}}, std::move(files))),
                     deadline, "locator.setInputFiles");
}

Task<> Page::focus(std::shared_ptr<engine::Element> target, std::string call, Deadline deadline) {
    if (!target) co_return;
    (void)co_await attempt({.element = remote(target),
                            .function = "(element, options) => troupe.focus(element, options)",
                            .options = {{"caretToStart", true}},
                            .call = std::move(call)},
                           deadline);
}

Task<> Page::type(std::shared_ptr<engine::Element> target, std::string text, Deadline deadline) {
    auto self = shared_from_this();
    co_await focus(target, "locator.pressSequentially", deadline);
    co_await bounded(keyboard_.type(std::move(text)), deadline, "locator.pressSequentially");
}

Task<> Page::press(std::shared_ptr<engine::Element> target, std::string key, Deadline deadline) {
    auto self = shared_from_this();
    co_await focus(target, "locator.press", deadline);
    bool done = co_await bounded(press_clipboard_key(key), deadline, "keyboard.press");
    if (!done) co_await bounded(keyboard_.press(std::move(key)), deadline, "keyboard.press");
}

Task<engine::Screenshot> Page::screenshot(engine::ScreenshotOptions options,
                                          std::shared_ptr<engine::Element> target, Deadline deadline) {
    auto self = shared_from_this();
    ScreenshotRequest request{.options = std::move(options),
                              .viewport = emulation_.viewport(),
                              .device_scale_factor = emulation_.device_scale_factor()};
    if (auto element = remote(target)) {
        (void)co_await attempt(
            {.element = element,
             .function = "(element, options) => troupe.prepareDrop(element, { ...options, hit: false })",
             .call = "locator.screenshot"},
            deadline);
        json::value box = co_await bounded(
            frames_.call(element->frame, "element => troupe.boundingBox(element)", {Argument(*element)}),
            deadline, "locator.screenshot");
        if (!box.is_object())
            co_return Error{.code = ErrorCode::ElementNotInteractive,
                            .message = "locator.screenshot: Element is not visible"};
        const json::object& rectangle = box.get_object();
        engine::Point corner =
            co_await to_viewport(element->frame, {number_of(rectangle, "x"), number_of(rectangle, "y")});
        request.element =
            Rectangle{corner.x, corner.y, number_of(rectangle, "width"), number_of(rectangle, "height")};
    }
    reclaim();
    std::shared_ptr<void> drawing = keep_drawing();
    co_return co_await take_screenshot(session_, std::move(request), deadline);
}

Task<> Page::resize(engine::Size size, Deadline deadline) {
    return bounded(emulation_.resize(size), deadline, "Resizing");
}

Task<> Page::emulate_media(engine::MediaOptions options, Deadline deadline) {
    return bounded(emulation_.emulate_media(std::move(options)), deadline, "Emulating media");
}

}  // namespace cdp
