#include "tools/mouse_button.h"
#include "tools/toolkit.h"
#include "tools/typed_text.h"
#include "util/strings.h"

namespace tools {
namespace {

// What most of these tools take.
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
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    engine::ClickOptions options{.button = params.button.value_or(engine::MouseButton::Left),
                                 .count = params.click_count.value_or(1)};
    co_await do_action(tab, patience.operation("locator.click"),
                       tab.page().click(found.element, options, patience.deadline));
    json::object data = about_element(params.selector);
    data["url"] = tab.page().url();
    co_return data;
}

struct TypeParams : ElementParams {
    std::string text;
    std::optional<int> delay;
};

Task<json::value> type(Tab& tab, TypeParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    std::chrono::milliseconds delay(params.delay.value_or(0));
    TypedText typed = co_await text_to_type(tab, params.text, found);
    // The pauses are asked for: only the whole call limits them.
    Deadline deadline = delay.count() > 0 ? tab.deadline() : patience.deadline;
    co_await do_action(tab, patience.operation("locator.pressSequentially"),
                       type_text(tab, std::move(typed), found.element, delay, deadline));
    co_return about_element(params.selector);
}

struct FillParams : ElementParams {
    std::string value;
};

Task<json::value> fill(Tab& tab, FillParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    TypedText typed = co_await text_to_type(tab, params.value, found);
    co_await do_action(tab, patience.operation("locator.fill"),
                       fill_text(tab, typed, found.element, patience.deadline));
    co_return about_element(params.selector);
}

struct SelectParams : ElementParams {
    std::vector<std::string> values;
};

Task<json::value> select(Tab& tab, SelectParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    std::optional<std::vector<std::string>> selected;
    co_await do_action(
        tab, patience.operation("locator.selectOption"),
        store(tab.page().select_options(found.element, params.values, patience.deadline), selected));
    json::object data = about_element(params.selector);
    json::array values;
    for (const std::string& value : selected.value_or(std::vector<std::string>{})) values.emplace_back(value);
    data["values"] = std::move(values);
    co_return data;
}

Task<json::value> set_checked(Tab& tab, ElementParams params, bool checked) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    co_await do_action(tab, patience.operation(checked ? "locator.check" : "locator.uncheck"),
                       tab.page().set_checked(found.element, checked, patience.deadline));
    json::object data = about_element(params.selector);
    data["checked"] = checked;
    co_return data;
}

Task<json::value> check(Tab& tab, ElementParams params, Response&) { return set_checked(tab, params, true); }
Task<json::value> uncheck(Tab& tab, ElementParams params, Response&) {
    return set_checked(tab, params, false);
}

Task<json::value> hover(Tab& tab, ElementParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    co_await do_action(tab, patience.operation("locator.hover"),
                       tab.page().hover(found.element, patience.deadline));
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
    co_return co_await read_element(tab, "scroll", selector, options, Patience(tab, params.timeout));
}

struct DragParams {
    std::string source;
    std::string target;
    std::optional<int> timeout;
};

Task<json::value> drag_and_drop(Tab& tab, DragParams params, Response&) {
    Patience patience(tab, params.timeout);
    engine::Located from = co_await wait_for_element(tab, params.source, patience);
    engine::Located to = co_await wait_for_element(tab, params.target, patience);
    co_await do_action(tab, patience.operation("locator.dragTo"),
                       tab.page().drag(from.element, to.element, patience.deadline));
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
    Patience patience(tab, params.timeout);
    engine::Located found = co_await wait_for_element(tab, params.selector, patience);
    co_await do_action(tab, patience.operation("locator.setInputFiles"),
                       tab.page().set_files(found.element, paths, patience.deadline));
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
    Patience patience(tab, params.timeout);
    engine::Located found;
    if (params.selector) found = co_await wait_for_element(tab, *params.selector, patience);
    std::vector<std::string> keys = params.modifiers.value_or(std::vector<std::string>{});
    keys.push_back(params.key);
    std::string chord = join(keys, "+");
    co_await note_key(tab, chord, found.takes_password);
    co_await do_action(tab, patience.operation("keyboard.press"),
                       tab.page().press(found.element, chord, patience.deadline));
    co_return json::object{{"key", chord}};
}

json::object element_schema() { return object_schema({{"selector", "string"}}); }

template <class Params>
Tool element_tool(const Sessions& sessions, ToolkitLiteral<Params> literal) {
    if (literal.data.empty()) literal.data = element_schema();
    return toolkit_tool<Params>(sessions, std::move(literal));
}

}  // namespace

std::vector<Tool> toolkit_interaction_tools(const Sessions& sessions) {
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
                        {"values", &SelectParams::values,
                         "Values or labels to select; all others are deselected."},
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
