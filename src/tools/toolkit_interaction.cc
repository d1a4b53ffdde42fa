#include <algorithm>
#include <ranges>

#include "tools/mouse_button.h"
#include "tools/toolkit.h"
#include "tools/typed_text.h"
#include "util/strings.h"

namespace tools {
namespace {

// The common parameters of these tools.
struct ElementParams {
    std::string selector;
    std::optional<int> timeout;
};

json::object about_element(const std::string& selector) { return {{"selector", selector}}; }

struct ClickParams : ElementParams {
    std::optional<engine::MouseButton> button;
    std::optional<int> click_count;
};

Task<json::value> click(Tab& tab, ClickParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    engine::ClickOptions options{.button = params.button.value_or(engine::MouseButton::Left),
                                 .count = params.click_count.value_or(1)};
    co_await do_action(tab, timeout.operation("locator.click"),
                       tab.page().click(found.element, options, timeout.deadline));
    json::object data = about_element(params.selector);
    data["url"] = tab.page().url();
    co_return data;
}

struct TypeParams : ElementParams {
    std::string text;
    std::optional<int> delay;
};

constexpr std::string_view kTyping = "locator.pressSequentially";

// Waits until the element can be typed into, and puts the caret behind what it holds.
Task<> put_caret(Tab& tab, std::string selector, Timeout timeout) {
    constexpr std::chrono::milliseconds kPoll{50};
    for (;;) {
        json::value answer = co_await read_now(tab, "caretToEnd", selector);
        const json::object* state = answer.if_object();
        if (!state) co_return;
        if (const json::object* never = json::find_object(*state, "error")) {
            co_await Error{.code = ErrorCode::ElementNotInteractive,
                           .message = std::string(json::find_string(*never, "message").value_or(""))};
        }
        auto reason = json::find_string(*state, "reason");
        if (!reason) co_return;
        if (timeout.deadline.remaining() <= kPoll) {
            std::string why(*reason);
            co_await Error{.code = ErrorCode::Timeout,
                           .message = std::string(kTyping) + ": Timeout " +
                                      std::to_string(timeout.limit.count()) + "ms exceeded. Cause: " + why +
                                      ".\nCall log:\n  - " + why};
        }
        co_await sleep_for(tab.session().loop(), kPoll);
    }
}

Task<json::value> type(Tab& tab, TypeParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    std::chrono::milliseconds delay(params.delay.value_or(0));
    TypedText typed = co_await text_to_type(tab, params.text, found);
    auto write = [&]() -> Task<> {
        co_await put_caret(tab, params.selector, timeout);
        // The caller asked for the pauses: only the limit of the whole call applies.
        Deadline deadline = delay.count() > 0 ? tab.deadline() : timeout.deadline;
        co_await type_text(tab, std::move(typed), found.element, delay, deadline);
    };
    co_await do_action(tab, timeout.operation(kTyping), write());
    co_return about_element(params.selector);
}

struct FillParams : ElementParams {
    std::string value;
};

Task<json::value> fill(Tab& tab, FillParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    TypedText typed = co_await text_to_type(tab, params.value, found);
    co_await do_action(tab, timeout.operation("locator.fill"),
                       fill_text(tab, typed, found.element, timeout.deadline));
    co_return about_element(params.selector);
}

struct SelectParams : ElementParams {
    std::vector<std::string> values;
};

// Adds the available options to the error when a wanted one is missing.
Task<> not_selected(Tab& tab, SelectParams params, Error error) {
    constexpr std::size_t kMaxShown = 50;
    if (!error.message.contains("did not find some options")) co_await error;
    auto read = co_await as_result(read_now(tab, "options", params.selector));
    const json::array* options = read ? read->if_array() : nullptr;
    if (!options) co_await error;
    std::vector<std::string> there;
    auto is_there = [&](const std::string& wanted) {
        return std::ranges::any_of(*options, [&](const json::value& option) {
            return option.at("value") == json::value(wanted) || option.at("label") == json::value(wanted);
        });
    };
    for (const json::value& option : *options | std::views::take(kMaxShown))
        there.push_back(json::serialize(option.at("value")) + " (" +
                        std::string(option.at("label").as_string()) + ")");
    if (options->size() > kMaxShown) there.emplace_back("…");
    std::vector<std::string> missing;
    for (const std::string& wanted : params.values) {
        if (!is_there(wanted)) missing.push_back(json::serialize(json::value(wanted)));
    }
    error.code = ErrorCode::ElementNotFound;
    error.message = "The list has no option " + join(missing, ", ") + "\n" + error.message;
    error.hint = there.empty() ? "It has no options at all." : "Its options are: " + join(there, ", ") + ".";
    co_await error;
}

Task<json::value> select(Tab& tab, SelectParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    std::optional<std::vector<std::string>> selected;
    auto done = co_await as_result(do_action(
        tab, timeout.operation("locator.selectOption"),
        capture_into(tab.page().select_options(found.element, params.values, timeout.deadline), selected)));
    if (!done) co_await not_selected(tab, params, done.error());
    json::object data = about_element(params.selector);
    json::array values;
    for (const std::string& value : selected.value_or(std::vector<std::string>{})) values.emplace_back(value);
    data["values"] = std::move(values);
    co_return data;
}

Task<json::value> set_checked(Tab& tab, ElementParams params, bool checked) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    co_await do_action(tab, timeout.operation(checked ? "locator.check" : "locator.uncheck"),
                       tab.page().set_checked(found.element, checked, timeout.deadline));
    json::object data = about_element(params.selector);
    data["checked"] = checked;
    co_return data;
}

Task<json::value> check(Tab& tab, ElementParams params, Response&) { return set_checked(tab, params, true); }
Task<json::value> uncheck(Tab& tab, ElementParams params, Response&) {
    return set_checked(tab, params, false);
}

Task<json::value> hover(Tab& tab, ElementParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    co_await do_action(tab, timeout.operation("locator.hover"),
                       tab.page().hover(found.element, timeout.deadline));
    co_return about_element(params.selector);
}

struct ScrollParams {
    std::optional<double> x;
    std::optional<double> y;
    std::optional<std::string> selector;
    std::optional<int> timeout;
};

Task<json::value> scroll(Tab& tab, ScrollParams params, Response&) {
    std::string selector = params.selector.value_or("");
    json::object options{{"scoped", !selector.empty()}};
    if (params.x) options["x"] = *params.x;
    if (params.y) options["y"] = *params.y;
    co_return co_await read_element(tab, "scroll", selector, options, Timeout(tab, params.timeout));
}

struct DragParams {
    std::string source;
    std::string target;
    std::optional<int> timeout;
};

Task<json::value> drag_and_drop(Tab& tab, DragParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located from = co_await wait_for_element(tab, params.source, timeout);
    engine::Located to = co_await wait_for_element(tab, params.target, timeout);
    co_await do_action(tab, timeout.operation("locator.dragTo"),
                       tab.page().drag(from.element, to.element, timeout.deadline));
    co_return json::object{{"source", params.source}, {"target", params.target}};
}

struct UploadParams : ElementParams {
    std::vector<std::string> files;
};

Result<std::vector<std::filesystem::path>> files_of(const Session& session,
                                                    const std::vector<std::string>& names) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) {
        paths.push_back(TRY(session.workspace().resolve_tree(name)));
        auto found = session.workspace().find(paths.back());
        if (!found || !found->is_file) {
            return Error{.code = ErrorCode::NotFound,
                         .message = "There is no file " + name + ".",
                         .hint = "Give the path of a file in the workspace."};
        }
    }
    return paths;
}

