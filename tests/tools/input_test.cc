#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserClick : public fakes::ToolTest {};

TEST_F(BrowserClick, ClicksAndShowsWhatBecameOfThePage) {
    show_page();

    auto outcome = call("browser_click", R"({"element": "Submit button", "target": "e2"})");

    EXPECT_EQ(
        outcome.text,
        "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).click();\n```\n" +
            std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("click e2 button=0 count=1 modifiers=0", "snapshot -"));
}

TEST_F(BrowserClick, ClicksTwiceOrWithAnotherButtonAndKeys) {
    show_page();

    EXPECT_THAT(call("browser_click", R"({"target": "e2", "doubleClick": true})").text,
                HasSubstr(".dblclick();"));
    EXPECT_THAT(
        call("browser_click", R"({"target": "e2", "button": "right", "modifiers": ["Shift", "Control"]})")
            .text,
        HasSubstr(".click({\n  button: 'right',\n  modifiers: ['ControlOrMeta', 'Shift']\n});"));
    EXPECT_EQ(page().done[0], "click e2 button=0 count=2 modifiers=0");
    EXPECT_EQ(page().done[2], "click e2 button=1 count=1 modifiers=2");
}

TEST_F(BrowserClick, SaysHowToRecoverFromARefThePageNoLongerHas) {
    auto outcome = call("browser_click", R"({"target": "e9"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nError: Ref e9 not found in the current page snapshot. Try capturing new snapshot.");
}

TEST_F(BrowserClick, SaysWhyItCouldNotClick) {
    show_page();
    page().fail("click", {.code = ErrorCode::Timeout, .message = "<div> intercepts pointer events"});

    EXPECT_EQ(call("browser_click", R"({"target": "e2"})").text,
              "### Error\nTimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - <div> "
              "intercepts pointer events");
}

TEST_F(BrowserClick, PassesOnWhatIsWrongWithASelector) {
    page().fail("find", {.code = ErrorCode::InvalidSelector,
                         .message = "strict mode violation: locator('b') resolved to 2 elements"});

    EXPECT_EQ(call("browser_click", R"({"target": "b"})").text,
              "### Error\nError: strict mode violation: locator('b') resolved to 2 elements");
}

TEST_F(BrowserClick, RefusesAButtonThatNoMouseHas) {
    EXPECT_THAT(call("browser_click", R"({"target": "e2", "button": "fourth"})").text,
                HasSubstr("✖ Invalid option: expected one of \"left\"|\"right\"|\"middle\"\n  → at button"));
}

TEST_F(BrowserClick, ShowsAFileChooserThatItOpened) {
    show_page();
    page().during("settle", [this] { page().open_file_chooser(); });

    EXPECT_THAT(call("browser_click", R"({"target": "e2"})").text,
                HasSubstr("### Modal state\n- [File chooser]: can be handled by browser_file_upload\n"));
}

class BrowserHover : public fakes::ToolTest {};

TEST_F(BrowserHover, SaysWhyItCouldNotHover) {
    show_page();
    page().fail("hover", {.code = ErrorCode::Timeout, .message = "element is not stable"});

    EXPECT_EQ(call("browser_hover", R"({"target": "e2"})").text,
              "### Error\nTimeoutError: locator.hover: Timeout 5000ms exceeded.\nCall log:\n  - element is "
              "not stable");
}

class BrowserDrag : public fakes::ToolTest {};

TEST_F(BrowserDrag, DragsOneElementOntoAnother) {
    show_page();
    page().add_element("#a", "locator('#a')");

    auto outcome = call("browser_drag", R"({"startTarget": "e2", "endTarget": "#a"})");

    EXPECT_EQ(outcome.text,
              "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' "
              "}).dragTo(page.locator('#a'));\n```\n" +
                  std::string(fakes::kPageAndSnapshot));
    EXPECT_EQ(page().done.front(), "drag e2 to #a");
}

TEST_F(BrowserDrag, TakesTheFormerNames) {
    show_page();
    call("browser_drag", R"({"startRef": "e2", "endRef": "e2"})");

    EXPECT_EQ(page().done.front(), "drag e2 to e2");
}

TEST_F(BrowserDrag, SaysWhichEndIsMissing) {
    show_page();

    EXPECT_EQ(call("browser_drag", R"({"startTarget": "e2", "endTarget": "#no"})").text,
              "### Error\nError: \"#no\" does not match any elements.");
}

}  // namespace
