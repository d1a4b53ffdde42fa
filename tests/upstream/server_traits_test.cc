#include "upstream/server_traits.h"

#include <gtest/gtest.h>

namespace {

using upstream::is_playwright_package;
using upstream::names_profile;
using upstream::ServerTraits;

TEST(ServerTraits, AreWhatTheHelpLists) {
    auto traits = ServerTraits::from_help(R"(Usage: My fork [options]
  --isolated                keep the browser profile in memory
  --config <path>           path to the configuration file.
  --user-data-dir=<path>    path to the user data directory)");
    EXPECT_EQ(traits, (ServerTraits{.isolated = true, .user_data_dir = true, .config = true}));
}

TEST(ServerTraits, NeedTheWholeOption) {
    EXPECT_EQ(ServerTraits::from_help("--isolated-worlds, --config-file, ---isolated"), ServerTraits{});
    EXPECT_EQ(ServerTraits::from_help(""), ServerTraits{});
}

TEST(ServerTraits, SurviveBeingKept) {
    ServerTraits traits{.isolated = true, .context_options = true};
    EXPECT_EQ(ServerTraits::from_json(traits.to_json()), traits);
    EXPECT_EQ(ServerTraits::from_json({{"isolated", "yes"}}), ServerTraits{});
}

TEST(ServerTraits, AreKnownOfMicrosoftsPackageOnly) {
    EXPECT_TRUE(is_playwright_package({"npx", "-y", "@playwright/mcp@latest"}));
    EXPECT_TRUE(is_playwright_package({"npx", "@playwright/mcp"}));
    EXPECT_TRUE(is_playwright_package({"node", "/x/node_modules/@playwright/mcp/cli.js"}));
    EXPECT_FALSE(is_playwright_package({"node", "my/fork/cli.js"}));
    EXPECT_FALSE(is_playwright_package({"node", "/home/ann/playwright-notes/server.js"}));
    EXPECT_FALSE(is_playwright_package({"npx", "@playwright/mcp-next"}));
    EXPECT_FALSE(is_playwright_package({"npx", "not@playwright/mcp"}));
}

TEST(ServerTraits, TellACommandThatChoosesItsProfile) {
    EXPECT_TRUE(names_profile({"node", "cli.js", "--user-data-dir=/x"}));
    EXPECT_TRUE(names_profile({"node", "cli.js", "--userDataDir", "/x"}));
    EXPECT_TRUE(names_profile({"node", "cli.js", "--isolated"}));
    EXPECT_FALSE(names_profile({"node", "isolated", "--caps=vision"}));
}

}  // namespace
