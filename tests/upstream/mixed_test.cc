// Sessions of both engines in one server: which of them answers a call.
#include "tests/upstream/fixture.h"

namespace {

using namespace upstream_tests;
using session::SessionKey;
using testing::HasSubstr;

Task<tools::ToolResult> say_native(tools::Call call) {
    co_return tools::ToolResult::text("native " + call.client.caller().session_name);
}

class UpstreamMixed : public UpstreamTest {
protected:
    UpstreamMixed() {
        options.session_param = {.when = tools::SessionParam::Always};
        native.add(tools::with_session_argument({.name = "echo",
                                                 .input_schema = {{"type", "object"}},
                                                 .run = say_native,
                                                 .acts_in_session = true},
                                                options.session_param));
        options.native = {.tools = &native,
                          .has_session = [this](const SessionKey& key) { return key.name == natives_name; }};
    }

    void begin_as_second() {
        options.native.is_default = true;
        for (const auto& tool : native.tools()) registry.add(*tool);
        begin();
    }
    std::string said_in(const std::string& session, const std::string& tool) {
        arguments = json::object{{"sessionId", session}};
        return said(tool);
    }
    Result<json::object> create(const std::string& name, std::string url = "") {
        return run_task(
            loop, engine->create({"one", name}, std::move(url), {arguments, client, Deadline::in(20s)}));
    }

    tools::Registry native;
    std::string natives_name = "ann";
    FakeClient client{"one"};
};

TEST_F(UpstreamMixed, EachSessionIsAnsweredByItsEngine) {
    begin();
    EXPECT_EQ(said_in("ann", "echo"), "native ann");
    EXPECT_EQ(said_in("bob", "echo"), "{}");
    EXPECT_EQ(engine->child_count(), 1U);
}

TEST_F(UpstreamMixed, AToolThatOnlyTheOtherEngineHasSaysSo) {
    begin();
    EXPECT_THAT(said_in("ann", "pid"), HasSubstr("This session's engine is native, which has no tool pid."));
    EXPECT_EQ(engine->child_count(), 0U);
}

TEST_F(UpstreamMixed, SessionsAreNativeUnlessTheyChooseWhereThatIsTheDefault) {
    natives_name.clear();
    begin_as_second();
    EXPECT_EQ(said_in("ann", "echo"), "native ann");
    ASSERT_TRUE(create("bob"));
    EXPECT_EQ(said_in("bob", "echo"), "{}");
    EXPECT_EQ(said_in("ann", "echo"), "native ann");
    EXPECT_TRUE(engine->close(SessionKey{"one", "bob"}));
    EXPECT_EQ(said_in("bob", "echo"), "native bob");
}

TEST_F(UpstreamMixed, TheDefaultEngineDescribesWhatBothHave) {
    begin_as_second();
    EXPECT_TRUE(registry.find_tool("echo")->as_given.empty());
    EXPECT_FALSE(registry.find_tool("pid")->as_given.empty());
    EXPECT_THAT(json::serialize(registry.find_tool("pid")->input_schema), HasSubstr("sessionId"));
}

TEST_F(UpstreamMixed, AChosenSessionStaysWhenItsServerIsUnused) {
    options.timing.idle = 30ms;
    begin_as_second();
    ASSERT_TRUE(create("bob"));
    EXPECT_EQ(said_in("bob", "echo"), "{}");
    run_until(loop, [&] { return engine->child_count() == 0; });
    EXPECT_EQ(engine->list("one").at(0).state, "idle");
    EXPECT_EQ(said_in("bob", "echo"), "{}");
}

TEST_F(UpstreamMixed, OpensAnAddressInANewSession) {
    begin();
    auto made = create("bob", "http://there");
    ASSERT_TRUE(made) << made.error().to_string();
    EXPECT_EQ(json::serialize(*made), R"({"url":"http://there"})");
    EXPECT_EQ(engine->child_count(), 1U);
}

TEST_F(UpstreamMixed, ANewSessionOfAServerThatCannotRunIsNoSession) {
    options.command = {"no-such-program-here"};
    natives_name.clear();
    options.native.is_default = true;
    engine = std::make_unique<upstream::Engine>(
        loop, options, registry, [](const tools::Call&) { return SessionKey{}; }, log);
    EXPECT_THAT(create("bob").error().message, HasSubstr("Cannot start `no-such-program-here`"));
    EXPECT_FALSE(engine->has({"one", "bob"}));
}

}  // namespace
