#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserFileUpload : public fakes::ToolTest {
protected:
    BrowserFileUpload() {
        show_page();
        directory.write("a.txt", "A");
        directory.write("b.txt", "B");
        call("browser_snapshot");
        page().done.clear();
        page().open_file_chooser();
    }
    std::string path(const std::string& name) const { return (directory.path() / name).string(); }
};

TEST_F(BrowserFileUpload, ChoosesFilesAndShowsThePage) {
    EXPECT_EQ(call("browser_file_upload", R"({"paths": ["a.txt"]})").text,
              "### Ran Playwright code\n```js\nawait fileChooser.setFiles([\"" + path("a.txt") +
                  "\"])\n```\n" + std::string(fakes::kPageAndSnapshot));
    EXPECT_THAT(page().done, ElementsAre("answer_file_chooser " + path("a.txt") + ";", "snapshot -"));
}

TEST_F(BrowserFileUpload, CancelsTheChooser) {
    EXPECT_THAT(call("browser_file_upload").text, HasSubstr("await fileChooser.setFiles(undefined)"));
    EXPECT_EQ(page().done.front(), "answer_file_chooser");
}

TEST_F(BrowserFileUpload, ClearsTheInputWhenTheListIsEmpty) {
    EXPECT_THAT(call("browser_file_upload", R"({"paths": []})").text,
                HasSubstr("await fileChooser.setFiles([])"));
    EXPECT_EQ(page().done.front(), "answer_file_chooser none");
}

TEST_F(BrowserFileUpload, RefusesFilesOutsideOfTheWorkspace) {
    EXPECT_EQ(call("browser_file_upload", R"({"paths": ["a.txt", "/etc/passwd"]})").text,
              "### Error\nError: File access denied: /etc/passwd is outside allowed roots. Allowed roots: " +
                  path(".playwright-mcp") + ", " + directory.path().string());
    EXPECT_TRUE(page().done.empty());
    EXPECT_EQ(page().modals().size(), 1u);
}

TEST_F(BrowserFileUpload, RefusesLinksThatLeadOutside) {
    std::filesystem::create_symlink("/etc/passwd", directory.path() / "notes.txt");
    std::filesystem::create_directory_symlink("/etc", directory.path() / "folder");
    std::filesystem::create_directories(directory.path() / "tree");
    std::filesystem::create_symlink("/etc/passwd", directory.path() / "tree/notes.txt");

    for (const char* name : {"notes.txt", "folder/passwd", "tree"}) {
        EXPECT_THAT(call("browser_file_upload", R"({"paths": [")" + std::string(name) + "\"]}").text,
                    HasSubstr("Error: File access denied: "))
            << name;
    }
    EXPECT_TRUE(page().done.empty());
}

TEST_F(BrowserFileUpload, LeavesTheChooserOpenForAFileThatIsNotThere) {
    auto outcome = call("browser_file_upload", R"({"paths": ["no.txt"]})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text,
              "### Error\nENOENT: no such file or directory, stat '" + path("no.txt") +
                  "'\n### Ran Playwright code\n```js\nawait fileChooser.setFiles([\"" + path("no.txt") +
                  "\"])\n```\n### Page\n- Page URL: http://localhost/\n"
                  "### Modal state\n- [File chooser]: can be handled by browser_file_upload\n"
                  "### Snapshot\n- [Snapshot](.playwright-mcp/page-2026-03-04T05-06-07-089Z.yml)");
}

TEST_F(BrowserFileUpload, TakesSeveralFilesOnlyWhereThePageDoes) {
    EXPECT_THAT(
        call("browser_file_upload", R"({"paths": ["a.txt", "b.txt"]})").text,
        HasSubstr(
            "### Error\nfileChooser.setFiles: Error: Non-multiple file input can only accept single file\n"));
    ASSERT_FALSE(call("browser_file_upload", R"({"paths": ["a.txt"]})").is_error);

    page().open_file_chooser(true);
    EXPECT_FALSE(call("browser_file_upload", R"({"paths": ["a.txt", "b.txt"]})").is_error);
}

class BrowserDrop : public fakes::ToolTest {
protected:
    BrowserDrop() {
        show_page();
        directory.write("a.txt", "A");
    }
    std::string path(const std::string& name) const { return (directory.path() / name).string(); }
};

TEST_F(BrowserDrop, DropsAFile) {
    EXPECT_EQ(call("browser_drop", R"({"target": "e2", "paths": ["a.txt"]})").text,
              "### Ran Playwright code\n```js\nawait page.getByRole('button', { name: 'Submit' }).drop({\n  "
              "files: '" +
                  path("a.txt") + "'\n});\n```\n" + std::string(fakes::kPageAndSnapshot));
    EXPECT_EQ(page().done.front(), "drop e2 " + path("a.txt"));
}

TEST_F(BrowserDrop, DropsFilesAndData) {
    EXPECT_THAT(call("browser_drop",
                     R"({"target": "e2", "paths": ["a.txt", "a.txt"], "data": {"text/plain": "it's"}})")
                    .text,
                HasSubstr(".drop({\n  data: {\n  text/plain: 'it\\'s'\n},\n  files: ['" + path("a.txt") +
                          "', '" + path("a.txt") + "']\n});"));
    EXPECT_EQ(page().done.front(), "drop e2 " + path("a.txt") + " " + path("a.txt") + " text/plain=it's");
}

TEST_F(BrowserDrop, NeedsSomethingToDrop) {
    EXPECT_EQ(call("browser_drop", R"({"target": "e2"})").text,
              "### Error\nError: At least one of \"paths\" or \"data\" must be provided.");
    EXPECT_TRUE(call("browser_drop", R"({"target": "e2", "paths": []})").is_error);
}

TEST_F(BrowserDrop, RefusesFilesOutsideOfTheWorkspace) {
    EXPECT_THAT(call("browser_drop", R"({"target": "e2", "paths": ["../x"]})").text,
                HasSubstr("Error: File access denied: "));
    EXPECT_TRUE(page().done.empty());
}

TEST_F(BrowserDrop, SaysWhyItWasNotTaken) {
    page().fail("drop",
                {.code = ErrorCode::ElementNotInteractive, .message = "Drop target did not accept the drop"});

    EXPECT_EQ(call("browser_drop", R"({"target": "e2", "data": {"a/b": "c"}})").text,
              "### Error\nError: locator.drop: Drop target did not accept the drop");
}

}  // namespace