Task<json::value> upload_file(Tab& tab, UploadParams params, Response&) {
    auto paths = co_await files_of(tab.session(), params.files);
    Timeout timeout(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, timeout);
    co_await do_action(tab, timeout.operation("locator.setInputFiles"),
                       tab.page().set_files(found.element, paths, timeout.deadline));
    json::array names;
    for (const auto& path : paths) names.emplace_back(path.filename().string());
    json::object data = about_element(params.selector);
    data["files"] = std::move(names);
    co_return data;
}

struct PressParams {
    std::string key;
    std::optional<std::vector<std::string>> modifiers;
    std::optional<std::string> selector;
    std::optional<int> timeout;
};

Task<json::value> press(Tab& tab, PressParams params, Response&) {
    Timeout timeout(tab, params.timeout);
    engine::Located found;
    if (params.selector) found = co_await wait_for_element(tab, *params.selector, timeout);
    std::vector<std::string> keys = params.modifiers.value_or(std::vector<std::string>{});
    keys.push_back(params.key);
    std::string chord = join(keys, "+");
    co_await note_key(tab, chord, found.takes_password);
    co_await do_action(tab, timeout.operation("keyboard.press"),
                       tab.page().press(found.element, chord, timeout.deadline));
    co_return json::object{{"key", chord}};
}

json::object element_schema() { return object_schema({{"selector", "string"}}); }

template <class Params>
Tool element_tool(const SessionResolver& sessions, ToolkitLiteral<Params> literal) {
    if (literal.data.empty()) literal.data = element_schema();
    return toolkit_tool<Params>(sessions, std::move(literal));
}

}  // namespace

