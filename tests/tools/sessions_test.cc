#include "tools/sessions.h"

#include "tests/tools/support.h"

namespace {

using session::SessionKey;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The other engine's sessions, without the engine.
class FakeOthers final : public tools::UpstreamSessions {
public:
    bool has(const SessionKey& key) const override { return made.contains(key); }
    std::vector<Info> list(const std::string& owner) const override {
        std::vector<Info> infos;
        for (const auto& [key, url] : made)
            if (key.owner == owner)
                infos.push_back({.name = key.name, .state = "active", .created = {}, .idle = {}});
        return infos;
    }
    Task<json::object> create(SessionKey key, session::SessionSetup setup, std::string url,
                              tools::Call) override {
        made[key] = url;
        asked_for = std::move(setup);
        co_return json::object{{"url", url}};
    }
    bool close(const SessionKey& key) override { return made.erase(key) > 0; }
    std::size_t degraded_count() const override { return 0; }

    std::map<SessionKey, std::string> made;
    session::SessionSetup asked_for;
};

class SessionToolsTest : public testing::Test {
protected:
    fakes::Outcome call(const std::string& name, std::string_view arguments = "{}") {
        json::value parsed = json::parse(arguments).value();
        for (const tools::Tool& tool : tools::named_session_tools(catalog))
            if (tool.name == name)
                return fakes::to_outcome(
                    fakes::run_task(loop, tool.run({parsed, client, Deadline::never()})));
        return {.text = "no such tool"};
    }
    static Task<std::shared_ptr<engine::Browser>> no_browser(engine::LaunchOptions) {
        co_return Error{.message = "There is no browser in this test."};
    }

