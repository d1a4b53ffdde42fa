// A tool of typical size that does nothing.
#pragma once

#include <optional>
#include <string>

#include "tools/registry.h"

namespace bench {

struct ClickParams {
    std::string target;
    std::optional<std::string> button;
    std::optional<bool> doubleClick;
    std::optional<double> margin;

    static schema::ParamList<ClickParams> params() {
        return {
            {"target", &ClickParams::target, "Element ref from the last snapshot, like e12."},
            {"button",
             &ClickParams::button,
             "Which button. Default left.",
             {.choices = {"left", "right", "middle"}}},
            {"doubleClick", &ClickParams::doubleClick, "Whether to click twice."},
            {"margin", &ClickParams::margin, "Pixels to keep clear around it. Default 0.", {.minimum = 0}},
        };
    }
};

inline Task<tools::ToolResult> click(tools::Call, ClickParams params) {
    co_return tools::ToolResult::text("Clicked " + params.target + ".");
}

inline tools::Tool click_tool(std::string name) {
    return tools::tool<ClickParams>({
        .name = std::move(name),
        .title = "Click",
        .description =
            "Click an element, once or twice, with any button, and report what that changed on the page.",
        .effect = tools::Effect::ChangesPage,
        .params = ClickParams::params(),
        .handler = click,
    });
}

// As many tools as the product lists by default, browser_click among them.
inline tools::Registry typical_registry() {
    tools::Registry registry;
    for (int i = 1; i < 25; ++i) registry.add(click_tool("browser_tool_" + std::to_string(i)));
    registry.add(click_tool("browser_click"));
    return registry;
}

}  // namespace bench
