#include "mcp/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"

using testing::HasSubstr;

namespace {

// One legacy client.
class ConnectionTest : public testing::Test {
protected:
    json::value send(std::string_view text) {
        connection->receive_text(text, sink);
        protocol.settle();
        return sink->last();
    }
    json::value initialize(std::string_view version, std::string_view capabilities = "{}") {
        return send(R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":")" +
                    std::string(version) + R"(","capabilities":)" + std::string(capabilities) +
                    R"(,"clientInfo":{"name":"t","version":"1"}}})");
    }
    json::value call(std::string_view tool, std::string_view arguments = "{}") {
        return send(
            R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":")" +
            std::string(tool) + R"(","arguments":)" + std::string(arguments) + "}}");
    }
    static std::string text_of(const json::value& answer) {
        return std::string(answer.at("result").at("content").at(0).at("text").as_string());
    }
    static std::int64_t error_of(const json::value& answer) {
        return answer.at("error").at("code").as_int64();
    }

    fakes::Protocol protocol;
    std::shared_ptr<fakes::RecordingSink> sink = std::make_shared<fakes::RecordingSink>();
    fakes::RecordingSink peer;
    std::unique_ptr<mcp::Connection> connection =
        std::make_unique<mcp::Connection>(protocol.server, peer, tools::Caller{});
};

}  // namespace

TEST_F(ConnectionTest, AnswersInTheVersionTheClientAskedForOrTheNewestLegacyOne) {
    EXPECT_EQ(initialize("2024-11-05").at("result").at("protocolVersion").as_string(), "2024-11-05");
    EXPECT_EQ(initialize("2026-07-28").at("result").at("protocolVersion").as_string(), "2025-11-25");
    EXPECT_EQ(initialize("nonsense").at("result").at("protocolVersion").as_string(), "2025-11-25");
}

TEST_F(ConnectionTest, GivesPingExactlyAnEmptyObject) {
    EXPECT_EQ(json::serialize(send(R"({"jsonrpc":"2.0","id":0,"method":"ping"})")),
              R"({"jsonrpc":"2.0","id":0,"result":{}})");
}

TEST_F(ConnectionTest, ListsToolsWithSchemaTitlesAndAllFourHints) {
    json::value tool =
        send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})").at("result").at("tools").at(0);
    EXPECT_EQ(tool.at("name").as_string(), "echo");
    EXPECT_EQ(tool.at("title").as_string(), "Echo");
    EXPECT_EQ(
        json::serialize(tool.at("annotations")),
        R"({"title":"Echo","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})");
    EXPECT_EQ(tool.at("inputSchema").at("required").at(0).as_string(), "text");
}

TEST_F(ConnectionTest, CallsATool) { EXPECT_EQ(text_of(call("echo", R"({"text":"hé\n"})")), "hé\n"); }

TEST_F(ConnectionTest, AnswersBadArgumentsWithAResultThatNamesPathAndExpectation) {
    json::value answer = call("echo", R"({"text":5})");
    EXPECT_TRUE(answer.at("result").at("isError").as_bool());
    EXPECT_THAT(text_of(answer), HasSubstr("expected string, received number"));
    EXPECT_THAT(text_of(answer), HasSubstr("at text"));
}

TEST_F(ConnectionTest, AnswersAFailedToolWithMessageAndHint) {
    json::value answer = call("fail");
    EXPECT_TRUE(answer.at("result").at("isError").as_bool());
    EXPECT_THAT(text_of(answer), HasSubstr("No element e9.\nTake a new snapshot."));
}

TEST_F(ConnectionTest, KeepsTheInternalsOfACrashedToolToItself) {
    json::value answer = call("throw");
    EXPECT_TRUE(answer.at("result").at("isError").as_bool());
    EXPECT_EQ(text_of(answer).find("secret internals"), std::string::npos);
}

TEST_F(ConnectionTest, RefusesUnknownToolsMethodsAndShapes) {
    EXPECT_EQ(error_of(call("nope")), mcp::kInvalidParams);
    EXPECT_EQ(error_of(call("echo", "5")), mcp::kInvalidParams);
    EXPECT_EQ(error_of(send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}})")),
              mcp::kInvalidParams);
    EXPECT_EQ(error_of(send(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})")), mcp::kMethodNotFound);
    EXPECT_EQ(error_of(send("{nope")), mcp::kParseError);
    EXPECT_EQ(
        error_of(send(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}})")),
        mcp::kInvalidParams);
    EXPECT_EQ(
        error_of(send(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x://y"}})")),
        mcp::kResourceNotFound);
    EXPECT_EQ(error_of(send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"bogus"}})")),
              mcp::kInvalidParams);
}

