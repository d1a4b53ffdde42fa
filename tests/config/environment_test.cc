#include "config/environment.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

Config with(Environment environment) { return loaded(load_flags({}, std::move(environment))).config; }

TEST(Variables, PreferOurNameToPlaywrights) {
    EXPECT_EQ(with({{"PLAYWRIGHT_MCP_PORT", "1"}, {"TROUPE_PORT", "2"}}).server.port, 2);
    EXPECT_THAT(with({{"PLAYWRIGHT_MCP_CAPS", "pdf"}, {"TROUPE_CAPS", "vision"}}).capabilities,
                ElementsAre("vision"));
}

TEST(Variables, AreReadAsTheirType) {
    EXPECT_THAT(with({{"TROUPE_ALLOWED_HOSTS", "a, b"}}).server.allowed_hosts, ElementsAre("a", "b"));
    EXPECT_EQ(with({{"PLAYWRIGHT_MCP_HEADLESS", "0"}}).browser.headless, false);
    EXPECT_EQ(with({{"TROUPE_LOG_LEVEL", "debug"}}).logging.level, LogLevel::Debug);
    EXPECT_EQ(with({{"PLAYWRIGHT_MCP_HOST", " localhost "}}).server.host, "localhost");
}

TEST(Variables, CanSayNo) {
    EXPECT_EQ(with({{"PLAYWRIGHT_MCP_NO_SANDBOX", "true"}}).browser.sandbox, false);
    EXPECT_EQ(with({{"TROUPE_NO_SANDBOX", "false"}}).browser.sandbox, true);
}

TEST(Variables, CountAsAbsentWhenEmpty) {
    EXPECT_EQ(with({{"PLAYWRIGHT_MCP_PORT", ""}}).server.port, std::nullopt);
    EXPECT_EQ(with({{"TROUPE_HOST", ""}}).server.host, "localhost");
}

TEST(Variables, RefuseAnEmptyTokenRatherThanLeaveTheServerOpen) {
    EXPECT_THAT(error_of(load_flags({}, {{"TROUPE_AUTH_TOKEN", ""}})).to_string(),
                AllOf(HasSubstr("env TROUPE_AUTH_TOKEN"), HasSubstr("is empty"), HasSubstr("openssl rand")));
}

TEST(Variables, AreNamedWhenTheirValueIsWrong) {
    EXPECT_EQ(
        error_of(load_flags({}, {{"PLAYWRIGHT_MCP_PORT", "many"}})).message,
        "Environment variable PLAYWRIGHT_MCP_PORT: expected a whole number from 0 to 65535, got \"many\".");
}

TEST(Variables, OfOursThatAreUnknownGiveAWarning) {
    Loaded result = loaded(load_flags({}, {{"TROUPE_PROT", "1"}, {"PLAYWRIGHT_MCP_FROM_THE_FUTURE", "1"}}));

    EXPECT_THAT(result.warnings,
                ElementsAre("Unknown environment variable TROUPE_PROT. Did you mean TROUPE_PORT?"));
}

TEST(Variables, NameTheFileToRead) {
    Directory directory;
    directory.write("a.ini", "server.port = 1");
    directory.write("b.ini", "server.port = 2");
    Environment environment{{"PLAYWRIGHT_MCP_CONFIG", "a.ini"}};

    EXPECT_EQ(loaded(load({}, environment, directory.path())).config.server.port, 1);
    environment["TROUPE_CONFIG"] = "b.ini";
    EXPECT_EQ(loaded(load({}, environment, directory.path())).config.server.port, 2);
    EXPECT_EQ(loaded(load({"--config=a.ini"}, environment, directory.path())).config.server.port, 1);
}

TEST(Variables, OfTheProcessAreTakenOnlyWhereTheyMatter) {
    ::setenv("TROUPE_LOG_LEVEL", "warn", 1);
    ::setenv("UNRELATED_TO_TROUPE", "1", 1);

    Environment environment = current_environment();

    EXPECT_EQ(environment["TROUPE_LOG_LEVEL"], "warn");
    EXPECT_THAT(environment, Not(Contains(Key("UNRELATED_TO_TROUPE"))));
    ::unsetenv("TROUPE_LOG_LEVEL");
}

TEST(Display, DecidesWhetherAWindowOpens) {
    EXPECT_TRUE(with({}).browser.headless);
    EXPECT_EQ(with({}).browser.context.viewport, (Size{1280, 720}));
    EXPECT_FALSE(with({{"DISPLAY", ":0"}}).browser.headless);
    EXPECT_EQ(with({{"DISPLAY", ":0"}}).browser.context.viewport, std::nullopt);
}

}  // namespace
}  // namespace config
