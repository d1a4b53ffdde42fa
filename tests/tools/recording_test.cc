#include "tests/tools/support.h"
#include "tools/recording_code.h"
#include "util/strings.h"

namespace {

using engine::UserEvent;
using session::Codegen;
using Kind = UserEvent::Kind;
using Step = session::UserRecording::Step;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

session::SessionOptions with_secret() {
    session::SessionOptions options;
    options.secrets = {{"TOKEN", "s3cr3t-value"}};
    return options;
}

class BrowserRecording : public fakes::ToolTest {
protected:
    BrowserRecording() : fakes::ToolTest(with_secret()) {}
    void SetUp() override { show_page(); }
    void emit(UserEvent event) { page().user_callback(std::move(event)); }
};

TEST_F(BrowserRecording, GivesWhatTheUserDidAsCode) {
    EXPECT_THAT(
        call("browser_start_recording").text,
        HasSubstr("### Result\nRecording started. Call browser_stop_recording to retrieve the recorded "
                  "actions."));
    emit({.kind = Kind::Fill, .locator = "getByLabel('Name')", .text = "Ann"});
    emit({.kind = Kind::Press, .locator = "getByLabel('Name')", .text = "Enter"});
    emit({.locator = "getByRole('button')"});

    std::string text = call("browser_stop_recording").text;

    EXPECT_THAT(text, HasSubstr("### Result\nRecording stopped. Recorded actions:\n\n```js\n"
                                "await page.getByLabel('Name').fill('Ann');\n"
                                "await page.getByLabel('Name').press('Enter');\n"
                                "await page.getByRole('button').click();\n```"));
    EXPECT_THAT(text, HasSubstr("### Snapshot"));
    EXPECT_FALSE(page().user_callback) << "nobody watches any more";
}

TEST_F(BrowserRecording, IsStartedAndStoppedOnce) {
    EXPECT_THAT(call("browser_stop_recording").text,
                HasSubstr("No recording in progress, use browser_start_recording to start one."));
    call("browser_start_recording");
    EXPECT_THAT(call("browser_start_recording").text, HasSubstr("Recording is already in progress."));
    EXPECT_THAT(call("browser_stop_recording").text,
                HasSubstr("Recording stopped. No actions were recorded."));
    EXPECT_TRUE(call("browser_stop_recording").is_error);
}

TEST_F(BrowserRecording, ShowsNoSecret) {
    call("browser_start_recording");
    emit({.kind = Kind::Fill, .locator = "a", .text = "s3cr3t-value"});
    emit({.kind = Kind::Fill, .locator = "b", .secret = "PASSWORD"});
    emit({.kind = Kind::Fill, .locator = "c", .text = "Bearer s3cr3t-value"});

    std::string text = call("browser_stop_recording").text;

    EXPECT_THAT(text,
                AllOf(HasSubstr("await page.a.fill(process.env['TOKEN']);"),
                      HasSubstr("await page.b.fill(process.env['PASSWORD']);"),
                      HasSubstr("await page.c.fill('Bearer <secret>TOKEN</secret>');"),
                      HasSubstr("reads it from the environment: PASSWORD."), Not(HasSubstr("s3cr3t-value"))));
}

TEST_F(BrowserRecording, SaysWhatItCouldNotKeep) {
    call("browser_start_recording");
    emit({.kind = Kind::Lost});

    EXPECT_THAT(call("browser_stop_recording").text, HasSubstr("Not recorded: 1 more actions."));
}

TEST_F(BrowserRecording, GivesWhatItHasOfAPageThatDoesNotAnswer) {
    call("browser_start_recording");
    emit({.locator = "it"});
    page().fail("finish_watch", {.code = ErrorCode::Timeout, .message = "no answer"});

    EXPECT_THAT(call("browser_stop_recording").text, HasSubstr("await page.it.click();"));
}

// Steps in TypeScript, Python, Java and C#.
std::vector<std::string> in_all(const std::vector<Step>& steps) {
    std::vector<std::string> codes;
    for (Codegen language : {Codegen::TypeScript, Codegen::Python, Codegen::Java, Codegen::CSharp})
        codes.push_back(join(tools::to_code(steps, language, session::Secrets({})).lines, "\n"));
    return codes;
}
Step click_on(std::string page) {
    return {.page = std::move(page), .url = "http://two/", .event = {.locator = "it"}};
}

TEST(RecordingCode, WaitsForPopups) {
    Step opens = click_on("A");
    opens.popup = "B";

    EXPECT_THAT(
        in_all({opens, click_on("B")}),
        ElementsAre("const page1Promise = page.waitForEvent('popup');\nawait page.it.click();\n"
                    "const page1 = await page1Promise;\nawait page1.it.click();",
                    "with page.expect_popup() as page1_info:\n    page.it.click()\n"
                    "page1 = page1_info.value\npage1.it.click()",
                    "Page page1 = page.waitForPopup(() -> {\n  page.it.click();\n});\npage1.it.click();",
                    "var page1 = await page.RunAndWaitForPopupAsync(async () =>\n{\n"
                    "    await page.it.ClickAsync();\n});\nawait page1.it.ClickAsync();"));
}

TEST(RecordingCode, WaitsForDownloads) {
    Step loads = click_on("A");
    loads.download = true;

    EXPECT_THAT(
        in_all({loads, loads}),
        ElementsAre(testing::StartsWith("const downloadPromise = page.waitForEvent('download');\n"
                                        "await page.it.click();\nconst download = await downloadPromise;\n"
                                        "const download1Promise"),
                    testing::StartsWith("with page.expect_download() as download_info:\n    page.it.click()\n"
                                        "download = download_info.value\nwith"),
                    testing::StartsWith("Download download = page.waitForDownload(() -> {\n"),
                    testing::StartsWith("var download = await page.RunAndWaitForDownloadAsync(")));
}

TEST(RecordingCode, AnswersDialogsAsTheUserDid) {
    Step asks = click_on("A");
    asks.dialog = UserEvent{.kind = Kind::DialogAccepted, .text = "it's"};

    EXPECT_THAT(
        in_all({asks}),
        ElementsAre(
            "page.once('dialog', dialog => dialog.accept('it\\'s'));\nawait page.it.click();",
            "page.once(\"dialog\", lambda dialog: dialog.accept(\"it's\"))\npage.it.click()",
            "page.onceDialog(dialog -> dialog.accept(\"it's\"));\npage.it.click();",
            "page.Dialog += (_, dialog) => dialog.AcceptAsync(\"it's\");\nawait page.it.ClickAsync();"));
    asks.dialog = UserEvent{.kind = Kind::DialogDismissed};
    EXPECT_THAT(in_all({asks}).front(), HasSubstr("dialog.dismiss()"));
}

TEST(RecordingCode, OpensPagesThatNoStepOpened) {
    Step goes{.page = "B", .url = "http://two/", .event = {.kind = Kind::Navigated, .text = "http://two/"}};

    EXPECT_THAT(in_all({click_on("A"), goes}),
                ElementsAre("await page.it.click();\nconst page1 = await page.context().newPage();\n"
                            "await page1.goto('http://two/');",
                            "page.it.click()\npage1 = page.context.new_page()\npage1.goto(\"http://two/\")",
                            "page.it.click();\nPage page1 = page.context().newPage();\n"
                            "page1.navigate(\"http://two/\");",
                            "await page.it.ClickAsync();\nvar page1 = await page.Context.NewPageAsync();\n"
                            "await page1.GotoAsync(\"http://two/\");"));
    EXPECT_THAT(in_all({click_on("A"), click_on("B")}).front(),
                HasSubstr("await page1.goto('http://two/');\nawait page1.it.click();"));
}

}  // namespace
