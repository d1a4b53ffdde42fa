#include <array>

#include "tools/browser_tools.h"
#include "tools/typed_text.h"

namespace tools {
namespace {

enum class FieldType { Textbox, Checkbox, Radio, Combobox, Slider };
constexpr auto enum_names(FieldType) {
    return std::to_array<schema::EnumName<FieldType>>({{FieldType::Textbox, "textbox"},
                                                       {FieldType::Checkbox, "checkbox"},
                                                       {FieldType::Radio, "radio"},
                                                       {FieldType::Combobox, "combobox"},
                                                       {FieldType::Slider, "slider"}});
}

struct FormField {
    std::optional<std::string> element;
    std::string target;
    std::string name;
    FieldType type = FieldType::Textbox;
    std::string value;

    static schema::ParamList<FormField> params() {
        return {
            {"element", &FormField::element, kElementHelp},
            {"target", &FormField::target, kTargetHelp, {.aliases = {"ref"}}},
            {"name", &FormField::name, "What the field is called."},
            {"type", &FormField::type, "Kind of field."},
            {"value", &FormField::value,
             "Text to fill in; true or false for a checkbox or radio; the option's text for a combobox."},
        };
    }
};

struct FillFormParams {
    std::vector<FormField> fields;
};

// False when a dialog interrupted it.
Task<bool> fill_field(Tab& tab, const FormField& field, const engine::Located& found, Response& response) {
    TypedText typed = co_await text_to_type(tab, field.value, found);
    bool went = co_await tab.run(tab.action("locator.fill"),
                                 fill_text(tab, typed, found.element, tab.action_deadline()));
    std::string shown = typed.is_secret ? secret_mark(field.value) : field.value;
    response.add_action({.kind = Action::Kind::Fill, .locator = found.code, .text = shown});
    co_return went;
}

Task<bool> check(Tab& tab, const FormField& field, const engine::Located& found, Response& response) {
    bool checked = field.value == "true";
    bool went = co_await tab.run(tab.action("locator.setChecked"),
                                 tab.page().set_checked(found.element, checked, tab.action_deadline()));
    response.add_action(
        {.kind = checked ? Action::Kind::Check : Action::Kind::Uncheck, .locator = found.code});
    co_return went;
}

Task<bool> select(Tab& tab, const engine::Located& found, const std::vector<std::string>& values) {
    std::optional<std::vector<std::string>> selected;
    co_return co_await tab.run(
        tab.action("locator.selectOption"),
        capture_into(tab.page().select_options(found.element, values, tab.action_deadline()), selected));
}

Task<> fill_form(Tab& tab, FillFormParams params, Response& response) {
    for (std::size_t number = 0; const FormField& field : params.fields) {
        tab.note_step("field " + std::to_string(++number) + " of " + std::to_string(params.fields.size()));
        engine::Located found = co_await tab.find(field.target);
        bool went = true;
        switch (field.type) {
            case FieldType::Textbox:
            case FieldType::Slider:
                went = co_await fill_field(tab, field, found, response);
                break;
            case FieldType::Checkbox:
            case FieldType::Radio:
                went = co_await check(tab, field, found, response);
                break;
            case FieldType::Combobox:
                went = co_await select(tab, found, {field.value});
                response.add_action(
                    {.kind = Action::Kind::Select, .locator = found.code, .options = {field.value}});
                break;
        }
        if (!went) co_return;
    }
}

struct SelectOptionParams {
    std::optional<std::string> element;
    std::string target;
    std::vector<std::string> values;
};

Task<> select_option(Tab& tab, SelectOptionParams params, Response& response) {
    response.include_snapshot();
    engine::Located found = co_await tab.find(params.target);
    response.add_action({.kind = Action::Kind::Select, .locator = found.code, .options = params.values});
    co_await select(tab, found, params.values);
}

}  // namespace

std::vector<Tool> form_tools(const SessionResolver& sessions) {
    return {
        tab_tool<FillFormParams>(
            sessions,
            {
                .name = "browser_fill_form",
                .title = "Fill form",
                .description = "Fill several fields of a form at once.",
                .params = {{"fields", &FillFormParams::fields, "The fields, in the order to fill them."}},
                .handler = fill_form,
            }),
        tab_tool<SelectOptionParams>(
            sessions,
            {
                .name = "browser_select_option",
                .title = "Select option",
                .description = "Choose options of a dropdown.",
                .params =
                    {
                        {"element", &SelectOptionParams::element, kElementHelp},
                        {"target", &SelectOptionParams::target, kTargetHelp, {.aliases = {"ref"}}},
                        {"values", &SelectOptionParams::values,
                         "Values or labels to select; all others are deselected."},
                    },
                .handler = select_option,
            }),
    };
}

}  // namespace tools
