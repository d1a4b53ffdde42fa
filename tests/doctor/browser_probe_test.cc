#include "doctor/browser_probe.h"

#include <poll.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/browser_finder.h"
#include "tests/doctor/test_directory.h"

using doctor::probe_browser;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

namespace {

// The command lines of all processes that mention `text`.
std::vector<std::string> processes_mentioning(const std::string& text) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::string command = read_file(entry.path() / "cmdline").value_or("");
        if (command.contains(text)) found.push_back(command);
    }
    return found;
}

class BrowserProbe : public testing::Test {
protected:
    TestDirectory directory_;
    TestDirectory temp_;
    TempDirOverride override_{temp_.path()};

    void TearDown() override {
        EXPECT_TRUE(std::filesystem::is_empty(temp_.path())) << "a temporary profile was left";
        // They were killed; the kernel may need a moment on a busy machine.
        auto limit = std::chrono::steady_clock::now() + 20s;
        while (!processes_mentioning(temp_.path().string()).empty() &&
               std::chrono::steady_clock::now() < limit)
            ::poll(nullptr, 0, 20);
        EXPECT_THAT(processes_mentioning(temp_.path().string()), IsEmpty());
    }
};

TEST_F(BrowserProbe, StartsEveryInstalledBrowserAndLeavesNothing) {
    for (const char* name : {"chromium-headless-shell", "chromium"}) {
        auto browser = engine::find_browser({.name = name});
        ASSERT_TRUE(browser) << browser.error().to_string();

        auto answer = probe_browser({.executable = browser->path, .sandbox = ::geteuid() != 0, .limit = 60s});

        ASSERT_TRUE(answer) << answer.error().to_string() << "\n" << answer.error().details;
        EXPECT_THAT(answer->product, HasSubstr("Chrome/"));
    }
}

TEST_F(BrowserProbe, ShowsWhatABrowserThatFailsHadToSay) {
    auto script = directory_.add_script("fails", "echo 'no usable sandbox!' >&2; exit 1");

    auto answer = probe_browser({.executable = script});

    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::BrowserCrashed);
    EXPECT_THAT(answer.error().message, HasSubstr("exit status 1"));
    EXPECT_EQ(answer.error().details, "no usable sandbox!");
}

TEST_F(BrowserProbe, GivesUpOnABrowserThatHangsAndEndsItsChildren) {
    auto children = directory_.path() / "child";
    auto script =
        directory_.add_script("hangs", "sleep 600 & echo $! > " + children.string() + "; sleep 600");

    auto answer = probe_browser({.executable = script, .limit = 300ms});

    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::Timeout);
    EXPECT_THAT(answer.error().message, HasSubstr("300 ms"));
    EXPECT_FALSE(is_alive(children));
}

TEST_F(BrowserProbe, SaysThatAProgramIsMissing) {
    auto answer = probe_browser({.executable = directory_.path() / "missing"});

    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().details, HasSubstr("No such file"));
}

TEST_F(BrowserProbe, SpeaksToDescriptorsThreeAndFour) {
    auto script = directory_.add_script(
        "answers", R"(head -c 20 <&3 >/dev/null; printf '{"id":1,"result":{"product":"Fake/1.0"}}\0' >&4)");

    auto answer = probe_browser({.executable = script});

    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->product, "Fake/1.0");
}

TEST_F(BrowserProbe, GivesTheBrowserAProfileAndTurnsTheSandboxOffOnlyOnRequest) {
    auto seen = directory_.path() / "arguments";
    auto script = directory_.add_script("tells", "echo \"$TMPDIR $@\" > " + seen.string());

    (void)probe_browser({.executable = script, .sandbox = true});
    EXPECT_THAT(*read_file(seen),
                AllOf(StartsWith(temp_.path().string()), HasSubstr("--remote-debugging-pipe"),
                      HasSubstr("--user-data-dir=" + temp_.path().string()), Not(HasSubstr("--no-sandbox"))));
    (void)probe_browser({.executable = script, .sandbox = false});
    EXPECT_THAT(*read_file(seen), HasSubstr("--no-sandbox"));
}

}  // namespace
