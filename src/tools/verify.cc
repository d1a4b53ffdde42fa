#include <array>

#include "tools/assertions.h"
#include "tools/browser_tools.h"
#include "tools/source_text.h"
#include "util/strings.h"

namespace tools {
namespace {

void confirm(const Tab& tab, const Assertion& assertion, Response& response) {
    response.add_code(to_code(assertion, tab.session().options().codegen));
    response.add_text("Done");
}

// Confirms that the locator's element is visible in some frame; otherwise answers with `otherwise`.
Task<> verify_visible(Tab& tab, std::string locator, std::string otherwise, Response& response) {
    std::optional<std::optional<engine::Located>> found;
    co_await tab.run(tab.action("locator.count"),
                     capture_into(tab.page().find_in_frames(std::move(locator), tab.session().language(),
                                                            tab.action_deadline()),
                                  found));
    if (found && *found) {
        confirm(tab, {Assertion::Kind::Visible, (*found)->code}, response);
    } else if (found) {
        response.add_error(std::move(otherwise));
    }
}

struct ElementParams {
    std::string role;
    std::string accessible_name;
};

Task<> verify_element(Tab& tab, ElementParams params, Response& response) {
    return verify_visible(
        tab, "getByRole(" + quote(params.role) + ", { name: " + quote(params.accessible_name) + " })",
        "Element with role \"" + params.role + "\" and accessible name \"" + params.accessible_name +
            "\" not found",
        response);
}

struct TextParams {
    std::string text;
};

Task<> verify_text(Tab& tab, TextParams params, Response& response) {
    return verify_visible(tab, "getByText(" + quote(params.text) + ").filter({ visible: true })",
                          "Text not found", response);
}

struct ListParams {
    std::string element;
    std::string target;
    std::vector<std::string> items;
};

Task<> verify_list(Tab& tab, ListParams params, Response& response) {
    engine::Located found = co_await tab.find(params.target, engine::Matches::First);
    std::vector<std::string> lines;
    for (const std::string& item : params.items) {
        std::optional<std::optional<std::string>> text;
        co_await tab.run(
            tab.check("locator.textContent"),
            capture_into(tab.page().text_inside(found.element, item, tab.expect_deadline()), text));
        if (!text) co_return;
        if (!*text) {
            response.add_error("Item \"" + item + "\" not found");
            co_return;
        }
        lines.push_back("  - listitem: " + quote(**text, '"'));
    }
    engine::Language language = tab.session().language();
    std::string body = language == engine::Language::JavaScript ? "locator('body')"
                       : language == engine::Language::CSharp   ? "Locator(\"body\")"
                                                                : "locator(\"body\")";
    confirm(tab, {Assertion::Kind::Snapshot, body, "- list:\n" + join(lines, "\n")}, response);
}

enum class FieldType { Textbox, Checkbox, Radio, Combobox, Slider };
constexpr auto enum_names(FieldType) {
    return std::to_array<schema::EnumName<FieldType>>({{FieldType::Textbox, "textbox"},
                                                       {FieldType::Checkbox, "checkbox"},
                                                       {FieldType::Radio, "radio"},
                                                       {FieldType::Combobox, "combobox"},
                                                       {FieldType::Slider, "slider"}});
}

struct ValueParams {
    FieldType type = FieldType::Textbox;
    std::string element;
    std::string target;
    std::string value;
};

std::string unexpected(const std::string& expected, const std::string& actual) {
    return "Expected value \"" + expected + "\", but got \"" + actual + "\"";
}

Task<> verify_checked(Tab& tab, const ValueParams& params, const engine::Located& found, Response& response) {
    std::optional<bool> checked;
    co_await tab.run(tab.check("locator.isChecked"),
                     capture_into(tab.page().is_checked(found.element, tab.expect_deadline()), checked));
    if (!checked) co_return;
    if (*checked != (params.value == "true")) {
        response.add_error(unexpected(params.value, *checked ? "true" : "false"));
    } else {
        confirm(tab, {*checked ? Assertion::Kind::Checked : Assertion::Kind::Unchecked, found.code},
                response);
    }
}

Task<> verify_value(Tab& tab, ValueParams params, Response& response) {
    engine::Located found = co_await tab.find(params.target);
    if (found.takes_password) tab.session().note_password(params.value);
    if (params.type == FieldType::Checkbox || params.type == FieldType::Radio) {
        co_await verify_checked(tab, params, found, response);
        co_return;
    }
    std::optional<std::string> value;
    co_await tab.run(tab.check("locator.inputValue"),
                     capture_into(tab.page().input_value(found.element, tab.expect_deadline()), value));
    if (!value) co_return;
    if (*value != params.value) {
        response.add_error(unexpected(params.value, *value));
    } else {
        confirm(tab, {Assertion::Kind::Value, found.code, params.value}, response);
    }
}

struct LocatorParams {
    std::optional<std::string> element;
    std::string target;
};

Task<> generate_locator(Tab& tab, LocatorParams params, Response& response) {
    response.add_text((co_await tab.find(params.target, engine::Matches::First)).javascript);
}

}  // namespace

std::vector<Tool> verify_tools(const SessionResolver& sessions) {
    return {
        tab_tool<LocatorParams>(
            sessions,
            {
                .name = "browser_generate_locator",
                .title = "Create locator for element",
                .description = "Show the Playwright locator that finds an element again, for use in a test.",
                .effect = Effect::ReadsPage,
                .capability = "testing",
                .params =
                    {
                        {"element", &LocatorParams::element, kElementHelp},
                        {"target", &LocatorParams::target, kTargetHelp, {.aliases = {"ref"}}},
                    },
                .handler = generate_locator,
            }),
        tab_tool<ElementParams>(sessions,
                                {
                                    .name = "browser_verify_element_visible",
                                    .title = "Verify element visible",
                                    .description = "Check that an element is visible on the page.",
                                    .effect = Effect::ReadsPage,
                                    .capability = "testing",
                                    .params =
                                        {
                                            {"role", &ElementParams::role,
                                             "Its role, the first word of its line in the snapshot."},
                                            {"accessibleName", &ElementParams::accessible_name,
                                             "Its accessible name, between quotes in the snapshot."},
                                        },
                                    .handler = verify_element,
                                }),
        tab_tool<TextParams>(
            sessions,
            {
                .name = "browser_verify_text_visible",
                .title = "Verify text visible",
                .description =
                    "Check that a text is visible on the page. browser_verify_element_visible is the "
                    "better one where it fits.",
                .effect = Effect::ReadsPage,
                .capability = "testing",
                .params = {{"text", &TextParams::text, "The text, as the snapshot shows it."}},
                .handler = verify_text,
            }),
        tab_tool<ListParams>(sessions,
                             {
                                 .name = "browser_verify_list_visible",
                                 .title = "Verify list visible",
                                 .description = "Check that a list has some items.",
                                 .effect = Effect::ReadsPage,
                                 .capability = "testing",
                                 .params =
                                     {
                                         {"element", &ListParams::element, "What list it is, in words."},
                                         {"target", &ListParams::target, kTargetHelp, {.aliases = {"ref"}}},
                                         {"items", &ListParams::items, "Texts of the items to look for."},
                                     },
                                 .handler = verify_list,
                             }),
        tab_tool<ValueParams>(
            sessions,
            {
                .name = "browser_verify_value",
                .title = "Verify value",
                .description = "Check what a field of a form holds.",
                .effect = Effect::ReadsPage,
                .capability = "testing",
                .params =
                    {
                        {"type", &ValueParams::type, "What kind of field it is."},
                        {"element", &ValueParams::element, "Which field it is, in words."},
                        {"target", &ValueParams::target, kTargetHelp, {.aliases = {"ref"}}},
                        {"value", &ValueParams::value,
                         "What it should hold; true or false for a checkbox or radio button."},
                    },
                .handler = verify_value,
            }),
    };
}

}  // namespace tools
