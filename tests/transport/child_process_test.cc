#include "transport/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/client.h"
#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using fakes::run_task;
using fakes::run_until;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::ChildOptions;
using transport::ChildProcess;
using transport::ExitStatus;

class ChildProcessTest : public testing::Test {
protected:
    // Starts a shell script and listens to it.
    void launch(std::string script, ChildOptions options = {}) {
        options.command = {"sh", "-c", std::move(script)};
        options.on_stderr = [this](std::string_view line) { errors.emplace_back(line); };
        auto created = ChildProcess::create(loop, std::move(options));
        ASSERT_TRUE(created) << created.error().to_string();
        child = std::move(*created);
        child->start({
            .on_message = [this](std::string message) { messages.push_back(std::move(message)); },
            .on_request_failed = [](std::int64_t, const Error&) {},
            .on_close = [this](Error reason) { closed = std::move(reason); },
        });
    }
    void run_until_messages(std::size_t count) {
        run_until(loop, [&] { return messages.size() >= count; });
    }
    void run_until_closed() {
        run_until(loop, [&] { return closed.has_value(); });
    }
    Result<ExitStatus> wait() { return run_task(loop, child->wait(Deadline::in(20s))); }

    Loop loop;
    std::unique_ptr<ChildProcess> child;
    std::vector<std::string> messages;
    std::vector<std::string> errors;
    std::optional<Error> closed;
};

// Whether this is no child of ours any more, not even a dead one.
bool is_reaped(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == -1 && errno == ECHILD; }

TEST_F(ChildProcessTest, CarriesOneMessageALineInBothDirections) {
    launch("exec cat");
    child->send("{\"a\":1}", 1);
    child->send("{\"b\":2}", std::nullopt);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"a\":1}", "{\"b\":2}"));
}

TEST_F(ChildProcessTest, CarriesMessagesLargerThanAPipe) {
    launch("exec cat");
    std::string large = "\"" + std::string(5'000'000, 'x') + "\"";
    for (int i = 0; i < 4; ++i) child->send(large, i);
    run_until_messages(4);
    EXPECT_EQ(messages, std::vector<std::string>(4, large));
}

TEST_F(ChildProcessTest, TakesCarriageReturnsEmptyLinesAndALastLineWithoutEnd) {
    launch(R"(printf 'a\r\n\n\r\nb\nc')");
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("a", "b", "c"));
}

TEST_F(ChildProcessTest, SaysWhyAProgramCannotBeStarted) {
    auto missing = ChildProcess::create(loop, {.command = {"no-such-program-here", "-x"}});
    EXPECT_EQ(missing.error().message, "Cannot start `no-such-program-here`: No such file or directory.");
    auto forbidden = ChildProcess::create(loop, {.command = {"/etc/passwd"}});
    EXPECT_EQ(forbidden.error().message, "Cannot start `/etc/passwd`: Permission denied.");
    auto nowhere = ChildProcess::create(loop, {.command = {"cat"}, .directory = "/no/such/place"});
    EXPECT_EQ(nowhere.error().message, "Cannot start `cat`: /no/such/place: No such file or directory.");
    EXPECT_EQ(ChildProcess::create(loop, {}).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left of them
}

TEST_F(ChildProcessTest, ReportsTheExitStatusAndTheLastWords) {
    launch("echo '{}'; echo 'out of memory' >&2; exit 3");
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("{}"));
    EXPECT_EQ(closed->code, ErrorCode::NetworkError);
    EXPECT_EQ(closed->message, "The MCP server `sh` exited with status 3.");
    EXPECT_THAT(closed->details, HasSubstr("out of memory"));
    EXPECT_EQ(*wait(), (ExitStatus{.code = 3}));
    EXPECT_TRUE(is_reaped(child->pid()));
}

TEST_F(ChildProcessTest, ReportsTheSignalThatKilledIt) {
    launch("kill -KILL $$");
    run_until_closed();
    EXPECT_EQ(closed->message, "The MCP server `sh` was killed by SIGKILL.");
    EXPECT_EQ(*wait(), (ExitStatus{.signal = SIGKILL}));
}

TEST_F(ChildProcessTest, SaysSoWhenItsOutputEndsWhileItLivesOn) {
    launch("exec >&-; exec sleep 1000");
    run_until_closed();
    EXPECT_EQ(closed->message, "The MCP server `sh` closed its output.");
}

TEST_F(ChildProcessTest, SaysSoWhenItsInputEndsWhileItLivesOn) {
    launch("exec <&-; echo ready; exec sleep 1000");
    run_until_messages(1);
    child->send("{}", 1);
    run_until_closed();
    EXPECT_EQ(closed->message, "The MCP server `sh` closed its input.");
}

