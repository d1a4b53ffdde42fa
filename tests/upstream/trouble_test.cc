// What goes wrong with servers behind us: each time a clear error, and never a hang.
#include "tests/upstream/fixture.h"

namespace {

using namespace upstream_tests;
using testing::AllOf;
using testing::HasSubstr;

using UpstreamTrouble = UpstreamTest;

TEST_F(UpstreamTrouble, MissingCommand) {
    options.command = {"no-such-program-here"};
    auto read = read_tools();
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message,
                AllOf(HasSubstr("Starting failed"),
                      HasSubstr("Cannot start `no-such-program-here`: No such file or directory.")));
    EXPECT_THAT(read.error().hint, HasSubstr("upstream.command"));
}

TEST_F(UpstreamTrouble, ServerThatEndsAtOnce) {
    options.command.push_back("--broken");
    EXPECT_THAT(read_tools().error().message,
                AllOf(HasSubstr("exited with status 1."), HasSubstr("Its last words: no such module")));
}

TEST_F(UpstreamTrouble, ServerThatSaysMoreAfterItsError) {
    options.command.push_back("--throws");
    auto read = read_tools();
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().message.ends_with("Its last words: Error: no such device"))
        << read.error().message;
}

TEST_F(UpstreamTrouble, ServerThatNeverAnswersTheHandshake) {
    options.command.push_back("--silent");
    options.timing.handshake = 50ms;
    EXPECT_THAT(read_tools().error().message, HasSubstr("did not answer the handshake within 50 ms."));
}

TEST_F(UpstreamTrouble, ServerThatPrintsSomethingElse) {
    options.command.push_back("--chatty");
    options.timing.handshake = 300ms;
    EXPECT_THAT(read_tools().error().message, HasSubstr("does it log to its standard output?"));
}

TEST_F(UpstreamTrouble, GarbageAmongTheAnswers) {
    options.command.push_back("--noisy");
    begin();
    EXPECT_EQ(said("garbage"), "fine");
    EXPECT_EQ(said("echo"), R"({"a":1})");
}

TEST_F(UpstreamTrouble, CrashDuringACall) {
    begin();
    pid_t before = pid();
    auto result = call("crash");
    EXPECT_TRUE(result.is_error);
    EXPECT_THAT(text_of(result), AllOf(HasSubstr("exited with status 3"), HasSubstr("The call of crash"),
                                       HasSubstr("The next call starts the server again")));
    EXPECT_NE(pid(), before);
}

TEST_F(UpstreamTrouble, CrashOfOneSessionLeavesTheOthersAlone) {
    begin();
    pid_t other = pid("two");
    call("crash", "one");
    EXPECT_EQ(pid("two"), other);
}

TEST_F(UpstreamTrouble, KilledBetweenCalls) {
    begin();
    pid_t before = pid();
    ::kill(before, SIGKILL);
    run_until(loop, [&] { return !is_alive(before); });
    // Depending on who is first, the call meets a dying server or a new one; the one after it a new one.
    call("echo");
    EXPECT_NE(pid(), before);
}

TEST_F(UpstreamTrouble, HangIsNoticedByPings) {
    options.timing.ping_interval = 20ms;
    begin();
    pid_t before = pid();
    auto result = call("freeze");
    EXPECT_TRUE(result.is_error);
    EXPECT_THAT(text_of(result), HasSubstr("hangs: 3 pings were not answered."));
    EXPECT_FALSE(is_alive(before));
    EXPECT_NE(pid(), before);
}

TEST_F(UpstreamTrouble, ServerThatOnlyIsSlowIsNotTakenForHanging) {
    options.timing.ping_interval = 20ms;
    begin();
    FakeClient client("one");
    bool ended = false;
    Running running = start(calling(client, "forget"), [&](Result<tools::ToolResult>) { ended = true; });
    pid_t before = pid();
    Deadline several_pings = Deadline::in(200ms);
    run_until(loop, [&] { return several_pings.has_passed(); });
    EXPECT_FALSE(ended);
    EXPECT_EQ(pid(), before);
}

