// What the browser says is read, or fails whoever waits for it.
#include "engine/cdp/connection.h"
#include "tests/engine/cdp_scripted.h"

using testing::AllOf;
using testing::HasSubstr;

namespace {

class CdpMessages : public ScriptedBrowserTest {
protected:
    // Sends a command and gives what became of it once the browser has said `message`, where ID is its id.
    Result<json::value> outcome(std::string message) {
        auto session = connection->session("tab");
        cdp::Pending pending = session->begin("Runtime.evaluate");
        std::string id = std::to_string(sent.back().id);
        message.replace(message.find("ID"), 2, id);
        receive(message);
        return fakes::run_task(loop, wait(std::move(pending)));
    }
    static Task<json::value> wait(cdp::Pending pending) {
        Result<json::value> result = co_await pending;
        co_return std::move(result);
    }
};

TEST_F(CdpMessages, ReadsAnAnswerWithHalfASurrogatePair) {
    auto answer = outcome(R"({"id":ID,"result":{"value":"New mail \ud83d"},"sessionId":"tab"})");

    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->at("value").as_string(), "New mail \xEF\xBF\xBD");
}

TEST_F(CdpMessages, ReadsAnEventWithHalfASurrogatePair) {
    std::string heard;
    auto watch = connection->session("tab")->on(
        "Said", [&](const json::object& params) { heard = cdp::text_of(params, "text"); });

    receive(R"({"method":"Said","params":{"text":"cut \ude00"},"sessionId":"tab"})");

    EXPECT_EQ(heard, "cut \xEF\xBF\xBD");
}

TEST_F(CdpMessages, ReadsBytesThatAreNoUtf8) {
    auto answer = outcome("{\"id\":ID,\"result\":{\"value\":\"a\xFF\"}}");

    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->at("value").as_string(), "a\xEF\xBF\xBD");
}

TEST_F(CdpMessages, FailsACommandWhoseAnswerCannotBeRead) {
    std::string deep(600, '[');
    auto answer = outcome(R"({"id":ID,"result":{"value":)" + deep + std::string(600, ']') + "}}");

    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, AllOf(HasSubstr("Runtime.evaluate"), HasSubstr("could not be read")));
    EXPECT_FALSE(connection->is_closed());
}

TEST_F(CdpMessages, FailsARelayedCommandWhoseAnswerCannotBeRead) {
    json::object heard;
    connection->session("tab")->relay("Page.getFrameTree", {},
                                      [&](const json::object& answer) { heard = answer; });

    receive("{\"id\":" + std::to_string(sent.back().id) + ",\"result\":{broken");

    EXPECT_TRUE(heard.contains("error")) << json::serialize(heard);
}

TEST_F(CdpMessages, ClosesTheSessionWhoseEventCannotBeRead) {
    auto tab = connection->session("tab"), other = connection->session("other");

    receive(R"({"method":"Page.frameNavigated","params":{broken},"sessionId":"tab"})");

    EXPECT_TRUE(tab->is_closed());
    EXPECT_FALSE(other->is_closed());
    EXPECT_FALSE(connection->is_closed());
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.back().method, "Target.detachFromTarget");
}

TEST_F(CdpMessages, IsLostWhenNobodyCanBeFoundForAMessage) {
    std::string lost;
    connection->on_lost([&](const std::string& reason) { lost = reason; });

    receive("no JSON at all");

    EXPECT_TRUE(connection->is_closed());
    EXPECT_THAT(lost, HasSubstr("could not be read"));
}

}  // namespace
