#include "upstream/engine.h"

#include <fstream>

#include "tests/upstream/fixture.h"
#include "util/files.h"

namespace {

using namespace upstream_tests;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using UpstreamEngine = UpstreamTest;

TEST_F(UpstreamEngine, OffersTheServersToolsAsTheServerDescribesThem) {
    begin();
    auto tool = registry.find_tool("echo");
    ASSERT_TRUE(tool);
    EXPECT_EQ(json::serialize(tool->raw_json),
              R"({"name":"echo","title":"Echo","description":"Says it again","futureField":[1],)"
              R"("inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"},)"
              R"("annotations":{"readOnlyHint":true}})");
    EXPECT_EQ(tool->effect, tools::Effect::ReadsPage);
    EXPECT_EQ(engine->child_count(), 0U);  // the one that was asked is no session's
}

TEST_F(UpstreamEngine, PassesArgumentsAndResultsOnByteForByte) {
    begin();
    EXPECT_EQ(said("echo"), R"({"a":1})");
    EXPECT_EQ(
        call("odd").raw_json,
        R"({ "content" : [ {"type":"text","text":"\u00e4 \/"} ],  "future":1.50, "_meta": {"x":[ ]} })");
    EXPECT_FALSE(call("odd").is_error);
    EXPECT_TRUE(call("fails").is_error);
}

TEST_F(UpstreamEngine, HandsOnWhatTheServerRefuses) {
    begin();
    auto result = call("missing");
    EXPECT_TRUE(result.is_error);
    EXPECT_EQ(text_of(result), "No tool missing");
}

TEST_F(UpstreamEngine, GivesEachSessionAServerThatStays) {
    begin();
    pid_t one = pid("one"), two = pid("two");
    EXPECT_NE(one, two);
    EXPECT_EQ(pid("one"), one);
    EXPECT_EQ(engine->child_count(), 2U);
}

TEST_F(UpstreamEngine, EndsTheServerWithItsSession) {
    begin();
    pid_t one = pid("one"), two = pid("two");
    EXPECT_TRUE(engine->close(session::SessionKey{"one", ""}));
    run_until(loop, [&] { return !is_alive(one); });
    EXPECT_TRUE(is_alive(two));
    EXPECT_NE(pid("one"), one);
}

TEST_F(UpstreamEngine, GivesEachNamedSessionAServer) {
    options.session_param = {.when = tools::SessionParam::Always};
    begin();
    EXPECT_THAT(json::serialize(registry.find_tool("echo")->input_schema), HasSubstr("sessionId"));
    auto in = [&](const char* name) {
        arguments = json::object{{"a", 1}, {"sessionId", name}};
        return pid();
    };
    pid_t ann = in("ann"), bob = in("bob");
    EXPECT_NE(ann, bob);
    EXPECT_EQ(in("ann"), ann);
    // It is ours, and none of the server's business.
    EXPECT_EQ(said("echo"), R"({"a":1})");
    engine->close_owner("one");
    run_until(loop, [&] { return !is_alive(ann) && !is_alive(bob); });
}

TEST_F(UpstreamEngine, EndsServersThatNobodyUses) {
    options.timing.idle = 30ms;
    begin();
    pid_t one = pid("one");
    run_until(loop, [&] { return engine->child_count() == 0; });
    run_until(loop, [&] { return !is_alive(one); });
}

// All texts of the result, one below the other.
std::string all_text(const tools::ToolResult& result) {
    std::string text;
    for (const json::value& part : json::parse(result.raw_json)->at("content").as_array())
        text += std::string(part.at("text").get_string()) + "\n";
    return text;
}

TEST_F(UpstreamEngine, SaysOnceThatAnUnusedServerWasClosedWithItsState) {
    options.timing.idle = 30ms;
    begin();
    pid("one");
    run_until(loop, [&] { return engine->child_count() == 0; });
    EXPECT_THAT(all_text(call("echo", "one")), AllOf(StartsWith(R"({"a":1})"), HasSubstr("### Session\n- "),
                                                     HasSubstr("without a call"), HasSubstr("was lost")));
    EXPECT_EQ(all_text(call("echo", "one")), "{\"a\":1}\n");
    EXPECT_EQ(all_text(call("echo", "two")), "{\"a\":1}\n");  // it lost nothing
}

TEST_F(UpstreamEngine, SaysOnceThatAServerDiedWhileNobodyCalled) {
    begin();
    pid_t one = pid("one");
    ::kill(one, SIGKILL);
    run_until(loop, [&] { return engine->list("one").at(0).state != "active"; });
    tools::ToolResult result = call("echo", "one");
    EXPECT_FALSE(result.is_error);
    EXPECT_THAT(all_text(result), AllOf(HasSubstr("### Session"), HasSubstr("was lost")));
    EXPECT_EQ(all_text(call("echo", "one")), "{\"a\":1}\n");
}

TEST_F(UpstreamEngine, ForgetsWhatASessionLostWhenItIsClosed) {
    options.timing.idle = 30ms;
    begin();
    pid("one");
    run_until(loop, [&] { return engine->child_count() == 0; });
    engine->close(session::SessionKey{"one", ""});
    EXPECT_EQ(all_text(call("echo", "one")), "{\"a\":1}\n");
}

TEST_F(UpstreamEngine, RefusesASessionByAnotherNameThanSessionId) {
    for (auto when : {tools::SessionParam::Off, tools::SessionParam::Always}) {
        tools::Registry fresh;
        std::swap(registry, fresh);
        options.session_param = {.when = when};
        begin();
        bool is_off = when == tools::SessionParam::Off;
        for (const char* name :
             {"session", "sessionID", "session-id", "sessionName", "session_id", "sesionId"}) {
            // Where sessions have names, that is one of the argument's.
            if (name == std::string_view("session_id") && !is_off) continue;
            arguments = json::object{{name, "ann"}};
            auto result = call("echo");
            EXPECT_TRUE(result.is_error) << name;
            EXPECT_THAT(text_of(result), AllOf(HasSubstr(name), HasSubstr("sessionId"))) << name;
        }
        EXPECT_EQ(engine->child_count(), 0U);
        arguments = json::object{{"session_id", "ann"}};
        if (!is_off) EXPECT_FALSE(call("echo").is_error);
        EXPECT_EQ(engine->has(session::SessionKey{"one", "ann"}), !is_off);
        arguments = json::object{{"sessionless", 1}};
        EXPECT_FALSE(call("echo").is_error);
        static_cast<void>(run_task(loop, engine->close()));
    }
}

TEST_F(UpstreamEngine, LeavesAnArgumentToAServerThatDeclaresIt) {
    options.command.push_back("--own-session");
    begin();
    arguments = json::object{{"session", "theirs"}};
    EXPECT_EQ(said("own_session"), R"({"session":"theirs"})");
}

TEST_F(UpstreamEngine, GivesEachServerAProfileDirectoryThatGoesWithIt) {
    options.own_profile = upstream::OwnProfile::UserDataDir;
    begin();
    auto profile_of = [&](const char* session) {
        std::string flags = said("flags", session);
        return std::filesystem::path(flags.substr(flags.find("--user-data-dir ") + 16));
    };
    auto one = profile_of("one"), two = profile_of("two");
    EXPECT_NE(one, two);
    EXPECT_TRUE(std::filesystem::is_directory(one));
    engine->close(session::SessionKey{"one", ""});
    run_until(loop, [&] { return !std::filesystem::exists(one); });
    EXPECT_TRUE(std::filesystem::is_directory(two));
}

TEST_F(UpstreamEngine, PrefixesAToolThatHasTheNameOfOneOfOurs) {
    registry.add(tools::Tool{.name = "echo", .run = {}});
    begin();
    EXPECT_TRUE(registry.find_tool("echo")->raw_json.empty());
    EXPECT_EQ(json::find_string(registry.find_tool("upstream_echo")->raw_json, "name"), "upstream_echo");
    EXPECT_EQ(said("upstream_echo"), R"({"a":1})");
}

TEST_F(UpstreamEngine, OffersToolsThatTheServerGetsLater) {
    begin();
    int changes = 0;
    registry.set_observer([&](const tools::Change&) { ++changes; });
    EXPECT_EQ(said("grow"), "grown");
    run_until(loop, [&] { return registry.find_tool("grown") != nullptr; });
    EXPECT_EQ(changes, 1);  // what stayed the same is not announced
}

TEST_F(UpstreamEngine, ForwardsProgress) {
    begin();
    FakeClient client("one");
    auto result = run_task(loop, calling(client, "progress"));
    EXPECT_EQ(text_of(*result), "done");
    EXPECT_THAT(client.progress, ElementsAre("1/2 step", "2/2 step"));
}

TEST_F(UpstreamEngine, CancelsTheCallAtTheServer) {
    begin();
    EXPECT_EQ(said("cancelled"), "0");
    FakeClient client("one");
    Running running = start(calling(client, "forget"));
    EXPECT_EQ(said("echo"), R"({"a":1})");  // behind it, so it has arrived
    running.cancel();
    EXPECT_EQ(said("cancelled"), "1");
}

TEST_F(UpstreamEngine, RunsCallsOfOneSessionSideBySide) {
    begin();
    FakeClient client("one");
    Running running = start(calling(client, "forget"));
    EXPECT_EQ(said("echo"), R"({"a":1})");
}

TEST_F(UpstreamEngine, StartsOneServerForCallsThatComeTogether) {
    begin();
    FakeClient client("one");
    std::vector<std::string> pids;
    std::vector<Running> running;
    for (int i = 0; i < 5; ++i)
        running.push_back(start(calling(client, "pid"),
                                [&](Result<tools::ToolResult> result) { pids.push_back(text_of(*result)); }));
    run_until(loop, [&] { return pids.size() == 5; });
    EXPECT_EQ(std::set<std::string>(pids.begin(), pids.end()).size(), 1U);
}

TEST_F(UpstreamEngine, ListsItsSessionsWithTheirOwners) {
    options.session_param = {.when = tools::SessionParam::Always};
    begin();
    arguments = json::object{{"sessionId", "ann"}};
    pid("one");
    arguments = json::object{{"sessionId", "bob"}};
    pid("two");
    auto listed = engine->list("one");
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].name, "ann");
    EXPECT_EQ(listed[0].state, "active");
    EXPECT_TRUE(engine->has({"two", "bob"}));
    EXPECT_FALSE(engine->close({"one", "bob"}));  // another's is not there
}