TEST_F(ConnectionTest, AnswersOtherRequestsWhileACallIsUnderWay) {
    initialize("2025-11-25");
    call("wait");
    EXPECT_EQ(protocol.waiting.started, 1);
    EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":8,"method":"ping"})").at("id").as_int64(), 8);

    protocol.waiting.released.set(1);
    protocol.settle();
    EXPECT_EQ(sink->last().at("id").as_int64(), 7);
    EXPECT_EQ(connection->in_flight(), 0u);
}

TEST_F(ConnectionTest, SendsOnlyProgressThatIsSomeAndTheLogTheClientWants) {
    initialize("2025-11-25");
    send(R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}})");
    sink->messages.clear();
    call("wait");
    ASSERT_EQ(sink->messages.size(), 2u);
    EXPECT_EQ(json::serialize(sink->messages[0].at("params")),
              R"({"progressToken":"p","progress":1,"total":2,"message":"half"})");
    EXPECT_EQ(sink->messages[1].at("params").at("data").as_string(), "working");

    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
    send(R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"error"}})");
    sink->messages.clear();
    call("wait");
    EXPECT_EQ(sink->messages.size(), 1u);
}

TEST_F(ConnectionTest, StopsACancelledCallAndNeverAnswersIt) {
    initialize("2025-11-25");
    call("wait");
    int responses = sink->responses;
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);

    protocol.waiting.released.set(1);
    protocol.settle();
    EXPECT_EQ(sink->responses, responses);
}

TEST_F(ConnectionTest, StopsItsCallsWhenItEnds) {
    call("wait");
    connection.reset();
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}

TEST_F(ConnectionTest, RefusesASecondRequestWithAnIdUnderWay) {
    call("wait");
    EXPECT_EQ(error_of(send(R"({"jsonrpc":"2.0","id":7,"method":"ping"})")), mcp::kInvalidRequest);
}

TEST_F(ConnectionTest, AnswersABatchOf20250326WithOneArray) {
    initialize("2025-03-26");
    sink->messages.clear();
    json::value answer = send(
        R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
                                  {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}},5])");
    ASSERT_EQ(sink->messages.size(), 1u);
    EXPECT_EQ(answer.as_array().size(), 3u);
}

