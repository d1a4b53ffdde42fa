#include "tests/tools/support.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

class BrowserTabs : public fakes::ToolTest {};

TEST_F(BrowserTabs, ListsTheTabThatTheBrowserBeganWith) {
    EXPECT_EQ(call("browser_tabs", R"({"action": "list"})").text,
              "### Result\n- 0: (current) [](about:blank)");
}

TEST_F(BrowserTabs, OpensATab) {
    call("browser_snapshot");

    EXPECT_EQ(call("browser_tabs", R"({"action": "new"})").text,
              "### Result\n- 0: [](about:blank)\n- 1: (current) [](about:blank)");
}

TEST_F(BrowserTabs, OpensATabWithAPage) {
    call("browser_tabs", R"({"action": "list"})");

    EXPECT_EQ(call("browser_tabs", R"({"action": "new", "url": "http://localhost/"})").text,
              "### Result\n- 0: [](about:blank)\n- 1: (current) [](http://localhost/)\n"
              "### Ran Playwright code\n```js\nawait page.goto('http://localhost/');\n```\n"
              "### Open tabs\n- 0: [](about:blank)\n- 1: (current) [](http://localhost/)\n"
              "### Page\n- Page URL: http://localhost/\n"
              "### Snapshot\n- [Snapshot](.playwright-mcp/page-2026-03-04T05-06-07-089Z.yml)");
}

TEST_F(BrowserTabs, RefusesTheLocalDisk) {
    EXPECT_EQ(
        call("browser_tabs", R"({"action": "new", "url": "file:///etc/passwd"})").text,
        "### Error\nError: Access to \"file:\" protocol is blocked. Attempted URL: \"file:///etc/passwd\"");
}

TEST_F(BrowserTabs, OpensNoneForAnAddressThatIsNone) {
    EXPECT_THAT(call("browser_tabs", R"({"action": "new", "url": "not a url"})").text,
                testing::HasSubstr("invalid URL"));
    EXPECT_EQ(call("browser_tabs", R"({"action": "list"})").text,
              "### Result\n- 0: (current) [](about:blank)");
}

TEST_F(BrowserTabs, RefusesAnIsolatedContextAndSaysWhatThereIs) {
    call("browser_tabs", R"({"action": "list"})");

    auto refused =
        call("browser_tabs", R"({"action": "new", "isolatedContext": true, "url": "http://localhost/"})");

    EXPECT_TRUE(refused.is_error);
    EXPECT_THAT(refused.text, AllOf(HasSubstr("isolatedContext"), HasSubstr("create_session")));
    EXPECT_EQ(call("browser_tabs", R"({"action": "list"})").text,
              "### Result\n- 0: (current) [](about:blank)");
    EXPECT_FALSE(call("browser_tabs", R"({"action": "new", "isolatedContext": false})").is_error);
}

TEST_F(BrowserTabs, SelectsATab) {
    call("browser_tabs", R"({"action": "new"})");

    EXPECT_EQ(call("browser_tabs", R"({"action": "select", "index": 0})").text,
              "### Result\n- 0: (current) [](about:blank)\n- 1: [](about:blank)");
}

TEST_F(BrowserTabs, ClosesTabsUntilNoneIsLeft) {
    call("browser_tabs", R"({"action": "new"})");

    EXPECT_EQ(call("browser_tabs", R"({"action": "close", "index": 0})").text,
              "### Result\n- 0: (current) [](about:blank)");
    EXPECT_EQ(call("browser_tabs", R"({"action": "close"})").text,
              "### Result\nNo open tabs. Navigate to a URL to create one.");
    EXPECT_EQ(call("browser_tabs", R"({"action": "close"})").text,
              "### Error\nError: Tab undefined not found");
    EXPECT_EQ(call("browser_tabs", R"({"action": "list"})").text,
              "### Result\n- 0: (current) [](about:blank)");
}

TEST_F(BrowserTabs, SaysWhatIsMissing) {
    EXPECT_EQ(call("browser_tabs", R"({"action": "select"})").text,
              "### Error\nError: Tab index is required");
    EXPECT_EQ(call("browser_tabs", R"({"action": "select", "index": 3})").text,
              "### Error\nError: Tab 3 not found");
    EXPECT_THAT(call("browser_tabs", R"({"action": "shuffle"})").text, HasSubstr("→ at action"));
}

TEST_F(BrowserTabs, ReplacesACrashedTab) {
    call("browser_snapshot");
    page().crashed = true;

    EXPECT_THAT(call("browser_tabs", R"({"action": "list"})").text, testing::MatchesRegex(R"(### Result
- 0: \(current\) \[\]\(about:blank\)
### Events
- New console entries: .*#L1
### Session
- The page crashed\. This tab is a new one, .*)"));
}

}  // namespace
