// Sessions of both engines in one server: which of them answers a call.
#include "tests/upstream/fixture.h"

namespace {

using namespace upstream_tests;
using session::SessionKey;
using testing::HasSubstr;

Task<tools::ToolResult> say_native(tools::Call call) {
    const tools::Caller& caller = call.client.caller();
    co_return tools::ToolResult::text("native " + caller.session_name +
                                      (caller.tab_id.empty() ? "" : " in " + caller.tab_id));
}

class UpstreamMixed : public UpstreamTest {
protected:
    UpstreamMixed() {
        options.session_param = {.when = tools::SessionParam::Always};
        add_native(options.session_param);
        options.native = {.tools = &native,
                          .has_session = [this](const SessionKey& key) { return key.name == natives_name; }};
    }

    void add_native(tools::SessionParamOptions param) {
        native.add(tools::with_session_argument({.name = "echo",
                                                 .input_schema = {{"type", "object"}},
                                                 .run = say_native,
                                                 .acts_in_session = true,
                                                 .aliases = {"old_echo"}},
                                                param));
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
    Result<json::object> create(const std::string& name, std::string url = "",
                                session::SessionSetup setup = {}) {
        return run_task(loop, engine->create({"one", name}, std::move(setup), std::move(url),
                                             {arguments, client, Deadline::in(20s)}));
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

TEST_F(UpstreamMixed, OurOtherNameOfAToolWorksOnTheirs) {
    begin();
    EXPECT_EQ(said_in("bob", "old_echo"), "{}");
    EXPECT_EQ(registry.find_tool("old_echo")->name, "echo");
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

TEST_F(UpstreamMixed, OnlySessionsOfTheNativeEngineHaveTabIds) {
    natives_name.clear();
    options.native.tab_ids = true;
    options.session_param.can_have_tab_ids = false;
    add_native({.when = tools::SessionParam::Always, .tab_ids = true, .tab_required = true});
    begin_as_second();
    ASSERT_TRUE(create("bob"));
    arguments = json::object{{"sessionId", "ann"}, {"tabId", "T1"}};
    EXPECT_EQ(said("echo"), "native ann in T1");
    arguments = json::object{{"sessionId", "bob"}, {"tabId", "T1"}};
    EXPECT_THAT(said("echo"), HasSubstr("which has no tab ids"));
    arguments = json::object{{"sessionId", "bob"}, {"tabId", "T1"}};
    EXPECT_THAT(said("pid"), HasSubstr("this engine has no tab ids"));
}

TEST_F(UpstreamMixed, TheDefaultEngineDescribesWhatBothHave) {
    begin_as_second();
    EXPECT_TRUE(registry.find_tool("echo")->raw_json.empty());
    EXPECT_FALSE(registry.find_tool("pid")->raw_json.empty());
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

const session::SessionSetup kOwnSetup{.user_agent = "Mine/1", .viewport = engine::Size{300, 200}};

TEST_F(UpstreamMixed, TellsPlaywrightsServerWhatTheSessionIsToBeLike) {
    options.command.emplace_back("playwright");
    options.traits = upstream::ServerTraits::playwright();
    options.warm = true;  // the spare knows nothing of it
    begin();
    ASSERT_TRUE(create("bob", "", kOwnSetup));
    EXPECT_EQ(said_in("bob", "flags"), "playwright --viewport-size 300x200 --user-agent Mine/1");
    EXPECT_EQ(said_in("eve", "flags"), "playwright");
}

TEST_F(UpstreamMixed, OfOtherServersNobodyKnowsTheFlags) {
    begin();
    EXPECT_THAT(create("bob", "", kOwnSetup).error().message,
                HasSubstr("the flags that say so are those of Playwright's server"));
    EXPECT_FALSE(engine->has({"one", "bob"}));
}

TEST_F(UpstreamMixed, WhatIsSharedIsTheSameForAll) {
    options.command.emplace_back("playwright");
    options.shared = true;
    options.transport = upstream::Transport::Http;
    begin();
    EXPECT_THAT(create("bob", "", kOwnSetup).error().message, HasSubstr("--shared-browser-context"));
}

TEST_F(UpstreamMixed, ANewSessionOfAServerThatCannotRunIsNoSession) {
    options.command = {"no-such-program-here"};
    natives_name.clear();
    options.native.is_default = true;
    engine = std::make_unique<upstream::Engine>(
        loop, options, registry, [](const tools::Caller&) { return SessionKey{}; }, log);
    EXPECT_THAT(create("bob").error().message, HasSubstr("Cannot start `no-such-program-here`"));
    EXPECT_FALSE(engine->has({"one", "bob"}));
}

}  // namespace
