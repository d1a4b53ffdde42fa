#include "daemon/handshake.h"

#include <gtest/gtest.h>

namespace daemons {
namespace {

TEST(Hello, ComesBackAsItWasSaid) {
    auto hello = read_hello(to_line(Hello{.version = "1.2",
                                          .directory = "/a \"b\"",
                                          .generation = 3,
                                          .agent = "scout",
                                          .had_session = true,
                                          .retire = "1.1"}));
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->link, kLinkVersion);
    EXPECT_EQ(hello->version, "1.2");
    EXPECT_EQ(hello->directory, "/a \"b\"");
    EXPECT_EQ(hello->generation, 3);
    EXPECT_EQ(hello->agent, "scout");
    EXPECT_TRUE(hello->had_session);
    EXPECT_EQ(hello->retire, "1.1");

    auto welcome = read_welcome(to_line(Welcome{.version = "1.2", .clients = 4, .retired = true}));
    ASSERT_TRUE(welcome);
    EXPECT_EQ(welcome->clients, 4);
    EXPECT_TRUE(welcome->retired);
}

TEST(Hello, IsNoMessage) {
    EXPECT_FALSE(read_hello(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
    EXPECT_FALSE(read_hello("troupeHello"));
    EXPECT_FALSE(read_welcome(to_line(Hello{})));
}

TEST(Judge, UsesADaemonOfItsOwnVersion) {
    EXPECT_EQ(judge({.version = "1.2", .clients = 0}, "1.2"), Verdict::Use);
    EXPECT_EQ(judge({.version = "1.2", .clients = 9}, "1.2"), Verdict::Use);
}

TEST(Judge, ReplacesAnOlderOneThatNobodyUses) {
    EXPECT_EQ(judge({.version = "1.9.1", .clients = 0}, "1.10"), Verdict::Replace);
    EXPECT_EQ(judge({.version = "1.9.1", .clients = 1}, "1.10"), Verdict::Use);
    EXPECT_EQ(judge({.version = "1.10", .clients = 0}, "1.9.1"), Verdict::Use);
}

TEST(Judge, RefusesAnotherLanguageThatOthersNeed) {
    EXPECT_EQ(judge({.link = kLinkVersion + 1, .version = "3", .clients = 0}, "2"), Verdict::Replace);
    EXPECT_EQ(judge({.link = kLinkVersion + 1, .version = "3", .clients = 1}, "2"), Verdict::Refuse);
}

}  // namespace
}  // namespace daemons