TEST_F(ChildProcessTest, ForwardsErrorsLineByLine) {
    launch("echo one >&2; echo two >&2; printf three >&2");
    run_until_closed();
    EXPECT_THAT(errors, ElementsAre("one", "two", "three"));
}

TEST_F(ChildProcessTest, PassesEnvironmentAndDirectory) {
    ::setenv("TROUPE_TEST_KEPT", "kept", 1);
    launch("echo $TROUPE_TEST_KEPT $HOME $ADDED; pwd",
           {.environment = {{"HOME", "/elsewhere"}, {"ADDED", "a=b"}}, .directory = "/usr"});
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("kept /elsewhere a=b", "/usr"));
}

TEST_F(ChildProcessTest, InheritsNothingOfOurs) {
    int ours = ::open("/dev/null", O_RDONLY);  // not close-on-exec
    sigset_t blocked, before;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &blocked, &before);
    launch("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f5 /proc/$$/stat");
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(ours);
    run_until_closed();
    // Three streams, and the directory that ls reads.
    EXPECT_THAT(messages, ElementsAre("4", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000",
                                      std::to_string(child->pid())));
}

TEST_F(ChildProcessTest, ClosesAtALineOverTheLimit) {
    launch("echo 1234567890; echo 12345678901; exec sleep 1000", {.max_line = 10});
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("1234567890"));
    EXPECT_EQ(closed->code, ErrorCode::ResourceExhausted);
    EXPECT_EQ(closed->message, "The MCP server `sh` sent a message of more than 10 bytes.");
}

TEST_F(ChildProcessTest, SplitsErrorLinesWithoutEnd) {
    launch("head -c 200000 /dev/zero | tr '\\0' x >&2");
    run_until_closed();
    ASSERT_EQ(errors.size(), 4u);
    EXPECT_EQ(errors[0].size(), 65536u);
    EXPECT_EQ(errors[3].size(), 200000u - 3 * 65536u);
}

