#include "tools/session_param.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"
#include "tests/tools/support.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using tools::SessionParam;

// A tool that says where it was called.
Task<tools::ToolResult> tell(tools::Call call) {
    const tools::Caller& caller = call.client.caller();
    tools::ToolResult result;
    result.content.emplace_back(tools::Text{"session=" + caller.session_name + " tab=" + caller.tab_id + " " +
                                            json::serialize(call.arguments)});
    co_return result;
}

class SessionParamTest : public testing::Test {
protected:
    tools::Tool wrapped(tools::SessionParamOptions options, std::string name = "browser_tell") {
        return tools::with_session_argument(
            {.name = std::move(name),
             .input_schema = {{"type", "object"}, {"properties", json::object{}}},
             .run = tell,
             .acts_in_session = true},
            options);
    }
    std::string call(const tools::Tool& tool, std::string arguments) {
        fakes::FakeClient client;
        json::value given = json::parse(arguments).value();
        auto result = fakes::run_task(loop, tool.run({given, client, Deadline::never()}));
        return fakes::to_outcome(std::move(result)).text;
    }
    Loop loop;
};

TEST_F(SessionParamTest, TakesTheNameOutOfTheArguments) {
    tools::Tool tool = wrapped({.when = SessionParam::Always});
    EXPECT_EQ(call(tool, R"({"sessionId": "ann", "url": "x"})"), R"(session=ann tab= {"url":"x"})");
    EXPECT_EQ(call(tool, R"({"url": "x"})"), R"(session= tab= {"url":"x"})");
    EXPECT_THAT(json::serialize(tool.input_schema), HasSubstr(R"("x-mcp-header":"Session")"));
}

TEST_F(SessionParamTest, HasASecondNameThatIsNotListed) {
    tools::Tool tool = wrapped({.when = SessionParam::Always});
    EXPECT_EQ(call(tool, R"({"session_id": "ann", "x": 1})"), R"(session=ann tab= {"x":1})");
    EXPECT_EQ(call(tool, R"({"session_id": "ann", "sessionId": "ann"})"), "session=ann tab= {}");
    EXPECT_THAT(call(tool, R"({"session_id": "bob", "sessionId": "ann"})"), HasSubstr("is named as well"));
    EXPECT_THAT(call(tool, R"({"session_id": ""})"), HasSubstr("at session_id"));
    EXPECT_FALSE(json::find_object(tool.input_schema, "properties")->contains("session_id"));
    EXPECT_EQ(tools::session_argument(json::parse(R"({"session_id": "ann"})").value()), "ann");
}

TEST_F(SessionParamTest, ShowsItselfOnlyToWhomItIsFor) {
    tools::Tool tool = wrapped({.when = SessionParam::Stateless});
    EXPECT_FALSE(tool.schema_for({.connection = "c"}).at("properties").as_object().contains("sessionId"));
    EXPECT_TRUE(tool.schema_for({}).at("properties").as_object().contains("sessionId"));
    EXPECT_TRUE(wrapped({}).schema_for({}).at("properties").as_object().empty());
}

TEST_F(SessionParamTest, IsPartOfAnotherServersToolAsWell) {
    json::object schema{{"type", "object"}, {"properties", json::object{{"url", json::object{}}}}};
    tools::Tool given{.name = "theirs",
                      .input_schema = schema,
                      .run = tell,
                      .raw_json = {{"name", "theirs"}, {"inputSchema", schema}, {"more", 1}},
                      .acts_in_session = true};
    tools::Tool tool = tools::with_session_argument(given, {.when = SessionParam::Stateless});
    EXPECT_EQ(call(tool, R"({"sessionId": "ann", "url": "x"})"), R"(session=ann tab= {"url":"x"})");
    EXPECT_THAT(json::serialize(tool.schema_for({})), HasSubstr("sessionId"));
}

TEST_F(SessionParamTest, RefusesNamesThatAreNone) {
    tools::Tool tool = wrapped({.when = SessionParam::Always, .required = true});
    EXPECT_THAT(call(tool, R"({"sessionId": ""})"), HasSubstr("at sessionId"));
    EXPECT_THAT(call(tool, R"({"sessionId": {}})"), HasSubstr("at sessionId"));
    EXPECT_THAT(call(tool, "{}"), HasSubstr("received undefined"));
}