TEST_F(UpstreamTrouble, FloodOfAHundredMegabytes) {
    begin();
    auto result = call("flood");
    EXPECT_TRUE(result.is_error);
    EXPECT_THAT(text_of(result), HasSubstr("sent a message of more than 67108864 bytes."));
    EXPECT_EQ(said("echo"), R"({"a":1})");
}

TEST_F(UpstreamTrouble, ServerThatKeepsCrashingIsLeftAloneForAWhile) {
    options.timing.restart.window = 1h;
    begin();
    for (int i = 0; i < 4; ++i) EXPECT_THAT(said("crash"), HasSubstr("exited with status 3"));

    EXPECT_THAT(said("echo"), AllOf(HasSubstr("degraded"), HasSubstr("Try again in 3600 seconds")));
    EXPECT_EQ(said("echo", "two"), R"({"a":1})");
}

TEST_F(UpstreamTrouble, DegradedServerStartsOverWhenItsSessionIsClosed) {
    options.timing.restart.window = 1h;
    begin();
    for (int i = 0; i < 4; ++i) call("crash");
    session::SessionKey key{"one", ""};
    EXPECT_EQ(engine->closed_for(key), 3600s);
    EXPECT_EQ(engine->degraded_count(), 1U);
    EXPECT_EQ(engine->list("one").at(0).state, "degraded");

    EXPECT_TRUE(engine->close(key));
    EXPECT_EQ(engine->closed_for(key), 0s);
    EXPECT_EQ(said("echo"), R"({"a":1})");
}

TEST_F(UpstreamTrouble, ServerThatStartsSlowlyIsWaitedFor) {
    options.command.push_back("--slow");
    begin();
    EXPECT_EQ(said("echo"), R"({"a":1})");
}

TEST_F(UpstreamTrouble, SlowStartMayOutlastTheCallThatBeganIt) {
    options.command.push_back("--slow");
    begin();
    FakeClient hasty("one");
    auto late = run_task(loop, registry.find_tool("pid")->run({arguments, hasty, Deadline::in(10ms)}));
    EXPECT_THAT(text_of(*late), HasSubstr("The start of the MCP server"));
    EXPECT_EQ(said("echo"), R"({"a":1})");
    EXPECT_EQ(engine->child_count(), 1U);
}

TEST_F(UpstreamTrouble, DegradedServerRecoversWithTime) {
    options.timing.restart.window = 300ms;
    begin();
    for (int i = 0; i < 4; ++i) call("crash");
    run_until(loop, [&] { return said("echo") == R"({"a":1})"; });
}

TEST_F(UpstreamTrouble, ProcessInASessionOfItsOwnDiesWithTheServer) {
    begin();
    pid_t browser = std::stoi(said("daemon"));
    EXPECT_TRUE(is_alive(browser));
    call("crash");
    run_until(loop, [&] { return !is_alive(browser); });
}

TEST_F(UpstreamTrouble, ProcessInASessionOfItsOwnDiesWithTheEngine) {
    begin();
    pid_t browser = std::stoi(said("daemon")), server = pid();
    engine.reset();
    EXPECT_FALSE(is_alive(browser));
    EXPECT_FALSE(is_alive(server));
}

TEST_F(UpstreamTrouble, ClosingEndsEverything) {
    begin();
    pid_t browser = std::stoi(said("daemon")), server = pid();
    EXPECT_TRUE(run_task(loop, engine->close()));
    EXPECT_FALSE(is_alive(browser));
    EXPECT_FALSE(is_alive(server));
}

TEST_F(UpstreamTrouble, ClosingFailsTheCallsUnderWay) {
    begin();
    FakeClient client("one");
    pid();
    std::optional<Result<tools::ToolResult>> outcome;
    Running running = start(calling(client, "forget"),
                            [&](Result<tools::ToolResult> result) { outcome.emplace(std::move(result)); });
    EXPECT_TRUE(engine->close(session::SessionKey{"one", ""}));
    run_until(loop, [&] { return outcome.has_value(); });
    EXPECT_THAT(text_of(**outcome), HasSubstr("The session was closed."));
}

}  // namespace