    Loop loop{1};
    Log log = Log::silent();
    session::Sessions sessions{loop, {}, no_browser, log};
    FakeOthers others;
    fakes::FakeClient client;
    tools::SessionCatalog catalog{.sessions = &sessions,
                                  .owner_of = [](const tools::Caller& caller) { return caller.connection; }};
};

TEST_F(SessionToolsTest, MakeSessionsOfTheEngineThatIsAskedFor) {
    catalog.upstream = &others;
    EXPECT_THAT(call("create_session", R"({"sessionId":"ann"})").text, Not(HasSubstr("upstream")));
    auto made = call("create_session", R"({"sessionId":"bob","engine":"upstream","url":"http://a/"})");
    EXPECT_THAT(made.text, AllOf(HasSubstr(R"("engine":"upstream")"), HasSubstr("http://a/")));
    EXPECT_TRUE(sessions.find({"connection", "ann"}));
    EXPECT_FALSE(sessions.find({"connection", "bob"}));

    EXPECT_THAT(call("create_session", R"({"sessionId":"bob","engine":"native"})").text,
                HasSubstr("already"));
    EXPECT_THAT(call("create_session", R"({"sessionId":"ann","engine":"upstream"})").text,
                HasSubstr("already"));
}

TEST_F(SessionToolsTest, MakeSessionsOfTheServersEngineUnlessAsked) {
    catalog.upstream = &others;
    catalog.upstream_by_default = true;
    call("create_session", R"({"sessionId":"ann"})");
    call("create_session", R"({"sessionId":"bob","engine":"native"})");
    EXPECT_TRUE(others.has({"connection", "ann"}));
    EXPECT_TRUE(sessions.find({"connection", "bob"}));
}

TEST_F(SessionToolsTest, SayWhichEnginesThereAre) {
    EXPECT_THAT(call("create_session", R"({"engine":"upstream"})").text, HasSubstr("has no upstream engine"));
    EXPECT_THAT(call("create_session", R"({"engine":"webkit"})").text, HasSubstr("native or upstream"));
    catalog.upstream = &others;
    EXPECT_THAT(call("create_session", R"({"engine":"upstream","isolation":"browser"})").text,
                HasSubstr("isolation cannot be given"));
    EXPECT_TRUE(others.made.empty());
}

TEST_F(SessionToolsTest, RefuseTheOtherEngineWhereTabIdsAreRequired) {
    catalog.upstream = &others;
    catalog.requires_tab_ids = true;
    EXPECT_THAT(call("create_session", R"({"engine":"upstream"})").text,
                HasSubstr("without --require-tab-id"));
    EXPECT_TRUE(others.made.empty());
}

TEST_F(SessionToolsTest, RefuseAUserAgentThatNoBrowserSends) {
    for (const char* given : {R"({"userAgent":"a\r\nX-Evil: 1"})", R"({"userAgent":"ü"})"})
        EXPECT_THAT(call("create_session", given).text, HasSubstr("printable ASCII")) << given;
    EXPECT_THAT(call("create_session", R"({"userAgent":"Mine/1"})").text, HasSubstr("\"created\":true"));
}

TEST_F(SessionToolsTest, TellTheOtherEngineWhatTheSessionIsToBeLike) {
    catalog.upstream = &others;
    call("create_session", R"({"engine":"upstream","width":300,"height":200,"userAgent":"Mine/1"})");
    EXPECT_EQ(others.asked_for.user_agent, "Mine/1");
    ASSERT_TRUE(others.asked_for.viewport);
    EXPECT_EQ(others.asked_for.viewport->height, 200);
}

TEST_F(SessionToolsTest, NameASessionByWhatItsMakerCallsIt) {
    catalog.upstream = &others;
    for (const char* name : {"sessionId", "session_id", "name", "id"}) {
        std::string id = std::string("by-") + name;
        EXPECT_THAT(call("create_session",
                         R"({"engine": "upstream", ")" + std::string(name) + R"(": ")" + id + R"("})")
                        .text,
                    HasSubstr(R"("sessionId":")" + id + R"(")"));
    }
    for (const char* name : {"viewPort", "view_port", "viewportSize"}) {
        auto refused =
            call("create_session", R"({")" + std::string(name) + R"(": {"width": 300, "height": 300}})");
        EXPECT_THAT(refused.text, HasSubstr(R"(Did you mean \"viewport\"?)")) << name;
    }
    auto refused = call("create_session", R"({"sessionName": "q"})");
    EXPECT_THAT(refused.text, HasSubstr(R"(Did you mean \"sessionId\"?)"));
}

TEST_F(SessionToolsTest, TakeNoHalfOfAViewport) {
    EXPECT_THAT(call("create_session", R"({"width":300})").text,
                HasSubstr("width and height must be given together"));
}

TEST_F(SessionToolsTest, TakeNoViewportThatCannotBeDrawn) {
    EXPECT_THAT(call("create_session", R"({"width":9000000,"height":9000000})").text,
                HasSubstr("INVALID_ARGUMENT"));
    EXPECT_THAT(call("create_session", R"({"width":16384,"height":300})").text,
                HasSubstr("\"created\":true"));
}

TEST_F(SessionToolsTest, ListAndCloseSessionsOfBothEngines) {
    catalog.upstream = &others;
    call("create_session", R"({"sessionId":"ann"})");
    call("create_session", R"({"sessionId":"bob","engine":"upstream"})");
    others.made[{"somebody", "eve"}] = "";
    EXPECT_THAT(call("session_list").text, AllOf(HasSubstr(R"("engine":"native")"),
                                                 HasSubstr(R"("engine":"upstream")"), Not(HasSubstr("eve"))));

    EXPECT_FALSE(call("session_close", R"({"sessionId":"bob"})").is_error);
    EXPECT_FALSE(others.has({"connection", "bob"}));
    EXPECT_FALSE(call("close_session", R"({"sessionId":"ann"})").is_error);
    EXPECT_THAT(call("session_close", R"({"sessionId":"eve"})").text,
                AllOf(HasSubstr("There is no session"), HasSubstr("SESSION_NOT_FOUND")));
}

TEST_F(SessionToolsTest, DoNotReachIntoTheOtherEnginesBrowsers) {
    catalog.upstream = &others;
    call("create_session", R"({"sessionId":"bob","engine":"upstream"})");
    for (const char* tool : {"get_cookies", "save_state", "session_resume"})
        EXPECT_THAT(call(tool, R"({"sessionId":"bob"})").text, HasSubstr("another server's")) << tool;
}

}  // namespace
