#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserTakeScreenshot : public fakes::ToolTest {
protected:
    BrowserTakeScreenshot() {
        show_page();
        call("browser_snapshot");
        page().done.clear();
    }
};

TEST_F(BrowserTakeScreenshot, ShowsThePictureAndKeepsItInAFile) {
    auto outcome = call("browser_take_screenshot");

    EXPECT_EQ(outcome.text,
              "### Result\n- [Screenshot of viewport](.playwright-mcp/page-2026-03-04T05-06-07-089Z.png)\n"
              "### Ran Playwright code\n```js\n// Screenshot viewport and save it as "
              ".playwright-mcp/page-2026-03-04T05-06-07-089Z.png\n"
              "await page.screenshot({\n  path: '.playwright-mcp/page-2026-03-04T05-06-07-089Z.png',\n  "
              "scale: 'css',\n  type: 'png'\n});\n```");
    ASSERT_EQ(outcome.images.size(), 1u);
    EXPECT_EQ(outcome.images[0].base64, "UE5H");
    EXPECT_EQ(outcome.images[0].mime_type, "image/png");
    EXPECT_EQ(directory.read(".playwright-mcp/page-2026-03-04T05-06-07-089Z.png"), "PNG");
    EXPECT_THAT(page().done, ElementsAre("screenshot png css -"));
}

TEST_F(BrowserTakeScreenshot, TakesAnElement) {
    auto outcome =
        call("browser_take_screenshot", R"({"target": "e2", "element": "the button", "scale": "device"})");

    EXPECT_THAT(
        outcome.text,
        HasSubstr("- [Screenshot of the button](.playwright-mcp/element-2026-03-04T05-06-07-089Z.png)\n"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.getByRole('button', { name: 'Submit' }).screenshot({\n  "
                                        "path: '.playwright-mcp/element-"));
    EXPECT_THAT(outcome.text, HasSubstr("scale: 'device'"));
    EXPECT_THAT(page().done, ElementsAre("screenshot png device e2"));
}

TEST_F(BrowserTakeScreenshot, TakesTheWholePageInAnotherFormat) {
    auto outcome = call("browser_take_screenshot", R"({"type": "jpeg", "fullPage": true})");

    EXPECT_THAT(outcome.text,
                HasSubstr("[Screenshot of full page](.playwright-mcp/page-2026-03-04T05-06-07-089Z.jpeg)"));
    EXPECT_THAT(
        outcome.text,
        HasSubstr("{\n  fullPage: true,\n  path: '.playwright-mcp/page-2026-03-04T05-06-07-089Z.jpeg',\n  "
                  "quality: 90,\n  scale: 'css',\n  type: 'jpeg'\n}"));
    EXPECT_EQ(outcome.images[0].mime_type, "image/jpeg");
    EXPECT_THAT(page().done, ElementsAre("screenshot jpeg full css -"));
}

TEST_F(BrowserTakeScreenshot, GoesToANamedFileWithoutAPictureInTheAnswer) {
    auto outcome = call("browser_take_screenshot", R"({"filename": "a.JPG", "fullPage": false})");

    EXPECT_TRUE(outcome.images.empty());
    EXPECT_THAT(outcome.text, HasSubstr("- [Screenshot of viewport](./a.JPG)\n"));
    EXPECT_THAT(
        outcome.text,
        HasSubstr(
            "{\n  fullPage: false,\n  path: './a.JPG',\n  quality: 90,\n  scale: 'css',\n  type: 'jpeg'\n}"));
    EXPECT_EQ(directory.read("a.JPG"), "PNG");
    EXPECT_EQ(call("browser_take_screenshot", R"({"filename": ""})").images.size(), 1u);
    EXPECT_THAT(call("browser_take_screenshot", R"({"filename": "b.webp"})").text, HasSubstr("type: 'webp'"));
}

TEST_F(BrowserTakeScreenshot, CannotTakeTheWholePageOfAnElement) {
    auto outcome = call("browser_take_screenshot", R"({"fullPage": true, "target": "e2"})");

    EXPECT_EQ(outcome.text, "### Error\nError: fullPage cannot be used with element screenshots.");
}

TEST_F(BrowserTakeScreenshot, SaysWhyItFailed) {
    page().fail("screenshot", {.code = ErrorCode::Timeout, .message = "waiting for fonts"});

    EXPECT_EQ(call("browser_take_screenshot").text,
              "### Error\nTimeoutError: page.screenshot: Timeout 5000ms exceeded.\nCall log:\n  - waiting "
              "for fonts");
}

class ScreenshotsWithoutImages : public fakes::ToolTest {
protected:
    ScreenshotsWithoutImages() : ToolTest({.image_responses = session::ImageResponses::Omit}) {}
};

TEST_F(ScreenshotsWithoutImages, HaveOnlyText) {
    auto outcome = call("browser_take_screenshot");

    EXPECT_TRUE(outcome.images.empty());
    EXPECT_THAT(outcome.text, HasSubstr("await page.screenshot"));
}

class ScreenshotsAlone : public fakes::ToolTest {
protected:
    ScreenshotsAlone() : ToolTest({.image_responses = session::ImageResponses::Only}) {}
};

TEST_F(ScreenshotsAlone, HaveOnlyTheImage) {
    auto outcome = call("browser_take_screenshot");

    EXPECT_EQ(outcome.images.size(), 1u);
    EXPECT_EQ(outcome.text, "");
    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("### Page"));
}

}  // namespace
