#include "doctor/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/doctor/test_directory.h"

using doctor::last_lines;
using testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

TEST(Process, GivesWhatAProgramPrinted) {
    TestDirectory directory;
    auto script = directory.add_script("prints", "echo v20.1.0");

    EXPECT_EQ(*doctor::run({script, {}}, 10s), "v20.1.0");
}

TEST(Process, SaysHowAProgramEnded) {
    TestDirectory directory;
    auto fails = directory.add_script("fails", "echo first >&2; echo last >&2; exit 3");
    auto killed = directory.add_script("killed", "kill -9 $$");

    auto failed = doctor::run({fails, {}}, 10s);
    EXPECT_THAT(failed.error().message, HasSubstr("exit status 3"));
    EXPECT_EQ(failed.error().details, "first\nlast");
    EXPECT_THAT(doctor::run({killed, {}}, 10s).error().message, HasSubstr("signal 9"));
}

TEST(Process, StopsWaitingWhenTheTimeIsUp) {
    TestDirectory directory;
    auto script = directory.add_script("hangs", "sleep 600");

    EXPECT_EQ(doctor::run({script, {}}, 100ms).error().code, ErrorCode::Timeout);
}

TEST(Process, EndsWhatAnEndedProgramLeftBehind) {
    TestDirectory directory;
    auto child = directory.path() / "child";
    auto script = directory.add_script("leaves", "sleep 600 >/dev/null 2>&1 & echo $! > " + child.string());

    ASSERT_TRUE(doctor::run({script, {}}, 10s));

    EXPECT_FALSE(is_alive(child));
}

TEST(Process, HandsDownNoDescriptorOfOurs) {
    TestDirectory directory;
    int ours = ::open("/dev/null", O_RDONLY);  // not close-on-exec, as a careless library leaves it
    auto script = directory.add_script("lists", "ls /proc/self/fd | tr '\\n' ' '");

    // 3 and 4 are the DevTools pipe; 5 is how ls reads the directory.
    auto open = doctor::run({script, {}}, 10s);
    ::close(ours);

    EXPECT_EQ(*open, "0 1 2 3 4 5");
}

TEST(Process, SurvivesWritingToAProgramThatIsGone) {
    TestDirectory directory;
    auto process = doctor::Process::start({directory.add_script("gone", "exit 0"), {}});
    ASSERT_TRUE(process);
    auto deadline = std::chrono::steady_clock::now() + 10s;
    while (process->wait(deadline) == doctor::Process::Event::Progress) continue;

    EXPECT_FALSE(process->send("anyone there?"));
    EXPECT_EQ(process->ending(), "exit status 0");
}

TEST(Process, DiesWithTheOneThatStartedIt) {
    TestDirectory directory;
    auto file = directory.path() / "pid";
    auto script = directory.add_script("hangs", "echo $$ > " + file.string() + "; echo ready; exec sleep 30");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the killed starter leaves comes to us

    pid_t starter = ::fork();
    if (starter == 0) {
        auto process = doctor::Process::start({script, {}});
        process->wait(std::chrono::steady_clock::now() + 10s);
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(starter, nullptr, 0);
    int status = 0;
    pid_t orphan = static_cast<pid_t>(std::stol(read_file(file).value_or("0")));
    EXPECT_EQ(::waitpid(orphan, &status, 0), orphan);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);

    EXPECT_TRUE(WIFSIGNALED(status)) << "it lived on to its own end";
}

TEST(LastLines, KeepsTheEnd) {
    EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
    EXPECT_EQ(last_lines("a\nb", 5), "a\nb");
    EXPECT_EQ(last_lines("", 5), "");
}

}  // namespace
