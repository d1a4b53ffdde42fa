#include "tests/tools/support.h"

namespace {

using fakes::kPageAndSnapshot;
using fakes::Outcome;
using testing::HasSubstr;
using testing::Not;

class ResponseTest : public fakes::ToolTest {};

TEST_F(ResponseTest, ShowsCodePageAndALinkToTheSnapshot) {
    show_page();

    Outcome outcome = call("browser_hover", R"({"target": "e2"})");

    EXPECT_FALSE(outcome.is_error);
    EXPECT_EQ(
        outcome.text,
        "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).hover();\n```\n" +
            std::string(kPageAndSnapshot));
    EXPECT_EQ(directory.read(".playwright-mcp/page-2026-03-04T05-06-07-089Z.yml"),
              "- button \"Submit\" [ref=e2]");
}

TEST_F(ResponseTest, ShowsTheSectionsInTheirOrder) {
    show_page();
    ASSERT_EQ(call("browser_snapshot").is_error, false);
    context().open_page();
    page().status = engine::DocumentStatus{402, "Payment Required"};
    page().log("error", "one\ntwo", 3);
    page().log("warning", "three");
    page().now = now;
    directory.write("cache", "data");
    page().download_list.push_back({.number = 1,
                                    .suggested_name = "te st.txt",
                                    .file = directory.path() / "cache",
                                    .state = engine::Download::State::Finished});

    Outcome outcome = call("browser_hover", R"({"target": "e2"})");

    EXPECT_EQ(
        outcome.text,
        "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).hover();\n```\n"
        "### Open tabs\n- 0: (current) [Title](http://localhost/)\n- 1: [](about:blank)\n"
        "### Page\n- Page URL: http://localhost/\n- Page Title: Title\n- HTTP status: 402 Payment Required\n"
        "- Console: 1 errors, 1 warnings\n"
        "### Snapshot\n- [Snapshot](.playwright-mcp/page-2026-03-04T05-06-07-089Z.yml)\n"
        "### Events\n- New console entries: .playwright-mcp/console-2026-03-04T05-06-07-089Z.log#L1-L3\n"
        "- Downloading file te st.txt ...\n- Downloaded file te st.txt to \".playwright-mcp/te-st.txt\"");
}

TEST_F(ResponseTest, SaysNothingAboutAPageThatDidNotChange) {
    show_page();
    call("browser_snapshot");

    EXPECT_EQ(call("browser_press_key", R"({"key": "a"})").text,
              "### Ran Playwright code\n```js\n// Press a\nawait page.keyboard.press('a');\n```");
}

TEST_F(ResponseTest, ShowsThePageWhenItChangedEvenWithoutASnapshot) {
    show_page();
    call("browser_snapshot");
    page().page_title = "Other";

    EXPECT_EQ(call("browser_press_key", R"({"key": "a"})").text,
              "### Ran Playwright code\n```js\n// Press a\nawait page.keyboard.press('a');\n```\n### Page\n- "
              "Page URL: "
              "http://localhost/\n- Page Title: Other");
}

TEST_F(ResponseTest, ShowsNoStatusOfAPageThatIsThere) {
    show_page();
    page().status = engine::DocumentStatus{204, "No Content"};
    EXPECT_THAT(call("browser_snapshot").text, Not(HasSubstr("HTTP status")));
    page().status = engine::DocumentStatus{304, ""};
    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("- HTTP status: 304\n"));
}

TEST_F(ResponseTest, ShowsAnOpenDialogInPlaceOfThePage) {
    show_page();
    call("browser_snapshot");
    page().during("click", [this] { page().open_dialog("alert", "Alert"); });
    page().hold("click");

    EXPECT_EQ(
        call("browser_click", R"({"target": "e2"})").text,
        "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).click();\n```\n"
        "### Page\n- Page URL: http://localhost/\n"
        "### Modal state\n- [\"alert\" dialog with message \"Alert\"]: can be handled by "
        "browser_handle_dialog\n"
        "### Snapshot\n- [Snapshot](.playwright-mcp/page-2026-03-04T05-06-07-089Z.yml)");
    EXPECT_EQ(directory.read(".playwright-mcp/page-2026-03-04T05-06-07-089Z.yml"), "");
}