TEST_F(ConnectionTest, RefusesBatchesElsewhereAndHandshakesInside) {
    initialize("2025-06-18");
    EXPECT_EQ(error_of(send(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")), mcp::kInvalidRequest);
    initialize("2025-03-26");
    EXPECT_EQ(error_of(send("[]")), mcp::kInvalidRequest);
    EXPECT_EQ(error_of(send(R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}])")),
              mcp::kInvalidRequest);
}

TEST_F(ConnectionTest, AsksTheClientDuringACallAndTakesItsAnswers) {
    initialize("2025-11-25", R"({"elicitation":{}})");
    json::value question = call("ask");
    EXPECT_EQ(question.at("method").as_string(), "elicitation/create");
    question = send(R"({"jsonrpc":"2.0","id":)" + json::serialize(question.at("id")) +
                    R"(,"result":{"action":"accept","content":{"name":"A"}}})");
    EXPECT_EQ(question.at("params").at("message").as_string(), "Color?");
    json::value answer = send(R"({"jsonrpc":"2.0","id":)" + json::serialize(question.at("id")) +
                              R"(,"result":{"action":"decline"}})");
    EXPECT_THAT(text_of(answer),
                HasSubstr(R"({"action":"accept","content":{"name":"A"}}{"action":"decline"})"));
}

TEST_F(ConnectionTest, TakesAQuestionBackWhenItsCallIsCancelled) {
    initialize("2025-11-25", R"({"elicitation":{}})");
    json::value question = call("ask");
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
    ASSERT_EQ(peer.messages.size(), 1u);
    EXPECT_EQ(peer.messages[0].at("method").as_string(), "notifications/cancelled");
    EXPECT_EQ(peer.messages[0].at("params").at("requestId"), question.at("id"));
}

TEST_F(ConnectionTest, KeepsWhatItKnowsOfAClientBeforeItSpeaks) {
    connection->introduce({.directory = "/project"}, 3'000'000);
    initialize("2025-11-25", R"({"elicitation":{}})");
    EXPECT_EQ(connection->caller().directory, "/project");
    EXPECT_EQ(call("ask").at("id").as_int64(), 3'000'000);
}

TEST_F(ConnectionTest, TellsTheToolWhenTheClientRefusesOrCannotAnswer) {
    initialize("2025-11-25", R"({"elicitation":{}})");
    json::value question = call("ask");
    json::value answer = send(R"({"jsonrpc":"2.0","id":)" + json::serialize(question.at("id")) +
                              R"(,"error":{"code":-1,"message":"busy"}})");
    EXPECT_THAT(text_of(answer), HasSubstr("The client refused: busy"));

    initialize("2025-11-25");
    EXPECT_THAT(text_of(call("ask")), HasSubstr("\"elicitation\""));
}

TEST_F(ConnectionTest, AsksOnlyInTheModesThatAClientHas) {
    for (const char* with_forms : {R"({"elicitation":{}})", R"({"elicitation":{"form":{},"url":{}}})"}) {
        initialize("2025-11-25", with_forms);
        EXPECT_EQ(call("ask").at("method").as_string(), "elicitation/create") << with_forms;
        send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
        peer.messages.clear();
    }
    initialize("2025-11-25", R"({"elicitation":{"url":{}}})");
    EXPECT_THAT(text_of(call("ask")), HasSubstr("\"elicitation\""));
}

TEST_F(ConnectionTest, TellsAnInitializedClientOfChangedLists) {
    initialize("2025-11-25");
    protocol.registry.remove_tool("fail");
    EXPECT_TRUE(peer.messages.empty());

    send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    protocol.registry.remove_tool("throw");
    ASSERT_EQ(peer.messages.size(), 1u);
    EXPECT_EQ(peer.messages[0].at("method").as_string(), "notifications/tools/list_changed");
    EXPECT_EQ(
        send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})").at("result").at("tools").as_array().size(),
        3u);
}

TEST_F(ConnectionTest, SubscribesToNothingThatIsNoResource) {
    initialize("2025-11-25");
    json::value answer =
        send(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"y://a"}})");
    EXPECT_EQ(answer.at("error").at("code").as_int64(), mcp::kResourceNotFound);
    EXPECT_THAT(json::serialize(answer), HasSubstr("Resource not found: y://a"));
    protocol.registry.resource_updated("y://a");
    EXPECT_EQ(peer.messages.size(), 0u);
}

TEST_F(ConnectionTest, TellsOnlySubscribersOfAnUpdatedResource) {
    initialize("2025-11-25");
    send(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://a"}})");
    protocol.registry.resource_updated("x://b");
    protocol.registry.resource_updated("x://a");
    ASSERT_EQ(peer.messages.size(), 1u);
    EXPECT_EQ(peer.messages[0].at("params").at("uri").as_string(), "x://a");

    send(R"({"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"x://a"}})");
    protocol.registry.resource_updated("x://a");
    EXPECT_EQ(peer.messages.size(), 1u);
}

// Two clients may subscribe to one URI and mean two things by it.
TEST_F(ConnectionTest, TellsOnlyThoseWhomAChangeConcerns) {
    initialize("2025-11-25");
    send(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://a"}})");
    auto somebody_else = [](const tools::Caller& caller) { return caller.connection == "another"; };
    auto this_one = [](const tools::Caller& caller) { return caller.connection != "another"; };

    protocol.registry.resource_updated("x://a", somebody_else);
    protocol.registry.resource_list_changed(somebody_else);
    protocol.registry.own_tools_changed(somebody_else);
    EXPECT_TRUE(peer.messages.empty());
    protocol.registry.resource_updated("x://a", this_one);
    protocol.registry.resource_list_changed(this_one);
    EXPECT_EQ(peer.messages.size(), 2u);
}

TEST_F(ConnectionTest, ListsAndCallsToolsThatOnlyThisCallerHas) {
    initialize("2025-11-25");
    auto own = std::make_shared<tools::Tool>(*protocol.registry.find_tool("echo"));
    own->name = "own";
    protocol.registry.set_own_tools([&](const tools::Caller&) {
        return own ? std::vector<std::shared_ptr<const tools::Tool>>{own}
                   : std::vector<std::shared_ptr<const tools::Tool>>();
    });
    auto count = [&] {
        return send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")
            .at("result")
            .at("tools")
            .as_array()
            .size();
    };

    EXPECT_EQ(count(), 6u);
    EXPECT_EQ(
        text_of(send(
            R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"own","arguments":{"text":"hi"}}})")),
        "hi");
    own = nullptr;
    EXPECT_EQ(count(), 5u);
    EXPECT_TRUE(send(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"own"}})")
                    .as_object()
                    .contains("error"));
}

