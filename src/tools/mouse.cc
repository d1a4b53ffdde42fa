#include "tools/browser_tools.h"
#include "tools/mouse_button.h"
#include "tools/source_text.h"

namespace tools {
namespace {

using engine::MouseButton;
using engine::Point;

std::string pair(double a, double b) { return to_javascript(a) + ", " + to_javascript(b); }

struct MoveParams {
    double x = 0;
    double y = 0;
};

Task<> move_mouse(Tab& tab, MoveParams params, Response& response) {
    response.add_code("// Move mouse to (" + pair(params.x, params.y) + ")");
    response.add_code("await page.mouse.move(" + pair(params.x, params.y) + ");");
    co_await tab.run(tab.action("mouse.move"),
                     tab.page().move_mouse({params.x, params.y}, tab.action_deadline()));
}

struct ClickParams {
    double x = 0;
    double y = 0;
    std::optional<MouseButton> button;
    std::optional<double> click_count;
    std::optional<double> delay;
};

Task<> click_mouse(Tab& tab, ClickParams params, Response& response) {
    response.include_snapshot();
    json::object shown;
    if (params.button) shown["button"] = schema::name_of(*params.button);
    if (params.click_count) shown["clickCount"] = *params.click_count;
    if (params.delay) shown["delay"] = *params.delay;
    std::string options = shown.empty() ? "" : ", " + to_javascript(shown);
    response.add_code("// Click mouse at coordinates (" + pair(params.x, params.y) + ")");
    response.add_code("await page.mouse.click(" + pair(params.x, params.y) + options + ");");
    engine::ClickOptions click{
        .button = params.button.value_or(MouseButton::Left),
        .count = static_cast<int>(std::clamp(params.click_count.value_or(1), 0.0, 100.0)),
        .delay =
            std::chrono::milliseconds(static_cast<int>(std::clamp(params.delay.value_or(0), 0.0, 60'000.0))),
    };
    co_await tab.perform(tab.action("mouse.click"),
                         tab.page().click_at({params.x, params.y}, click, tab.action_deadline()));
}

struct DragParams {
    double start_x = 0;
    double start_y = 0;
    double end_x = 0;
    double end_y = 0;
};

Task<> drag(engine::Page& page, Point from, Point to, Deadline deadline) {
    co_await page.move_mouse(from, deadline);
    co_await page.press_mouse(MouseButton::Left, deadline);
    co_await page.move_mouse(to, deadline);
    co_await page.release_mouse(MouseButton::Left, deadline);
}

Task<> drag_mouse(Tab& tab, DragParams params, Response& response) {
    response.include_snapshot();
    std::string from = pair(params.start_x, params.start_y), to = pair(params.end_x, params.end_y);
    response.add_code("// Drag mouse from (" + from + ") to (" + to + ")");
    response.add_code("await page.mouse.move(" + from + ");");
    response.add_code("await page.mouse.down();");
    response.add_code("await page.mouse.move(" + to + ");");
    response.add_code("await page.mouse.up();");
    co_await tab.perform(tab.action("mouse.move"), drag(tab.page(), {params.start_x, params.start_y},
                                                        {params.end_x, params.end_y}, tab.action_deadline()));
}

struct ButtonParams {
    std::optional<MouseButton> button;

    MouseButton which() const { return button.value_or(MouseButton::Left); }
    std::string options() const {
        return button ? to_javascript(json::object{{"button", schema::name_of(*button)}}) : "";
    }
};

Task<> press_mouse(Tab& tab, ButtonParams params, Response& response) {
    response.add_code("// Press mouse down");
    response.add_code("await page.mouse.down(" + params.options() + ");");
    co_await tab.run(tab.action("mouse.down"), tab.page().press_mouse(params.which(), tab.action_deadline()));
}

Task<> release_mouse(Tab& tab, ButtonParams params, Response& response) {
    response.add_code("// Press mouse up");
    response.add_code("await page.mouse.up(" + params.options() + ");");
    co_await tab.run(tab.action("mouse.up"), tab.page().release_mouse(params.which(), tab.action_deadline()));
}

struct WheelParams {
    double delta_x = 0;
    double delta_y = 0;
};

Task<> turn_wheel(Tab& tab, WheelParams params, Response& response) {
    response.add_code("// Scroll mouse wheel");
    response.add_code("await page.mouse.wheel(" + pair(params.delta_x, params.delta_y) + ");");
    co_await tab.run(tab.action("mouse.wheel"),
                     tab.page().turn_wheel(params.delta_x, params.delta_y, tab.action_deadline()));
}

constexpr std::string_view kX = "In CSS pixels from the left of the viewport.";
constexpr std::string_view kY = "In CSS pixels from its top.";
constexpr std::string_view kButton = "Mouse button. Default left.";

}  // namespace

std::vector<Tool> mouse_tools(const SessionResolver& sessions) {
    return {
        tab_tool<MoveParams>(sessions,
                             {
                                 .name = "browser_mouse_move_xy",
                                 .title = "Move mouse",
                                 .description = "Move the mouse to a point.",
                                 .capability = "vision",
                                 .params = {{"x", &MoveParams::x, kX}, {"y", &MoveParams::y, kY}},
                                 .handler = move_mouse,
                             }),
        tab_tool<ClickParams>(
            sessions,
            {
                .name = "browser_mouse_click_xy",
                .title = "Click",
                .description = "Click at a point, whatever is there.",
                .capability = "vision",
                .params =
                    {
                        {"x", &ClickParams::x, kX},
                        {"y", &ClickParams::y, kY},
                        {"button", &ClickParams::button, kButton},
                        {"clickCount", &ClickParams::click_count, "How often. Default 1."},
                        {"delay", &ClickParams::delay, "Milliseconds between press and release. Default 0."},
                    },
                .handler = click_mouse,
            }),
        tab_tool<DragParams>(sessions,
                             {
                                 .name = "browser_mouse_drag_xy",
                                 .title = "Drag mouse",
                                 .description = "Drag from one point to another with the left button.",
                                 .capability = "vision",
                                 .params =
                                     {
                                         {"startX", &DragParams::start_x, kX},
                                         {"startY", &DragParams::start_y, kY},
                                         {"endX", &DragParams::end_x, kX},
                                         {"endY", &DragParams::end_y, kY},
                                     },
                                 .handler = drag_mouse,
                             }),
        tab_tool<ButtonParams>(sessions,
                               {
                                   .name = "browser_mouse_down",
                                   .title = "Press mouse down",
                                   .description = "Press a mouse button and hold it.",
                                   .capability = "vision",
                                   .params = {{"button", &ButtonParams::button, kButton}},
                                   .handler = press_mouse,
                               }),
        tab_tool<ButtonParams>(sessions,
                               {
                                   .name = "browser_mouse_up",
                                   .title = "Press mouse up",
                                   .description = "Release a mouse button.",
                                   .capability = "vision",
                                   .params = {{"button", &ButtonParams::button, kButton}},
                                   .handler = release_mouse,
                               }),
        tab_tool<WheelParams>(
            sessions,
            {
                .name = "browser_mouse_wheel",
                .title = "Scroll mouse wheel",
                .description = "Turn the mouse wheel where the mouse is.",
                .capability = "vision",
                .params =
                    {
                        {"deltaX", &WheelParams::delta_x, "Pixels to the right.", {.default_value = 0}},
                        {"deltaY", &WheelParams::delta_y, "Pixels down.", {.default_value = 0}},
                    },
                .handler = turn_wheel,
            }),
    };
}

}  // namespace tools