std::vector<Tool> toolkit_interaction_tools(const SessionResolver& sessions) {
    schema::ParamOptions at_least_one{.minimum = 1};
    schema::ParamList<ElementParams> only_element = {
        {"selector", &ElementParams::selector, kSelectorHelp},
        {"timeout", &ElementParams::timeout, kTimeoutHelp, at_least_one},
    };
    return {
        element_tool<ClickParams>(
            sessions,
            {
                .name = "click",
                .title = "Click",
                .description = "Click an element once it is there, visible, still and enabled.",
                .params =
                    {
                        {"selector", &ClickParams::selector, kSelectorHelp},
                        {"button", &ClickParams::button, "Mouse button. Default left."},
                        {"clickCount",
                         &ClickParams::click_count,
                         "2 for a double click. Default 1.",
                         {.minimum = 1, .maximum = 3}},
                        {"timeout", &ClickParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = object_schema({{"selector", "string"}, {"url", "string"}}),
                .handler = click,
            }),
        element_tool<TypeParams>(
            sessions,
            {
                .name = "type",
                .title = "Type",
                .description = "Type text key by key, behind what the element holds.",
                .params =
                    {
                        {"selector", &TypeParams::selector, kSelectorHelp},
                        {"text", &TypeParams::text, "What to type, or the name of a secret."},
                        {"delay",
                         &TypeParams::delay,
                         "Milliseconds between keys. Default 0.",
                         {.minimum = 0, .maximum = 10'000}},
                        {"timeout", &TypeParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .handler = type,
            }),
        element_tool<FillParams>(
            sessions,
            {
                .name = "fill",
                .title = "Fill",
                .description = "Put text into a field, in place of what it holds.",
                .params =
                    {
                        {"selector", &FillParams::selector, kSelectorHelp},
                        {"value", &FillParams::value, "The new text, or the name of a secret."},
                        {"timeout", &FillParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .handler = fill,
            }),
        element_tool<SelectParams>(
            sessions,
            {
                .name = "select",
                .title = "Select options",
                .description = "Choose options of a dropdown.",
                .params =
                    {
                        {"selector", &SelectParams::selector, kSelectorHelp},
                        {"values",
                         &SelectParams::values,
                         "Values or labels to select; all others are deselected.",
                         {.item_aliases = {"value"}}},
                        {"timeout", &SelectParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = object_schema({{"selector", "string"}, {"values", "array"}}),
                .handler = select,
            }),
        element_tool<ElementParams>(
            sessions,
            {
                .name = "check",
                .title = "Check",
                .description = "Check a checkbox or radio button.",
                .params = only_element,
                .data = object_schema({{"selector", "string"}, {"checked", "boolean"}}),
                .handler = check,
            }),
        element_tool<ElementParams>(
            sessions,
            {
                .name = "uncheck",
                .title = "Uncheck",
                .description = "Uncheck a checkbox.",
                .params = only_element,
                .data = object_schema({{"selector", "string"}, {"checked", "boolean"}}),
                .handler = uncheck,
            }),
        element_tool<ElementParams>(sessions,
                                    {
                                        .name = "hover",
                                        .title = "Hover",
                                        .description = "Move the mouse over an element.",
                                        .params = only_element,
                                        .handler = hover,
                                    }),
        toolkit_tool<ScrollParams>(
            sessions,
            {
                .name = "scroll",
                .title = "Scroll",
                .description =
                    "Scroll the page, or an element, to a position; answers where it came to rest.",
                .params =
                    {
                        {"x", &ScrollParams::x, "Pixels from the left. Left out, stays."},
                        {"y", &ScrollParams::y, "Pixels from the top. Left out, stays."},
                        {"selector", &ScrollParams::selector, "Element that scrolls. Default: the page."},
                        {"timeout", &ScrollParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data =
                    object_schema({{"x", "number"}, {"y", "number"}, {"maxX", "number"}, {"maxY", "number"}}),
                .handler = scroll,
            }),
        toolkit_tool<DragParams>(sessions,
                                 {
                                     .name = "drag_and_drop",
                                     .title = "Drag and drop",
                                     .description = "Drag one element onto another.",
                                     .params =
                                         {
                                             {"source", &DragParams::source, kSelectorHelp},
                                             {"target", &DragParams::target, "Selector of where it goes."},
                                             {"timeout", &DragParams::timeout, kTimeoutHelp, at_least_one},
                                         },
                                     .data = object_schema({{"source", "string"}, {"target", "string"}}),
                                     .handler = drag_and_drop,
                                 }),
        element_tool<UploadParams>(
            sessions,
            {
                .name = "upload_file",
                .title = "Upload files",
                .description = "Put files into a file input; hidden ones work, too.",
                .params =
                    {
                        {"selector", &UploadParams::selector, kSelectorHelp},
                        {"files", &UploadParams::files, "Files in the workspace. None empties the input."},
                        {"timeout", &UploadParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = object_schema({{"selector", "string"}, {"files", "array"}}),
                .handler = upload_file,
            }),
        toolkit_tool<PressParams>(
            sessions,
            {
                .name = "press",
                .title = "Press a key",
                .description = "Press a key, on an element or wherever the focus is.",
                .params =
                    {
                        {"key", &PressParams::key, "A key or character, like Enter, ArrowLeft or a."},
                        {"modifiers",
                         &PressParams::modifiers,
                         "Keys to hold down.",
                         {.choices = {"Alt", "Control", "ControlOrMeta", "Meta", "Shift"}}},
                        {"selector", &PressParams::selector, "Element to focus first."},
                        {"timeout", &PressParams::timeout, kTimeoutHelp, at_least_one},
                    },
                .data = object_schema({{"key", "string"}}),
                .handler = press,
            }),
    };
}

}  // namespace tools