TEST_F(UpstreamEngine, RefusesMoreSessionsThanItMayHave) {
    options.max_sessions = 1;
    begin();
    pid("one");
    EXPECT_THAT(said("pid", "two"), HasSubstr("1 sessions have an MCP server already"));
    EXPECT_TRUE(engine->close({"one", ""}));
    EXPECT_FALSE(call("pid", "two").is_error);
}

// In the kernel's ticks since the machine started.
long ticks_now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return now.tv_sec * ::sysconf(_SC_CLK_TCK) + now.tv_nsec / (1'000'000'000 / ::sysconf(_SC_CLK_TCK));
}

long started_at(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string field;
    for (int i = 0; i < 22; ++i) stat >> field;
    return std::stol(field);
}

TEST_F(UpstreamEngine, KeepsASpareStarted) {
    options.warm = true;
    begin();
    for (const char* session : {"one", "two"}) {
        long before = ticks_now() + 2;
        run_until(loop, [&] { return ticks_now() > before; });
        EXPECT_LE(started_at(pid(session)), before) << session;
    }
    EXPECT_NE(pid("one"), pid("two"));
}

TEST_F(UpstreamEngine, StartsNoneForSessionsToComeUnlessAsked) {
    begin();
    long before = ticks_now();
    run_until(loop, [&] { return ticks_now() > before + 1; });
    EXPECT_GT(started_at(pid("one")), before);
}

