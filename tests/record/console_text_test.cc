#include "record/console_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using record::linked_console;
using record::read_console;
using Level = tools::NotedMessage::Level;

TEST(ConsoleText, ReadsWhatTheConsoleToolPrints) {
    auto messages = read_console(
        "### Result\nTotal messages: 3 (Errors: 1, Warnings: 1)\n\n[LOG] one @ http://x/a.js:3\n"
        "[ERROR] two\n    at f (a.js)\n[WARNING] three @ home\n### Page\n- Page URL: http://x/");
    ASSERT_EQ(messages.size(), 3U);
    EXPECT_EQ(messages[0].text, "one");
    EXPECT_EQ(messages[0].url, "http://x/a.js");
    EXPECT_EQ(messages[0].line, 3);
    EXPECT_EQ(messages[1].level, Level::Error);
    EXPECT_EQ(messages[1].text, "two\n    at f (a.js)");
    EXPECT_EQ(messages[2].level, Level::Warning);
    EXPECT_EQ(messages[2].text, "three @ home");
}

TEST(ConsoleText, ReadsTheLinesThatEventsLinkTo) {
    auto lines = linked_console(
        "### Events\n- New console entries: .playwright-mcp/console-2026-07-28T12-00-00-123Z.log#L2-L4");
    ASSERT_TRUE(lines);
    EXPECT_EQ(lines->file, ".playwright-mcp/console-2026-07-28T12-00-00-123Z.log");
    auto messages = read_console(
        "[      10ms] [LOG] old @ u:1\n[     120ms] [DEBUG] new @ u:2\n[     130ms] Error: boom\n    at g\n"
        "[     140ms] [LOG] later @ u:3\n",
        *lines);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].text, "new");
    EXPECT_EQ(messages[0].level, Level::Debug);
    EXPECT_EQ(messages[1].text, "Error: boom\n    at g");
    EXPECT_EQ(messages[1].level, Level::Error);
}

TEST(ConsoleText, OneLineIsARange) {
    auto lines = linked_console("### Events\n- New console entries: console-1.log#L7");
    ASSERT_TRUE(lines);
    EXPECT_EQ(lines->first, 7);
    EXPECT_EQ(lines->last, 7);
}

TEST(ConsoleText, FollowsNoLinkToOtherFiles) {
    for (const char* link : {"/etc/passwd#L1", "console-../../secret.log#L1", "console-1.log",
                             "notes.log#L1-L2", "console-1.log#Lx"})
        EXPECT_FALSE(linked_console(std::string("### Events\n- New console entries: ") + link)) << link;
}

}  // namespace