TEST_F(ResponseTest, GivesUpASnapshotWhenADialogOpens) {
    show_page();
    page().during("snapshot", [this] { page().open_file_chooser(); });
    page().hold("snapshot");

    EXPECT_EQ(call("browser_snapshot").text,
              "### Page\n- Page URL: http://localhost/\n### Modal state\n- [File chooser]: can be handled by "
              "browser_file_upload\n"
              "### Snapshot\n```yaml\n\n```");
}

TEST_F(ResponseTest, KeepsEventsForLaterWhileADialogIsOpen) {
    show_page();
    call("browser_snapshot");
    page().log("error", "boom");
    page().open_dialog("alert", "Alert");
    EXPECT_THAT(call("browser_tabs", R"({"action": "list"})").text, Not(HasSubstr("Events")));

    EXPECT_THAT(call("browser_handle_dialog", R"({"accept": true})").text,
                HasSubstr("### Events\n- New console entries: "));
}

TEST_F(ResponseTest, ReplacesWhatIsNoCharacter) {
    show_page("http://localhost/",
              "a\xED\xA0\x80"
              "b\xFF"
              "c");

    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("- Page Title: a\xEF\xBF\xBD"
                                                         "b\xEF\xBF\xBD"
                                                         "c\n"));
}

TEST_F(ResponseTest, AnswersAFailureWithNothingElse) {
    show_page();
    page().fail("snapshot", {.code = ErrorCode::BrowserCrashed, .message = "The tab has crashed."});

    Outcome outcome = call("browser_snapshot");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text, "### Error\nError: page.ariaSnapshot: The tab has crashed.");
}

TEST_F(ResponseTest, MarksCrashedTabs) {
    show_page();
    call("browser_snapshot");
    context().open_page()->crashed = true;

    EXPECT_THAT(
        call("browser_snapshot").text,
        HasSubstr(
            "### Open tabs\n- 0: (current) [Title](http://localhost/)\n- 1: [](about:blank) [crashed]\n"));
}

TEST_F(ResponseTest, WritesTheMessagesOfAllTabsToTheirLogs) {
    show_page();
    call("browser_snapshot");
    auto popup = context().open_page();
    popup->log("error", "from the popup");
    now += std::chrono::seconds(1);

    call("browser_snapshot");

    EXPECT_THAT(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log"),
                HasSubstr("from the popup"));
}

class WithoutSnapshots : public fakes::ToolTest {
protected:
    WithoutSnapshots() : ToolTest({.snapshot_mode = session::SnapshotMode::None}) {}
};

TEST_F(WithoutSnapshots, ShowsThePageOnlyWhenItChanged) {
    show_page();

    EXPECT_EQ(
        call("browser_hover", R"({"target": "e2"})").text,
        "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).hover();\n```\n"
        "### Page\n- Page URL: http://localhost/\n- Page Title: Title");
    EXPECT_FALSE(directory.has(".playwright-mcp"));
    EXPECT_THAT(page().done, Not(testing::Contains("snapshot -")));
}

TEST_F(WithoutSnapshots, StillShowsOneThatIsAskedFor) {
    show_page();

    EXPECT_THAT(call("browser_snapshot").text,
                HasSubstr("### Snapshot\n```yaml\n- button \"Submit\" [ref=e2]\n```"));
}

class InlineSnapshots : public fakes::ToolTest {
protected:
    InlineSnapshots()
        : ToolTest({.snapshot_delivery = session::SnapshotDelivery::Inline, .snapshot_inline_limit = 100}) {}
};

TEST_F(InlineSnapshots, ComeWithTheAnswerAsLongAsTheyAreSmall) {
    show_page();
    EXPECT_THAT(call("browser_hover", R"({"target": "e2"})").text,
                HasSubstr("### Snapshot\n```yaml\n- button \"Submit\" [ref=e2]\n```"));

    page().tree = std::string(101, 'x');
    auto linked = call("browser_hover", R"({"target": "e2"})");
    EXPECT_THAT(linked.text, HasSubstr("### Snapshot\n- [Snapshot]("));
    EXPECT_THAT(linked.links, testing::ElementsAre(testing::StartsWith("troupe:///output/page-")));
}

