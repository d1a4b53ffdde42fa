#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserClose : public fakes::ToolTest {};

TEST_F(BrowserClose, GivesTheBrowserBack) {
    call("browser_snapshot");

    EXPECT_EQ(call("browser_close").text,
              "### Result\nNo open tabs. Navigate to a URL to create one.\n### Ran Playwright "
              "code\n```js\nawait page.close()\n```");
    EXPECT_TRUE(context().was_closed);
    EXPECT_FALSE(session->has_browser());
}

TEST_F(BrowserClose, IsNoErrorWhenThereIsNothingToClose) {
    EXPECT_FALSE(call("browser_close").is_error);
    EXPECT_TRUE(contexts.empty());
}

TEST_F(BrowserClose, LetsTheNextCallStartAnew) {
    call("browser_snapshot");
    call("browser_close");

    EXPECT_FALSE(call("browser_navigate", R"({"url": "http://localhost/"})").is_error);
    EXPECT_EQ(contexts.size(), 2u);
}

class SharedContext : public fakes::ToolTest {
protected:
    SharedContext() : ToolTest({.shared_context = true}) {}
};

TEST_F(SharedContext, IsNotClosedByOneOfItsUsers) {
    call("browser_snapshot");

    EXPECT_EQ(call("browser_close").text,
              "### Error\nError: The browser context is shared between clients and cannot be closed.");
    EXPECT_FALSE(context().was_closed);
}

class BrowserResize : public fakes::ToolTest {};

TEST_F(BrowserResize, ResizesThePage) {
    EXPECT_THAT(call("browser_resize", R"({"width": 390, "height": 780})").text,
                HasSubstr("```js\nawait page.setViewportSize({ width: 390, height: 780 });\n```"));
    EXPECT_THAT(page().done, ElementsAre("resize 390x780"));
}

TEST_F(BrowserResize, NeedsWholePixels) {
    EXPECT_EQ(
        call("browser_resize", R"({"width": 500.5, "height": 400})").text,
        "### Error\nError: page.setViewportSize: viewportSize.width: expected integer, got float 500.5");
}

class BrowserEmulateMedia : public fakes::ToolTest {};

TEST_F(BrowserEmulateMedia, EmulatesWhatIsGivenAndEndsWhatIsNull) {
    EXPECT_THAT(call("browser_emulate_media", R"({"media": null, "colorScheme": "dark"})").text,
                HasSubstr("```js\nawait page.emulateMedia({ colorScheme: 'dark', media: null });\n```"));
    EXPECT_EQ(page().media.color_scheme, "dark");
    EXPECT_EQ(page().media.media, "");
    EXPECT_FALSE(page().media.contrast);
}

TEST_F(BrowserEmulateMedia, NeedsSomethingToEmulate) {
    auto outcome = call("browser_emulate_media");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("### Error\nError: Specify at least one media feature to emulate."));
}

TEST_F(BrowserEmulateMedia, RefusesWhatDoesNotExist) {
    EXPECT_THAT(call("browser_emulate_media", R"({"colorScheme": "pink"})").text,
                HasSubstr("→ at colorScheme"));
}

}  // namespace
