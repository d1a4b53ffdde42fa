#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserPressKey : public fakes::ToolTest {};

TEST_F(BrowserPressKey, PressesWithoutLookingAtThePage) {
    EXPECT_THAT(
        call("browser_press_key", R"({"key": "'"})").text,
        HasSubstr("### Ran Playwright code\n```js\n// Press '\nawait page.keyboard.press('\\'');\n```"));
    EXPECT_THAT(page().done, ElementsAre("press - '"));
}

TEST_F(BrowserPressKey, ShowsWhatEnterDid) {
    show_page();

    EXPECT_EQ(call("browser_press_key", R"({"key": "Enter"})").text,
              "### Ran Playwright code\n```js\n// Press Enter\nawait page.keyboard.press('Enter');\n```\n" +
                  std::string(fakes::kPageAndSnapshot));
}

TEST_F(BrowserPressKey, SaysThatThereIsNoSuchKey) {
    page().fail("press", {.code = ErrorCode::InvalidArgument, .message = "Unknown key: \"Foo\""});

    EXPECT_EQ(call("browser_press_key", R"({"key": "Foo"})").text,
              "### Error\nError: keyboard.press: Unknown key: \"Foo\"");
}

class BrowserType : public fakes::ToolTest {
protected:
    BrowserType() {
        show_page();
        page().add_element("e3", "getByRole('textbox')");
        call("browser_snapshot");
        page().done.clear();
    }
};

TEST_F(BrowserType, FillsWithoutLookingAtThePage) {
    EXPECT_EQ(call("browser_type", R"({"target": "e3", "text": "it's"})").text,
              "### Ran Playwright code\n```js\nawait page.getByRole('textbox').fill('it\\'s');\n```");
    EXPECT_THAT(page().done, ElementsAre("fill e3 it's"));
}

TEST_F(BrowserType, SubmitsAndShowsThePage) {
    EXPECT_EQ(call("browser_type", R"({"target": "e3", "text": "a", "submit": true})").text,
              "### Ran Playwright code\n```js\nawait page.getByRole('textbox').fill('a');\nawait "
              "page.getByRole('textbox').press('Enter');\n```\n" +
                  std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("fill e3 a", "press e3 Enter", "snapshot -"));
}

TEST_F(BrowserType, TypesKeyByKey) {
    EXPECT_THAT(call("browser_type", R"({"target": "e3", "text": "ab", "slowly": true})").text,
                HasSubstr("await page.getByRole('textbox').pressSequentially('ab');\n```\n### Page"));
    EXPECT_THAT(page().done, ElementsAre("type e3 ab", "snapshot -"));
}

TEST_F(BrowserType, SaysWhyItCouldNotType) {
    page().fail("fill", {.code = ErrorCode::Timeout, .message = "element is not editable"});

    auto outcome = call("browser_type", R"({"target": "e3", "text": "a", "submit": true})");

    EXPECT_EQ(outcome.text,
              "### Error\nTimeoutError: locator.fill: Timeout 5000ms exceeded.\nCall log:\n  - element is "
              "not editable");
    EXPECT_THAT(page().done, ElementsAre("fill e3 a"));
}

}  // namespace
