#include "tests/tools/support.h"

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BrowserMouse : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserMouse, MovesWithoutASnapshot) {
    auto outcome = call("browser_mouse_move_xy", R"({"x": 10.5, "y": 20})");

    EXPECT_THAT(outcome.text, HasSubstr("// Move mouse to (10.5, 20)\nawait page.mouse.move(10.5, 20);"));
    EXPECT_THAT(outcome.text, Not(HasSubstr("### Snapshot")));
    EXPECT_THAT(page().done, ElementsAre("move_mouse 11,20"));
}

TEST_F(BrowserMouse, ClicksAtAPointAndShowsThePage) {
    auto outcome = call("browser_mouse_click_xy", R"({"x": 1, "y": 2})");

    EXPECT_THAT(outcome.text,
                HasSubstr("// Click mouse at coordinates (1, 2)\nawait page.mouse.click(1, 2);"));
    EXPECT_THAT(outcome.text, HasSubstr("### Snapshot"));
    EXPECT_THAT(page().done, Contains("click_at 1,2 button=0 count=1 delay=0"));
}

TEST_F(BrowserMouse, ClicksWithOptions) {
    auto outcome =
        call("browser_mouse_click_xy", R"({"x": 1, "y": 2, "button": "right", "clickCount": 2, "delay": 5})");

    EXPECT_THAT(outcome.text,
                HasSubstr("await page.mouse.click(1, 2, {\n  button: 'right',\n  clickCount: 2,\n"
                          "  delay: 5\n});"));
    EXPECT_THAT(page().done, Contains("click_at 1,2 button=1 count=2 delay=5"));
}

TEST_F(BrowserMouse, DragsWithTheLeftButton) {
    auto outcome = call("browser_mouse_drag_xy", R"({"startX": 1, "startY": 2, "endX": 3, "endY": 4})");

    EXPECT_THAT(outcome.text, HasSubstr("// Drag mouse from (1, 2) to (3, 4)\n"
                                        "await page.mouse.move(1, 2);\nawait page.mouse.down();\n"
                                        "await page.mouse.move(3, 4);\nawait page.mouse.up();"));
    EXPECT_THAT(page().done, ElementsAre("move_mouse 1,2", "press_mouse 0", "move_mouse 3,4",
                                         "release_mouse 0", "snapshot -"));
}

TEST_F(BrowserMouse, PressesAndReleasesAButton) {
    EXPECT_THAT(call("browser_mouse_down").text, HasSubstr("// Press mouse down\nawait page.mouse.down();"));
    EXPECT_THAT(call("browser_mouse_up", R"({"button": "middle"})").text,
                HasSubstr("// Press mouse up\nawait page.mouse.up({\n  button: 'middle'\n});"));
    EXPECT_THAT(page().done, ElementsAre("press_mouse 0", "release_mouse 2"));
}

TEST_F(BrowserMouse, TurnsTheWheel) {
    EXPECT_THAT(call("browser_mouse_wheel", R"({"deltaY": 100})").text,
                HasSubstr("// Scroll mouse wheel\nawait page.mouse.wheel(0, 100);"));
    EXPECT_THAT(page().done, ElementsAre("turn_wheel 0,100"));
}

TEST_F(BrowserMouse, NeedsAPoint) {
    auto outcome = call("browser_mouse_click_xy", R"({"x": "left"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("at y"));
    EXPECT_TRUE(page().done.empty());
}

}  // namespace
