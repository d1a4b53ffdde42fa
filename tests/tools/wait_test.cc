#include "tests/tools/support.h"

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class BrowserWaitFor : public fakes::ToolTest {
protected:
    BrowserWaitFor() {
        show_page();
        call("browser_snapshot");
        page().done.clear();
    }
};

TEST_F(BrowserWaitFor, WaitsForText) {
    EXPECT_EQ(call("browser_wait_for", R"({"text": "it's \"here\""})").text,
              "### Result\nWaited for it's \"here\"\n### Ran Playwright code\n```js\n"
              "await page.getByText(\"it's \\\"here\\\"\").first().waitFor({ state: 'visible' });\n```\n" +
                  std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("wait_for_text it's \"here\" visible", "snapshot -"));
}

TEST_F(BrowserWaitFor, EndsWithTheFirstOfTextAndTextGone) {
    page().hold("wait_for_text new visible");

    EXPECT_THAT(call("browser_wait_for", R"({"text": "new", "textGone": "old"})").text,
                AllOf(HasSubstr("### Result\nWaited for old\n"), HasSubstr("waitFor({ state: 'hidden' })")));
}

TEST_F(BrowserWaitFor, TakesTimeAsTheLimitOfText) {
    page().fail("wait_for_text", {.code = ErrorCode::Timeout, .message = "late"});

    EXPECT_THAT(call("browser_wait_for", R"({"text": "nowhere", "time": 2})").text,
                HasSubstr("TimeoutError: locator.waitFor: Timeout 2000ms exceeded."));
}

TEST_F(BrowserWaitFor, WaitsForTime) {
    EXPECT_THAT(call("browser_wait_for", R"({"time": 0.001})").text,
                HasSubstr("### Result\nWaited for 0.001 seconds\n### Ran Playwright code\n```js\nawait new "
                          "Promise(f => setTimeout(f, 0.001 * 1000));\n```\n### Page"));
}

TEST_F(BrowserWaitFor, SaysWhatItWaitedForInVain) {
    page().fail("wait_for_text", {.code = ErrorCode::Timeout, .message = "late"});

    EXPECT_EQ(call("browser_wait_for", R"({"text": "nowhere"})").text,
              "### Error\nTimeoutError: locator.waitFor: Timeout 5000ms exceeded.\n"
              "Call log:\n  - waiting for getByText('nowhere').first() to be visible");
}

TEST_F(BrowserWaitFor, NeedsSomethingToWaitFor) {
    EXPECT_EQ(call("browser_wait_for").text,
              "### Error\nError: Either time, text or textGone must be provided");
}

TEST_F(BrowserWaitFor, ShowsADialogThatIsInTheWay) {
    page().open_dialog("alert", "x");

    auto outcome = call("browser_wait_for", R"({"text": "a"})");

    EXPECT_THAT(outcome.text, HasSubstr("### Modal state"));
    EXPECT_THAT(outcome.text, testing::Not(HasSubstr("Waited for")));
}

class WaitingWithoutABrowser : public fakes::ToolTest {};

TEST_F(WaitingWithoutABrowser, HasNothingToLookAt) {
    EXPECT_EQ(call("browser_wait_for", R"({"time": 0.001})").text,
              "### Error\nError: No open pages available.");
}

}  // namespace
