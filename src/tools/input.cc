#include <array>

#include "tools/browser_tools.h"
#include "tools/mouse_button.h"

namespace engine {

constexpr auto enum_names(Modifier) {
    return std::to_array<schema::EnumName<Modifier>>({{Modifier::Alt, "Alt"},
                                                      {Modifier::Control, "Control"},
                                                      {Modifier::ControlOrMeta, "ControlOrMeta"},
                                                      {Modifier::Meta, "Meta"},
                                                      {Modifier::Shift, "Shift"}});
}

}  // namespace engine

namespace tools {
namespace {

struct ClickParams {
    std::optional<std::string> element;
    std::string target;
    std::optional<bool> double_click;
    std::optional<engine::MouseButton> button;
    std::optional<std::vector<engine::Modifier>> modifiers;
};

Task<> click(Tab& tab, ClickParams params, Response& response) {
    response.include_snapshot();
    engine::Located found = co_await tab.find(params.target);
    engine::ClickOptions options{
        .button = params.button.value_or(engine::MouseButton::Left),
        .count = params.double_click.value_or(false) ? 2 : 1,
        .modifiers = params.modifiers.value_or(std::vector<engine::Modifier>{}),
    };
    response.add_action({.kind = Action::Kind::Click, .locator = found.code, .click = options});
    co_await tab.perform(tab.action(options.count == 2 ? "locator.dblclick" : "locator.click"),
                         tab.page().click(found.element, options, tab.action_deadline()));
}

struct HoverParams {
    std::optional<std::string> element;
    std::string target;
};

Task<> hover(Tab& tab, HoverParams params, Response& response) {
    response.include_snapshot();
    engine::Located found = co_await tab.find(params.target);
    response.add_action({.kind = Action::Kind::Hover, .locator = found.code});
    co_await tab.run(tab.action("locator.hover"), tab.page().hover(found.element, tab.action_deadline()));
}

struct DragParams {
    std::optional<std::string> start_element;
    std::string start_target;
    std::optional<std::string> end_element;
    std::string end_target;
};

Task<> drag(Tab& tab, DragParams params, Response& response) {
    response.include_snapshot();
    engine::Located from = co_await tab.find(params.start_target);
    engine::Located to = co_await tab.find(params.end_target);
    co_await tab.perform(tab.action("locator.dragTo"),
                         tab.page().drag(from.element, to.element, tab.action_deadline()));
    response.add_code("await page." + from.javascript + ".dragTo(page." + to.javascript + ");");
}

}  // namespace

std::vector<Tool> input_tools(const SessionResolver& sessions) {
    return {
        tab_tool<ClickParams>(sessions,
                              {
                                  .name = "browser_click",
                                  .title = "Click",
                                  .description = "Click an element.",
                                  .params =
                                      {
                                          {"element", &ClickParams::element, kElementHelp},
                                          {"target", &ClickParams::target, kTargetHelp, {.aliases = {"ref"}}},
                                          {"doubleClick", &ClickParams::double_click, "Click twice."},
                                          {"button", &ClickParams::button, "Mouse button. Default left."},
                                          {"modifiers", &ClickParams::modifiers, "Keys to hold down."},
                                      },
                                  .handler = click,
                              }),
        tab_tool<DragParams>(
            sessions,
            {
                .name = "browser_drag",
                .title = "Drag mouse",
                .description = "Drag one element onto another.",
                .params =
                    {
                        {"startElement", &DragParams::start_element,
                         "What is dragged, in words, for whoever is asked to allow this."},
                        {"startTarget", &DragParams::start_target, kTargetHelp, {.aliases = {"startRef"}}},
                        {"endElement", &DragParams::end_element, "Where it goes, in words."},
                        {"endTarget", &DragParams::end_target, kTargetHelp, {.aliases = {"endRef"}}},
                    },
                .handler = drag,
            }),
        tab_tool<HoverParams>(sessions,
                              {
                                  .name = "browser_hover",
                                  .title = "Hover mouse",
                                  .description = "Move the mouse over an element.",
                                  .params =
                                      {
                                          {"element", &HoverParams::element, kElementHelp},
                                          {"target", &HoverParams::target, kTargetHelp, {.aliases = {"ref"}}},
                                      },
                                  .handler = hover,
                              }),
    };
}

}  // namespace tools