TEST_F(ChildProcessTest, ClosesWhenItDoesNotRead) {
    launch("exec sleep 1000", {.max_queue = 1'000'000});
    for (int i = 0; i < 3; ++i) child->send(std::string(400'000, 'x'), i);
    run_until_closed();
    EXPECT_EQ(closed->message, "The MCP server `sh` does not read what it is sent.");
}

TEST_F(ChildProcessTest, EndsARequestWhenItDiesBeforeTheAnswer) {
    auto created = ChildProcess::create(loop, {.command = {"sh", "-c", "read line; exit 7"}});
    child = std::move(*created);
    Log log = Log::silent();
    mcp::ClientConnection connection(loop, *child, log);
    auto called = run_task(loop, connection.call_tool("x", {}, {.deadline = Deadline::in(20s)}));
    EXPECT_EQ(called.error().message, "The MCP server `sh` exited with status 7.");
}

TEST_F(ChildProcessTest, SpeaksTheProtocol) {
    auto created = ChildProcess::create(loop, {.command = {"sh", "-c", R"(
        while read -r line; do
            case "$line" in
            *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}' ;;
            *'"ping"'*) echo 'some noise'; echo '{"jsonrpc":"2.0","id":2,"result":{}}' ;;
            esac
        done)"}});
    child = std::move(*created);
    Log log = Log::silent();
    mcp::ClientConnection connection(loop, *child, log);
    EXPECT_TRUE(run_task(loop, connection.initialize({}, {}, Deadline::in(20s))));
    EXPECT_TRUE(run_task(loop, connection.ping(Deadline::in(20s))));
    EXPECT_EQ(connection.malformed_count(), 1u);
    EXPECT_EQ(*run_task(loop, child->stop(20s)), ExitStatus{});
}

TEST_F(ChildProcessTest, StopsByTheEndOfInputWhenThatIsEnough) {
    launch("exec cat");
    child->send("last words", std::nullopt);
    EXPECT_EQ(*run_task(loop, child->stop(20s)), ExitStatus{});
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("last words"));
    EXPECT_TRUE(is_reaped(child->pid()));
}

TEST_F(ChildProcessTest, StopsBySigtermWhatIgnoresTheEndOfInput) {
    launch("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done");
    run_until_messages(1);
    EXPECT_EQ(*run_task(loop, child->stop(1ms, 20s)), (ExitStatus{.code = 5}));
}

TEST_F(ChildProcessTest, StopsBySigkillWhatIgnoresSigterm) {
    launch("trap '' TERM; echo ready; while :; do sleep 1000; done");
    run_until_messages(1);
    EXPECT_EQ(*run_task(loop, child->stop(1ms, 1ms)), (ExitStatus{.signal = SIGKILL}));
    EXPECT_TRUE(is_reaped(child->pid()));
    EXPECT_EQ(*run_task(loop, child->stop(1ms)), (ExitStatus{.signal = SIGKILL}));  // again, and no harm
}

// Orphans become children of this process while it lives, so that their end can be seen.
class Subreaper {
public:
    Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
    ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

// The signal that an orphan died of.
int wait_for_orphan(const std::string& pid) {
    int status = 0;
    return ::waitpid(std::stoi(pid), &status, 0) > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

TEST_F(ChildProcessTest, TakesItsWholeGroupAlongWhenDestroyed) {
    Subreaper subreaper;
    launch("sleep 1000 & echo $!; wait");
    run_until_messages(1);
    pid_t pid = child->pid();
    child.reset();
    EXPECT_TRUE(is_reaped(pid));
    EXPECT_EQ(wait_for_orphan(messages.at(0)), SIGKILL);
    EXPECT_FALSE(closed);
}

TEST_F(ChildProcessTest, TakesItsWholeGroupAlongWhenItEnds) {
    Subreaper subreaper;
    launch("sleep 1000 & echo $!");
    run_until_closed();
    EXPECT_EQ(wait_for_orphan(messages.at(0)), SIGKILL);
}

TEST_F(ChildProcessTest, EndsEvenWhenAnotherKeepsItsOutputOpen) {
    Subreaper subreaper;
    launch("setsid sh -c 'echo $$; exec sleep 1000' & read line");
    run_until_messages(1);
    child->send("go", std::nullopt);
    run_until_closed();
    EXPECT_EQ(closed->message, "The MCP server `sh` exited with status 0.");
    ::kill(std::stoi(messages.at(0)), SIGTERM);
    EXPECT_EQ(wait_for_orphan(messages.at(0)), SIGTERM);
}

TEST_F(ChildProcessTest, DiesWithAnOwnerThatIsKilled) {
    Subreaper subreaper;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t owner = ::fork();
    if (owner == 0) {
        auto owned = ChildProcess::create(loop, {.command = {"sleep", "1000"}});
        pid_t pid = owned ? (*owned)->pid() : 0;
        [[maybe_unused]] ssize_t ignored = ::write(ends[1], &pid, sizeof pid);
        for (;;) ::pause();
    }
    pid_t pid = 0;
    ASSERT_EQ(::read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    ASSERT_GT(pid, 0);
    ::kill(owner, SIGKILL);
    EXPECT_EQ(wait_for_orphan(std::to_string(owner)), SIGKILL);
    EXPECT_EQ(wait_for_orphan(std::to_string(pid)), SIGKILL);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(ChildProcessTest, IsSilentAfterClose) {
    launch("echo one; read line; echo two; exit 1");
    run_until_messages(1);
    child->close();
    EXPECT_EQ(*wait(), (ExitStatus{.code = 1}));
    loop.restart();
    loop.poll();
    EXPECT_THAT(messages, ElementsAre("one"));
    EXPECT_FALSE(closed);
}

TEST_F(ChildProcessTest, MayBeDestroyedByItsOwnHandler) {
    auto created = ChildProcess::create(loop, {.command = {"sh", "-c", "echo one; echo two; echo three"}});
    child = std::move(*created);
    pid_t pid = child->pid();
    child->start({.on_message =
                      [this](std::string message) {
                          messages.push_back(std::move(message));
                          child.reset();
                      },
                  .on_request_failed = [](std::int64_t, const Error&) {},
                  .on_close = [this](Error reason) { closed = std::move(reason); }});
    run_until_messages(1);
    loop.restart();
    loop.run();
    EXPECT_THAT(messages, ElementsAre("one"));
    EXPECT_FALSE(closed);
    EXPECT_TRUE(is_reaped(pid));
}

TEST_F(ChildProcessTest, TellsALateListenerOfItsEnd) {
    auto created = ChildProcess::create(loop, {.command = {"sh", "-c", "echo early; exit 2"}});
    child = std::move(*created);
    EXPECT_EQ(*wait(), (ExitStatus{.code = 2}));
    child->start({.on_message = [this](std::string message) { messages.push_back(std::move(message)); },
                  .on_request_failed = [](std::int64_t, const Error&) {},
                  .on_close = [this](Error reason) { closed = std::move(reason); }});
    run_until_closed();
    EXPECT_THAT(messages, ElementsAre("early"));
    EXPECT_EQ(closed->message, "The MCP server `sh` exited with status 2.");
}

}  // namespace
