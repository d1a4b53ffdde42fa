#include "session/session_log.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"

namespace {

class SessionLogTest : public testing::Test {
protected:
    SessionLogTest() {
        options.working_directory = directory.path();
        options.now = [] { return fakes::kNow; };
        options.announce = [this](std::string_view line) { announced += line; };
    }
    session::Workspace workspace() const { return session::Workspace(options); }
    session::SessionLog make() { return session::SessionLog::create(workspace(), options).value(); }

    fakes::TemporaryDirectory directory;
    session::SessionOptions options;
    std::string announced;
    const std::string file = ".playwright-mcp/session-1772600767089/session.md";
};

TEST_F(SessionLogTest, SaysWhereItIs) {
    make();

    EXPECT_EQ(announced, "Session: " + (directory.path() / file).parent_path().string());
}

TEST_F(SessionLogTest, TellsEachCallWithItsAnswerTakenApart) {
    directory.write("page.yml", "- button \"Submit\" [ref=e2]");
    session::SessionLog log = make();

    log.add(
        "browser_navigate", json::object{{"url", "http://localhost:1"}},
        "### Ran Playwright code\n```js\nawait page.goto('http://localhost:1');\n```\n### Page\n- Page URL: "
        "http://localhost:1/\n- Page Title: Title\n### Snapshot\n- [Snapshot](page.yml)",
        false, {}, workspace());

    EXPECT_EQ(
        directory.read(file),
        "\n### Tool call: browser_navigate\n- Args\n```json\n{\n  \"url\": \"http://localhost:1\"\n}\n```\n"
        "- Result\n```json\n{\n"
        "  \"code\": \"await page.goto('http://localhost:1');\",\n"
        "  \"page\": \"- Page URL: http://localhost:1/\\n- Page Title: Title\",\n"
        "  \"snapshot\": \"- button \\\"Submit\\\" [ref=e2]\"\n"
        "}\n```\n");
}

TEST_F(SessionLogTest, KeepsErrorsModalsAndInlineSnapshots) {
    session::SessionLog log = make();

    log.add("browser_click", json::object{},
            "### Error\nError: no\n### Result\nyes\n### Open tabs\n- 0: x\n### Modal state\n- [y]\n### "
            "Snapshot\n```yaml\n- a:\n"
            "  - b\n```\n### Events\n- z",
            true, {json::object{{"type", "image"}}}, workspace());

    std::string text = directory.read(file);
    std::string result = text.substr(text.rfind("```json\n") + 8);
    EXPECT_EQ(
        result,
        "{\n  \"result\": \"yes\",\n  \"error\": \"Error: no\",\n  \"tabs\": \"- 0: x\",\n"
        "  \"inlineSnapshot\": \"- a:\\n  - b\",\n  \"events\": \"- z\",\n  \"modalState\": \"- [y]\",\n"
        "  \"isError\": true,\n  \"attachments\": [\n    {\n      \"type\": \"image\"\n    }\n  ]\n}\n```\n");
}

TEST_F(SessionLogTest, IsLedToNoOtherFileByAPage) {
    session::SessionLog log = make();
    for (const char* section : {"- [Snapshot](/etc/passwd)", "```yaml\n- text: [Snapshot](/etc/passwd)\n```"})
        log.add("browser_console_messages", json::object{},
                "### Result\nx\n### Snapshot\n" + std::string(section), false, {}, workspace());

    EXPECT_EQ(directory.read(file).find("root:"), std::string::npos);
}

TEST_F(SessionLogTest, GoesOnAfterALineThatCouldNotBeWritten) {
    session::SessionLog log = make();
    std::filesystem::create_directory(log.file());  // in the way
    log.add("lost", json::object{}, "", false, {}, workspace());
    std::filesystem::remove(log.file());

    log.add("kept", json::object{}, "", false, {}, workspace());

    EXPECT_EQ(directory.read(file),
              "\n### Tool call: kept\n- Args\n```json\n{}\n```\n- Result\n```json\n{}\n```\n");
}

}  // namespace