TEST_F(UpstreamEngine, StartsAnotherWhenTheSpareHasDied) {
    std::filesystem::path count =
        std::filesystem::path(testing::TempDir()) / ("starts-" + std::to_string(::getpid()));
    // The first is asked for its tools, the second is the spare.
    options.command = {"/bin/sh", "-c", "echo >>$0; [ $(wc -l <$0) = 2 ] && exit 1; exec " + kFakeServer,
                       count.string()};
    options.warm = true;
    begin();
    EXPECT_EQ(said("echo"), R"({"a":1})");
    std::filesystem::remove(count);
}

TEST_F(UpstreamEngine, RemembersTheToolsFromTheLastTime) {
    options.tool_cache =
        std::filesystem::path(testing::TempDir()) / ("tools-" + std::to_string(::getpid())) / "list.json";
    begin();
    static_cast<void>(run_task(loop, engine->close()));
    // Nothing is started to know them, until there is a session.
    tools::Registry fresh;
    std::swap(registry, fresh);
    options.command.push_back("--changed");
    begin();
    ASSERT_TRUE(registry.find_tool("echo"));
    EXPECT_FALSE(registry.find_tool("news"));
    EXPECT_EQ(said("echo"), R"({"a":1})");
    run_until(loop, [&] { return registry.find_tool("news") != nullptr; });
    std::filesystem::remove_all(options.tool_cache.parent_path());
}

TEST_F(UpstreamEngine, LearnsTheToolsOfAVersionThatCameMeanwhile) {
    std::filesystem::path flags =
        std::filesystem::path(testing::TempDir()) / ("version-" + std::to_string(::getpid()));
    ASSERT_TRUE(write_file(flags, ""));
    options.command = {"/bin/sh", "-c", "exec " + kFakeServer + " $(cat $0)", flags.string()};
    begin();
    pid("one");
    ASSERT_TRUE(write_file(flags, "--newer"));
    EXPECT_FALSE(registry.find_tool("news"));
    pid("two");
    run_until(loop, [&] { return registry.find_tool("news") != nullptr; });
    std::filesystem::remove(flags);
}

TEST_F(UpstreamEngine, TalksHttpWhenAsked) {
    options.transport = upstream::Transport::Http;
    begin();
    pid_t one = pid("one");
    EXPECT_NE(pid("two"), one);
    ::kill(one, SIGKILL);
    run_until(loop, [&] { return !is_alive(one); });
    // Until its end is noticed, calls meet a port that nobody listens on.
    run_until(loop, [&] { return !call("pid", "one").is_error; });
    EXPECT_NE(pid("one"), one);
}

}  // namespace