TEST_F(SessionParamTest, IsRefusedAsJsonWhereAnswersAre) {
    tools::Tool given{.name = "get_text",
                      .input_schema = {{"type", "object"}, {"properties", json::object{}}},
                      .output_schema = {{"type", "object"}},
                      .run = tell,
                      .acts_in_session = true};
    tools::Tool tool = tools::with_session_argument(given, {.when = SessionParam::Always, .required = true});
    EXPECT_THAT(call(tool, "{}"),
                AllOf(HasSubstr(R"("code":"MISSING_PARAMETER")"), HasSubstr("at sessionId")));
}

TEST_F(SessionParamTest, NamesTabsByIdOrIndex) {
    tools::Tool tool = wrapped({.tab_ids = true, .tab_required = true});
    EXPECT_EQ(call(tool, R"({"targetId": "ABC"})"), "session= tab=ABC {}");
    EXPECT_EQ(call(tool, R"({"tabId": 1})"), "session= tab=1 {}");
    EXPECT_THAT(call(tool, "{}"), HasSubstr("at targetId"));
    // How else would one learn of ids?
    EXPECT_EQ(call(wrapped({.tab_ids = true, .tab_required = true}, "browser_tabs"), "{}"),
              "session= tab= {}");
}

TEST_F(SessionParamTest, LeadsFromWrongNamesOfSessionsToTheRightOne) {
    for (std::string name :
         {"sessionId", "session_id", "session", "sessionID", "sesionId", "sessionName", "session-id"}) {
        std::string arguments = R"({")" + name + R"(": "x"})";
        EXPECT_THAT(call(wrapped({}), arguments), AllOf(HasSubstr(name), HasSubstr("--session-param")));
        EXPECT_THAT(call(wrapped({.tab_ids = true}), arguments), HasSubstr("--session-param")) << name;
        if (tools::is_session_argument(name)) continue;
        for (SessionParam when : {SessionParam::Always, SessionParam::Stateless}) {
            EXPECT_THAT(call(wrapped({.when = when}), arguments),
                        AllOf(HasSubstr("\"" + name + "\""), HasSubstr("named by \"sessionId\"")));
        }
    }
}

TEST_F(SessionParamTest, LeadsFromWrongNamesInTheToolkitToo) {
    tools::Tool given{.name = "navigate",
                      .input_schema = {{"type", "object"}, {"properties", json::object{}}},
                      .output_schema = {{"type", "object"}},
                      .run = tell,
                      .acts_in_session = true};
    EXPECT_THAT(call(tools::with_session_argument(given, {}), R"({"session": "x"})"),
                AllOf(HasSubstr(R"("code":"INVALID_ARGUMENT")"), HasSubstr("--session-param")));
    EXPECT_THAT(
        call(tools::with_session_argument(given, {.when = SessionParam::Always}), R"({"session": "x"})"),
        HasSubstr("The session is named by"));
}

TEST_F(SessionParamTest, LeadsFromWrongNamesOfTabsToTheRightOne) {
    for (std::string name : {"tab_id", "target_id", "tab", "tabIndex", "pageId"}) {
        std::string arguments = R"({")" + name + R"(": "x"})";
        EXPECT_THAT(call(wrapped({}), arguments), AllOf(HasSubstr("--tab-ids"), HasSubstr("at " + name)));
        EXPECT_THAT(call(wrapped({.tab_ids = true}), arguments), HasSubstr("named by \"targetId\""));
    }
    EXPECT_THAT(call(wrapped({.can_have_tab_ids = false}), R"({"tabId": "x"})"),
                HasSubstr("this engine has no tab ids"));
}

TEST_F(SessionParamTest, SaysHowToTurnTabIdsOn) {
    for (std::string name : {"tabId", "targetId"}) {
        std::string text = call(wrapped({}), R"({")" + name + R"(": "A1"})");
        EXPECT_THAT(text, HasSubstr("--tab-ids"));
        EXPECT_THAT(text, HasSubstr("at " + name));
        EXPECT_THAT(call(wrapped({.tab_ids = true}), R"({")" + name + R"(": "A1"})"), HasSubstr("tab=A1"));
    }
    EXPECT_EQ(call(wrapped({}), R"({"url": "x"})"), R"(session= tab= {"url":"x"})");
    // Unless it is the tool's own word.
    tools::Tool own = tools::with_session_argument(
        {.name = "theirs",
         .input_schema = {{"type", "object"}, {"properties", json::object{{"tabId", json::object{}}}}},
         .run = tell,
         .acts_in_session = true},
        {});
    EXPECT_EQ(call(own, R"({"tabId": 1})"), R"(session= tab= {"tabId":1})");
}

}  // namespace