TEST(ConnectionLimits, HoldForToolsThatOnlyThisCallerHas) {
    Loop loop;
    tools::CallGate gate(loop, {.refuse = [](const std::string& name) {
                             return name == "own" ? std::optional<std::string>("a rule") : std::nullopt;
                         }});
    fakes::Protocol protocol({.gate = &gate});
    auto own = std::make_shared<tools::Tool>(*protocol.registry.find_tool("echo"));
    own->name = "own";
    protocol.registry.set_own_tools(
        [&](const tools::Caller&) { return std::vector<std::shared_ptr<const tools::Tool>>{own}; });
    fakes::RecordingSink peer;
    auto sink = std::make_shared<fakes::RecordingSink>();
    mcp::Connection connection(protocol.server, peer, {});
    auto send = [&](std::string_view method, std::string_view params) {
        connection.receive_text(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                                    R"(","params":)" + std::string(params) + "}",
                                sink);
        return json::serialize(sink->last());
    };
    EXPECT_THAT(send("tools/list", "{}"), Not(HasSubstr(R"("name":"own")")));
    EXPECT_THAT(send("tools/call", R"({"name":"own","arguments":{"text":"hi"}})"),
                HasSubstr("denied by a rule"));
}

TEST(ConnectionLimits, PagesLongListsWithOpaqueCursors) {
    fakes::Protocol protocol({.page_size = 2});
    fakes::RecordingSink peer;
    auto sink = std::make_shared<fakes::RecordingSink>();
    mcp::Connection connection(protocol.server, peer, {});
    std::vector<std::string> names;
    std::string params = "{}";
    for (int page = 0; page < 3; ++page) {
        connection.receive_text(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":)" + params + "}",
                                sink);
        json::value result = sink->last().at("result");
        for (const json::value& tool : result.at("tools").as_array())
            names.emplace_back(tool.at("name").as_string());
        if (!result.as_object().contains("nextCursor")) break;
        params = R"({"cursor":)" + json::serialize(result.at("nextCursor")) + "}";
    }
    EXPECT_THAT(names, testing::ElementsAre("echo", "wait", "fail", "throw", "ask"));
}

TEST(ConnectionLimits, RefusesMoreRequestsThanItCarries) {
    fakes::Protocol protocol({.max_in_flight = 2});
    fakes::RecordingSink peer;
    auto sink = std::make_shared<fakes::RecordingSink>();
    mcp::Connection connection(protocol.server, peer, {});
    for (int id = 1; id <= 3; ++id) {
        connection.receive_text(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                                    R"(,"method":"tools/call","params":{"name":"wait"}})",
                                sink);
    }
    EXPECT_THAT(std::string(sink->last().at("error").at("message").as_string()),
                HasSubstr("Too many requests"));
    EXPECT_EQ(protocol.waiting.started, 2);
}

TEST(ConnectionLimits, EndsACallThatTakesTooLong) {
    fakes::Protocol protocol({.call_timeout = std::chrono::milliseconds(5)});
    fakes::RecordingSink peer;
    auto sink = std::make_shared<fakes::RecordingSink>();
    mcp::Connection connection(protocol.server, peer, {});
    connection.receive_text(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})",
                            sink);
    protocol.loop.run();
    EXPECT_TRUE(sink->last().at("result").at("isError").as_bool());
    EXPECT_THAT(json::serialize(sink->last()), HasSubstr("took too long"));
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}
