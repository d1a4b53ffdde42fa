#include "engine/browser_finder.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using engine::find_browser;
using engine::FoundBrowser;
using testing::Contains;
using testing::HasSubstr;

namespace {

// A machine that has just these programs, some of them symbolic links.
engine::Machine machine_with(std::set<std::filesystem::path> programs,
                             const std::map<std::filesystem::path, std::filesystem::path>& links = {}) {
    for (const auto& [link, target] : links) programs.insert(link);
    return {
        .is_executable = [programs](const std::filesystem::path& file) { return programs.contains(file); },
        .resolve =
            [links](const std::filesystem::path& file) {
                auto it = links.find(file);
                return it == links.end() ? file : it->second;
            },
        .search_path = {"/usr/local/bin", "/usr/bin"},
    };
}

const std::set<std::filesystem::path> kDebian = {"/usr/bin/chromium", "/usr/lib/chromium/chromium",
                                                 "/usr/bin/chromium-headless-shell",
                                                 "/usr/lib/chromium/chromium-headless-shell"};

TEST(BrowserFinder, PrefersTheHeadlessShellWhenNoWindowIsNeeded) {
    auto found = find_browser({.headless = true}, machine_with(kDebian));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/usr/lib/chromium/chromium-headless-shell");
    EXPECT_EQ(found->name, "chromium-headless-shell");
    EXPECT_TRUE(found->headless_only);
}

TEST(BrowserFinder, TakesFullChromiumWhenAWindowIsNeeded) {
    auto found = find_browser({.headless = false}, machine_with(kDebian));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/usr/lib/chromium/chromium");
    EXPECT_FALSE(found->headless_only);
}

TEST(BrowserFinder, TakesFullChromiumWhenItIsAskedFor) {
    auto found = find_browser({.name = "chromium"}, machine_with(kDebian));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/usr/lib/chromium/chromium");
    EXPECT_EQ(found->name, "chromium");
}

TEST(BrowserFinder, AnswersForChromiumWithItsShellWhenThatIsAllThereIs) {
    auto machine = machine_with({"/usr/lib/chromium/chromium-headless-shell"});

    EXPECT_EQ(find_browser({.name = "chromium"}, machine)->name, "chromium-headless-shell");
    EXPECT_FALSE(find_browser({.name = "chromium", .headless = false}, machine));
}

TEST(BrowserFinder, TakesPlaywrightsNameForItsChromiumAsChromium) {
    for (std::string name : {"chromium", "chrome-for-testing"}) {
        EXPECT_EQ(find_browser({.name = name}, machine_with(kDebian))->path, "/usr/lib/chromium/chromium");
        EXPECT_EQ(
            find_browser({.name = name}, machine_with({"/usr/lib/chromium/chromium-headless-shell"}))->name,
            "chromium-headless-shell");
        auto missing = find_browser({.name = name}, machine_with({}));
        ASSERT_FALSE(missing);
        EXPECT_EQ(missing.error().message, "The browser chromium is not installed.");
    }
}

TEST(BrowserFinder, StartsTheProgramAndNotTheScriptThatIsGivenAsExecutable) {
    auto found = find_browser({.executable = "/usr/bin/chromium"}, machine_with(kDebian));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/usr/lib/chromium/chromium");
    EXPECT_EQ(found->name, "chromium");
}

TEST(BrowserFinder, FollowsTheLinkOfAVendorsScriptToTheProgramBesideIt) {
    auto machine = machine_with({"/opt/google/chrome/chrome", "/opt/google/chrome/google-chrome"},
                                {{"/usr/bin/google-chrome-stable", "/opt/google/chrome/google-chrome"}});

    auto found = find_browser({.name = "chrome"}, machine);

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/opt/google/chrome/chrome");
    EXPECT_EQ(found->name, "chrome");
}

TEST(BrowserFinder, FindsEveryChannelInItsUsualPlace) {
    const std::map<std::string, std::filesystem::path> places = {
        {"chrome", "/opt/google/chrome/chrome"},
        {"chrome-beta", "/opt/google/chrome-beta/chrome"},
        {"chrome-dev", "/opt/google/chrome-unstable/chrome"},
        {"chrome-canary", "/opt/google/chrome-canary/chrome"},
        {"msedge", "/opt/microsoft/msedge/msedge"},
        {"msedge-beta", "/opt/microsoft/msedge-beta/msedge"},
        {"msedge-dev", "/opt/microsoft/msedge-dev/msedge"},
        {"msedge-canary", "/opt/microsoft/msedge-canary/msedge"},
    };
    for (const auto& [name, program] : places) {
        auto found = find_browser({.name = name}, machine_with({program}));
        ASSERT_TRUE(found) << name;
        EXPECT_EQ(found->path, program);
        EXPECT_EQ(found->name, name);
        EXPECT_THAT(engine::browser_names(), Contains(name));
    }
}

TEST(BrowserFinder, LetsTheUsersOwnBuildOnPathWin) {
    auto programs = kDebian;
    programs.insert("/usr/local/bin/chromium");

    EXPECT_EQ(find_browser({.name = "chromium"}, machine_with(programs))->path, "/usr/local/bin/chromium");
}

TEST(BrowserFinder, TakesAnExecutableThatItDoesNotKnow) {
    auto found = find_browser({.executable = "/home/me/browser", .name = "chrome", .headless = false},
                              machine_with({"/home/me/browser"}));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, "/home/me/browser");
    EXPECT_EQ(found->name, "browser");
}

TEST(BrowserFinder, SaysWhatToInstallWhenThereIsNoBrowser) {
    auto headless = find_browser({}, machine_with({}));
    auto headed = find_browser({.headless = false}, machine_with({}));
    auto named = find_browser({.name = "chromium", .headless = false}, machine_with({}));

    EXPECT_THAT(headless.error().hint, HasSubstr("apt-get install chromium-headless-shell"));
    EXPECT_THAT(headed.error().hint, HasSubstr("apt-get install chromium"));
    EXPECT_THAT(named.error().to_string(), HasSubstr("apt-get install chromium"));
    EXPECT_EQ(named.error().code, ErrorCode::NotFound);
}

TEST(BrowserFinder, SaysWhichExecutableCannotBeRun) {
    auto found = find_browser({.executable = "/nowhere/chrome"}, machine_with(kDebian));

    EXPECT_THAT(found.error().message, HasSubstr("/nowhere/chrome"));
    EXPECT_THAT(found.error().hint, HasSubstr("--executable-path"));
}

TEST(BrowserFinder, SuggestsTheNameThatWasMeant) {
    EXPECT_THAT(find_browser({.name = "chrom-beta"}, machine_with(kDebian)).error().hint,
                HasSubstr("chrome-beta"));
    EXPECT_THAT(find_browser({.name = "netscape"}, machine_with(kDebian)).error().hint,
                HasSubstr("chromium, chrome"));
}

TEST(BrowserFinder, RefusesAShellWhereAWindowIsAskedFor) {
    auto found = find_browser({.name = "chromium-headless-shell", .headless = false}, machine_with(kDebian));

    EXPECT_THAT(found.error().message, HasSubstr("cannot open a window"));
    EXPECT_THAT(found.error().hint, HasSubstr("--headless"));
}

TEST(BrowserFinder, FindsARealProgramOnThisMachine) {
    auto found = find_browser({});

    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_TRUE(std::filesystem::is_regular_file(found->path));
}

}  // namespace
