// The process behind a session or behind several: what it says, and when it ends.
#include "upstream/server_process.h"

#include <algorithm>

#include "tests/upstream/fixture.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

using namespace upstream_tests;
using testing::HasSubstr;
using testing::Not;

std::filesystem::path log_file() {
    return std::filesystem::path(testing::TempDir()) /
           ("upstream-" + std::to_string(::getpid()) + "-" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
}

class UpstreamProcess : public UpstreamTest {
protected:
    UpstreamProcess() : UpstreamTest(std::move(Log::create({.file = log_file()})).value()) {}
    ~UpstreamProcess() override { std::filesystem::remove(log_file()); }

    void mutter(std::string_view line) {
        arguments = json::object{{"line", line}};
        EXPECT_EQ(said("mutter"), "said");
    }
    static std::vector<std::string> lines() { return split(read_file(log_file()).value_or(""), '\n'); }
    static auto count(std::string_view line) {
        return std::ranges::count_if(lines(), [&](const std::string& each) { return each == line; });
    }
    static auto count_logged(std::string_view line) {
        return std::ranges::count_if(lines(), [&](const std::string& each) {
            return each.find("An MCP server says.") != each.npos && each.find(line) != each.npos;
        });
    }
};

TEST_F(UpstreamProcess, LinesForPeopleReachThemAsTheyAre) {
    options.shows = [](std::string_view line) { return line.starts_with("pw:"); };
    begin();
    mutter("pw:mcp:test create browser");
    run_until(loop, [&] { return count("pw:mcp:test create browser") == 1; });
    mutter("Deprecated.");
    run_until(loop, [&] { return count_logged("Deprecated.") == 1; });
    EXPECT_EQ(count_logged("create browser"), 0);
}

TEST_F(UpstreamProcess, ItsSessionWithUsAndItsEndAreOnlyLogged) {
    options.shows = [](std::string_view) { return true; };
    begin();
    for (std::string line : {"pw:mcp:test create http session", "pw:mcp:test gracefully closing 1"}) {
        mutter(line);
        run_until(loop, [&] { return count_logged(line) == 1; });
        EXPECT_EQ(count(line), 0);
    }
}

TEST_F(UpstreamProcess, ClosesTheBrowserBeforeItEnds) {
    options.command.emplace_back("--closes");
    begin();
    said("echo");
    EXPECT_TRUE(engine->close({"one", ""}));
    run_until(loop, [&] { return count_logged("browser_close") == 1; });
}

TEST_F(UpstreamProcess, StartsNoBrowserToCloseIt) {
    options.command.emplace_back("--closes");
    begin();
    pid_t one = pid();
    EXPECT_EQ(said("browser_close"), "said");
    EXPECT_TRUE(engine->close({"one", ""}));
    run_until(loop, [&] { return !is_alive(one); });
    EXPECT_EQ(count_logged("browser_close"), 1);
}

class SharedUpstreamProcess : public UpstreamProcess {
protected:
    SharedUpstreamProcess() {
        options.shared = true;
        options.transport = upstream::Transport::Http;
    }
};

TEST_F(SharedUpstreamProcess, IsForAllSessionsAndEndsWithTheLast) {
    begin();
    pid_t shared = pid("one");
    EXPECT_EQ(pid("two"), shared);
    EXPECT_TRUE(engine->close({"one", ""}));
    EXPECT_EQ(pid("two"), shared);
    EXPECT_TRUE(engine->close({"two", ""}));
    run_until(loop, [&] { return !is_alive(shared); });
    EXPECT_NE(pid("one"), shared);
}

TEST_F(SharedUpstreamProcess, IsStartedAgainForAllWhenItDies) {
    begin();
    pid_t shared = pid("one");
    EXPECT_EQ(pid("two"), shared);
    ::kill(shared, SIGKILL);
    // Until its end is noticed, calls meet a port that nobody listens on.
    for (const char* session : {"one", "two"})
        run_until(loop, [&] { return !call("pid", session).is_error; });
    EXPECT_NE(pid("one"), shared);
    EXPECT_EQ(pid("two"), pid("one"));
}

}  // namespace
