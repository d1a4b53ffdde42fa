#include "daemon/options_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daemons {
namespace {

std::string key(std::vector<std::string> flags, const std::filesystem::path& directory = "/project") {
    flags.insert(flags.begin(), "--daemon");
    auto loaded = config::load(flags, {}, directory);
    EXPECT_TRUE(loaded) << loaded.error().to_string();
    return loaded ? options_key(*loaded, directory) : "";
}

TEST(OptionsKey, IsTheSameFromAnyDirectory) {
    EXPECT_EQ(key({"--headless"}, "/a"), key({"--headless"}, "/b"));
    EXPECT_EQ(key({"--headless"}).size(), 16u);
}

TEST(OptionsKey, DiffersWithWhatDecidesABrowser) {
    EXPECT_NE(key({"--headless"}), key({"--no-headless"}));
    EXPECT_NE(key({}), key({"--user-data-dir=/profile"}));
    EXPECT_NE(key({}), key({"--caps=vision"}));
    EXPECT_NE(key({"--secrets=/dev/null"}), key({"--proxy-server=http://p:1"}));
}

TEST(OptionsKey, LeavesOutHowADaemonLogsAndHowLongItStays) {
    EXPECT_EQ(key({}), key({"--log-level=debug", "--log-file=/tmp/x.log", "--daemon-idle=5"}));
}

TEST(OptionsKey, DoesNotMindHowAPathIsWritten) {
    EXPECT_EQ(key({"--output-dir=out"}, "/a"), key({"--output-dir=/a/b/../out"}, "/b"));
    EXPECT_NE(key({"--output-dir=out"}, "/a"), key({"--output-dir=out"}, "/b"));
}

TEST(OptionsKey, KeepsDirectoriesApartWhereANameMeansAnotherFile) {
    EXPECT_NE(key({"--executable-path=./chrome"}, "/a"), key({"--executable-path=./chrome"}, "/b"));
    EXPECT_EQ(key({"--executable-path=/chrome"}, "/a"), key({"--executable-path=/chrome"}, "/b"));
}

}  // namespace
}  // namespace daemons
