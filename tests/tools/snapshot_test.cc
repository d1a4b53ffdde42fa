#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserSnapshot : public fakes::ToolTest {};

TEST_F(BrowserSnapshot, ShowsTheTreeInTheAnswer) {
    show_page();

    EXPECT_EQ(call("browser_snapshot").text,
              "### Page\n- Page URL: http://localhost/\n- Page Title: Title\n### Snapshot\n```yaml\n- button "
              "\"Submit\" [ref=e2]\n```");
}

TEST_F(BrowserSnapshot, ShowsAnEmptyPage) {
    EXPECT_EQ(call("browser_snapshot").text,
              "### Page\n- Page URL: about:blank\n### Snapshot\n```yaml\n\n```");
}

TEST_F(BrowserSnapshot, ShowsOnlyWhatIsAskedFor) {
    show_page();
    call("browser_snapshot", R"({"target": "e2", "depth": 2, "boxes": true})");

    EXPECT_THAT(page().done, ElementsAre("snapshot e2 depth=2 boxes"));
}

TEST_F(BrowserSnapshot, NeedsAWholeNumberOfLevels) {
    auto outcome = call("browser_snapshot", R"({"depth": 1.5})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("depth: expected integer, got float 1.5"));
}

TEST_F(BrowserSnapshot, GoesToAFile) {
    show_page();

    EXPECT_THAT(call("browser_snapshot", R"({"filename": "sub/x.yml"})").text,
                HasSubstr("### Snapshot\n- [Snapshot](sub/x.yml)"));
    EXPECT_EQ(directory.read("sub/x.yml"), "- button \"Submit\" [ref=e2]");
    EXPECT_THAT(call("browser_snapshot", R"({"filename": "x.yml"})").text,
                HasSubstr("- [Snapshot](./x.yml)"));
}

TEST_F(BrowserSnapshot, DoesNotWriteOutsideOfTheWorkspace) {
    auto outcome = call("browser_snapshot", R"({"filename": "/etc/x.yml"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nError: File access denied: /etc/x.yml is outside allowed roots. Allowed roots: " +
                  (directory.path() / ".playwright-mcp").string() + ", " + directory.path().string());
}

TEST_F(BrowserSnapshot, SaysThatAnElementIsGone) {
    EXPECT_EQ(call("browser_snapshot", R"({"target": "zz"})").text,
              "### Error\nError: \"zz\" does not match any elements.");
}

}  // namespace