class SnapshotsBothWays : public fakes::ToolTest {
protected:
    SnapshotsBothWays() : ToolTest({.snapshot_delivery = session::SnapshotDelivery::Both}) {}
};

TEST_F(SnapshotsBothWays, ComeWithTheAnswerAndStayInAFile) {
    show_page();
    EXPECT_THAT(call("browser_hover", R"({"target": "e2"})").text, testing::ContainsRegex(R"(### Snapshot
- \[Snapshot\]\(.*yml\)
```yaml
- button "Submit" \[ref=e2\]
```)"));
}

class WithBoxes : public fakes::ToolTest {
protected:
    WithBoxes() : ToolTest({.snapshot_boxes = true}) {}
};

TEST_F(WithBoxes, AsksForThemUnlessToldOtherwise) {
    show_page();
    call("browser_hover", R"({"target": "e2"})");
    call("browser_snapshot");
    call("browser_snapshot", R"({"boxes": false})");

    EXPECT_THAT(page().done,
                testing::ElementsAre("hover e2", "snapshot - boxes", "snapshot - boxes", "snapshot -"));
}

class AbsolutePaths : public fakes::ToolTest {
protected:
    AbsolutePaths() : ToolTest({.file_paths = session::FilePaths::Absolute}) {}
};

TEST_F(AbsolutePaths, AreShownForFilesAndLogs) {
    show_page();
    page().log("error", "x");

    std::string text = call("browser_hover", R"({"target": "e2"})").text;

    std::string output = (directory.path() / ".playwright-mcp").string();
    EXPECT_THAT(text, HasSubstr("- [Snapshot](" + output + "/page-2026-03-04T05-06-07-089Z.yml)"));
    EXPECT_THAT(text,
                HasSubstr("- New console entries: " + output + "/console-2026-03-04T05-06-07-089Z.log#L1"));
}

class QuietConsole : public fakes::ToolTest {
protected:
    QuietConsole() : ToolTest({.console_level = session::ConsoleLevel::Error}) {}
};

TEST_F(QuietConsole, LogsOnlyWhatIsSevereEnough) {
    show_page();
    page().log("log", "chatter");
    EXPECT_THAT(call("browser_snapshot").text, Not(HasSubstr("Events")));

    page().throw_uncaught("Error: boom\n    at x");
    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("#L1-L2"));
    EXPECT_THAT(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log"),
                Not(HasSubstr("chatter")));
}

class LittleOutput : public fakes::ToolTest {
protected:
    LittleOutput() : ToolTest({.output_max_size = 40}) {}
};

TEST_F(LittleOutput, RemovesOldFilesButNotTheOneJustWritten) {
    show_page();
    call("browser_hover", R"({"target": "e2"})");
    now += std::chrono::seconds(1);
    page().tree = std::string(100, 'x');
    call("browser_hover", R"({"target": "e2"})");

    EXPECT_FALSE(directory.has(".playwright-mcp/page-2026-03-04T05-06-07-089Z.yml"));
    EXPECT_TRUE(directory.has(".playwright-mcp/page-2026-03-04T05-06-08-089Z.yml"));
}

class SavedSession : public fakes::ToolTest {
protected:
    SavedSession()
        : ToolTest({.save_session = true, .announce = [this](std::string_view line) { announced += line; }}) {
    }
    std::string announced;
};

TEST_F(SavedSession, TellsTheStoryOfItsCalls) {
    show_page();
    call("browser_hover", R"({"element": "Submit button", "target": "e2"})");
    call("browser_hover", R"({"target": "e9"})");  // fails, and is not told

    EXPECT_EQ(announced, "Session: " + (directory.path() / ".playwright-mcp/session-1772600767089").string());
    EXPECT_EQ(directory.read(".playwright-mcp/session-1772600767089/session.md"),
              "\n### Tool call: browser_hover\n- Args\n```json\n{\n  \"element\": \"Submit button\",\n  "
              "\"target\": \"e2\"\n}\n```\n"
              "- Result\n```json\n{\n"
              "  \"code\": \"await page.getByRole('button', { name: 'Submit' }).hover();\",\n"
              "  \"page\": \"- Page URL: http://localhost/\\n- Page Title: Title\",\n"
              "  \"snapshot\": \"- button \\\"Submit\\\" [ref=e2]\"\n}\n```\n");
}

}  // namespace
