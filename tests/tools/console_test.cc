#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BrowserConsoleMessages : public fakes::ToolTest {
protected:
    BrowserConsoleMessages() {
        page().page_url = "http://x/";
        page().log("log", "before", 1);
        page().log("log", "also before", 2);
        page().document_begins = 2;
        page().throw_uncaught("Error: boom\n    at http://x/:9");
        page().log("log", "Hello", 4);
        page().log("error", "Bad", 5);
        page().log("warning", "Hm", 6);
        page().log("debug", "detail", 7);
    }
};

TEST_F(BrowserConsoleMessages, ShowsMessagesThenUncaughtErrors) {
    EXPECT_THAT(
        call("browser_console_messages").text,
        StartsWith("### Result\nTotal messages: 5 (Errors: 2, Warnings: 1)\nReturning 4 messages for level "
                   "\"info\"\n\n"
                   "[LOG] Hello @ http://x/:4\n[ERROR] Bad @ http://x/:5\n[WARNING] Hm @ http://x/:6\n"
                   "Error: boom\n    at http://x/:9\n### Page"));
}

TEST_F(BrowserConsoleMessages, ShowsOnlyErrors) {
    EXPECT_THAT(
        call("browser_console_messages", R"({"level": "error"})").text,
        HasSubstr("Returning 2 messages for level \"error\"\n\n[ERROR] Bad @ http://x/:5\nError: boom"));
}

TEST_F(BrowserConsoleMessages, ShowsEverything) {
    EXPECT_THAT(call("browser_console_messages", R"({"level": "debug"})").text,
                HasSubstr("Total messages: 5 (Errors: 2, Warnings: 1)\n\n[LOG] Hello"));
    EXPECT_THAT(call("browser_console_messages", R"({"all": true})").text,
                HasSubstr("Returning 6 messages for level \"info\"\n\n[LOG] before @ http://x/:1\n"));
}

TEST_F(BrowserConsoleMessages, GoToAFile) {
    EXPECT_THAT(call("browser_console_messages", R"({"filename": "sub/c.log"})").text,
                StartsWith("### Result\n- [Console](sub/c.log)\n"));
    EXPECT_THAT(directory.read("sub/c.log"), StartsWith("Total messages: 5"));
}

TEST_F(BrowserConsoleMessages, RefuseAnUnknownLevel) {
    EXPECT_THAT(call("browser_console_messages", R"({"level": "loud"})").text, HasSubstr("→ at level"));
}

TEST_F(BrowserConsoleMessages, OfAQuietPageAreNone) {
    page().clear_console();
    call("browser_snapshot");

    EXPECT_EQ(call("browser_console_messages").text,
              "### Result\nTotal messages: 0 (Errors: 0, Warnings: 0)\n");
}

}  // namespace
