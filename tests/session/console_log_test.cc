#include "session/console_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"

namespace {

using session::ConsoleLog;
using session::FilePaths;
using std::chrono::milliseconds;

class ConsoleLogTest : public testing::Test {
protected:
    fakes::TemporaryDirectory directory;
    session::SessionOptions options{.working_directory = directory.path()};
    session::Workspace workspace{options};
    session::Secrets secrets{{{"TOKEN", "abc"}}};
    ConsoleLog log{workspace, secrets, fakes::kNow};
    const std::string file = ".playwright-mcp/console-2026-03-04T05-06-07-089Z.log";
};

TEST_F(ConsoleLogTest, IsMadeWithItsFirstLine) {
    EXPECT_FALSE(log.take_link(FilePaths::Relative));
    EXPECT_FALSE(directory.has(file));

    log.append(fakes::kNow + milliseconds(205), "[ERROR] abc");

    EXPECT_EQ(directory.read(file), "[     205ms] [ERROR] <secret>TOKEN</secret>\n");
}

TEST_F(ConsoleLogTest, MarksEveryLineThatAPageMayHaveWritten) {
    ConsoleLog marked{workspace, secrets, fakes::kNow, true};
    marked.append(fakes::kNow, "one\nLines that are ours");
    EXPECT_EQ(marked.take_link(FilePaths::Relative), file + "#L2-L3");

    std::string text = directory.read(file), mark = text.substr(text.find("untrusted-"), 42);
    EXPECT_NE(text.find("\n" + mark + " [       0ms] one\n" + mark + " Lines that are ours\n"), text.npos);
}

TEST_F(ConsoleLogTest, WritesNoMoreThanItsSessionMay) {
    auto quota = std::make_shared<session::ConsoleQuota>(40);
    ConsoleLog first{workspace, secrets, fakes::kNow, false, quota};
    ConsoleLog second{workspace, secrets, fakes::kNow + milliseconds(1), false, quota};
    first.append(fakes::kNow, "one");
    EXPECT_EQ(quota->take_refusal(), "");
    second.append(fakes::kNow, "two");
    second.append(fakes::kNow, "three");
    second.append(fakes::kNow, "4");

    EXPECT_EQ(directory.read(file), "[       0ms] one\n");
    EXPECT_EQ(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-090Z.log"), "[      -1ms] two\n");
    EXPECT_THAT(quota->take_refusal(),
                testing::StartsWith("2 console messages are in no file: those of a session "
                                    "may have 40 bytes together (session.maxConsoleBytes)"));
    EXPECT_EQ(quota->take_refusal(), "");
}

TEST_F(ConsoleLogTest, LinksToTheLinesThatAreNew) {
    log.append(fakes::kNow, "one");
    EXPECT_EQ(log.take_link(FilePaths::Relative), file + "#L1");
    EXPECT_FALSE(log.take_link(FilePaths::Relative));

    log.append(fakes::kNow, "two\nof two lines");
    log.append(fakes::kNow, "three");
    EXPECT_EQ(log.take_link(FilePaths::Relative), file + "#L2-L4");
}

TEST_F(ConsoleLogTest, LinksWithTheWholePathWhenAskedTo) {
    log.append(fakes::kNow, "one");

    EXPECT_EQ(log.take_link(FilePaths::Absolute), (directory.path() / file).string() + "#L1");
}

}  // namespace
