#include "tests/tools/support.h"

namespace {

using fakes::Outcome;
using testing::ElementsAre;
using testing::HasSubstr;

class BrowserNavigate : public fakes::ToolTest {};

TEST_F(BrowserNavigate, OpensThePageAndShowsIt) {
    page().page_title = "Title";
    page().tree = "- text: Hi";

    Outcome outcome = call("browser_navigate", R"({"url": "http://localhost/"})");

    EXPECT_EQ(outcome.text, "### Ran Playwright code\n```js\nawait page.goto('http://localhost/');\n```\n" +
                                std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("navigate http://localhost/", "snapshot -"));
}

TEST_F(BrowserNavigate, CompletesTheAddress) {
    EXPECT_THAT(call("browser_navigate", R"({"url": "example.com"})").text,
                HasSubstr("await page.goto('https://example.com');"));
    EXPECT_THAT(call("browser_navigate", R"({"url": "localhost"})").text,
                HasSubstr("await page.goto('http://localhost');"));
}

TEST_F(BrowserNavigate, OpensAPortOfThisMachine) {
    EXPECT_THAT(call("browser_navigate", R"({"url": "localhost:3000"})").text,
                HasSubstr("await page.goto('localhost:3000');"));
    EXPECT_EQ(page().done.front(), "navigate http://localhost:3000");
}

TEST_F(BrowserNavigate, RefusesTheLocalDisk) {
    Outcome outcome = call("browser_navigate", R"({"url": "file:///etc/passwd"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(
        outcome.text,
        "### Error\nError: Access to \"file:\" protocol is blocked. Attempted URL: \"file:///etc/passwd\"");
    EXPECT_TRUE(page().done.empty());
}

TEST_F(BrowserNavigate, RunsNoScript) {
    for (const char* url : {"javascript:alert(1)", "JavaScript:alert(1)"}) {
        auto outcome = call("browser_navigate", R"({"url": ")" + std::string(url) + "\"}");
        EXPECT_TRUE(outcome.is_error);
        EXPECT_THAT(outcome.text, HasSubstr("page.goto: net::ERR_ABORTED at " + std::string(url)));
    }
    EXPECT_THAT(page().done, testing::Not(testing::Contains(HasSubstr("navigate"))));
}

TEST_F(BrowserNavigate, SaysWhyItFailed) {
    page().fail("navigate", {.code = ErrorCode::NavigationFailed,
                             .message = "net::ERR_NAME_NOT_RESOLVED at http://x.invalid/"});

    EXPECT_EQ(call("browser_navigate", R"({"url": "http://x.invalid/"})").text,
              "### Error\nError: page.goto: net::ERR_NAME_NOT_RESOLVED at http://x.invalid/\n"
              "Call log:\n  - navigating to \"http://x.invalid/\", waiting until \"domcontentloaded\"");
}

TEST_F(BrowserNavigate, SaysHowLongItWaited) {
    page().fail("navigate", {.code = ErrorCode::Timeout, .message = "late"});

    EXPECT_EQ(call("browser_navigate", R"({"url": "http://localhost/slow"})").text,
              "### Error\nTimeoutError: page.goto: Timeout 60000ms exceeded.\n"
              "Call log:\n  - navigating to \"http://localhost/slow\", waiting until \"domcontentloaded\"");
}

TEST_F(BrowserNavigate, StaysWhereADialogIsOpen) {
    show_page();
    page().open_dialog("alert", "Alert");

    Outcome outcome = call("browser_navigate", R"({"url": "http://localhost/x"})");

    EXPECT_FALSE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("await page.goto('http://localhost/x');\n```\n### Page\n- Page URL: "
                                        "http://localhost/\n### Modal state\n"));
    EXPECT_TRUE(page().done.empty());
}

TEST_F(BrowserNavigate, ShowsADialogThatLeavingThePageOpens) {
    show_page();
    page().during("navigate", [this] { page().open_dialog("beforeunload", ""); });
    page().hold("navigate");

    EXPECT_THAT(
        call("browser_navigate", R"({"url": "http://localhost/x"})").text,
        HasSubstr("- [\"beforeunload\" dialog with message \"\"]: can be handled by browser_handle_dialog"));
}

class UnrestrictedFiles : public fakes::ToolTest {
protected:
    UnrestrictedFiles() : ToolTest({.allow_unrestricted_file_access = true}) {}
};

TEST_F(UnrestrictedFiles, OpensTheLocalDisk) {
    EXPECT_THAT(call("browser_navigate", R"({"url": "file:///tmp/x.html"})").text,
                HasSubstr("page.goto('file:///tmp/x.html')"));
}

class BrowserNavigateBack : public fakes::ToolTest {};

TEST_F(BrowserNavigateBack, GoesBackAndShowsThePage) {
    show_page();

    EXPECT_EQ(
        call("browser_navigate_back").text,
        "### Ran Playwright code\n```js\nawait page.goBack();\n```\n" + std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("go_back", "wait_for_load 1", "snapshot -"));
}

TEST_F(BrowserNavigateBack, SaysWhyItFailed) {
    page().fail("go_back", {.code = ErrorCode::NavigationFailed, .message = "net::ERR_FAILED"});

    EXPECT_EQ(call("browser_navigate_back").text,
              "### Error\nError: page.goBack: net::ERR_FAILED\nCall log:\n  - waiting for navigation until "
              "\"commit\"");
}

}  // namespace
