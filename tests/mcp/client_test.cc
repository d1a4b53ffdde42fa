#include "mcp/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/client_text.h"
#include "tests/fakes/client_transport.h"
#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using fakes::FakeClientTransport;
using mcp::ClientConnection;
using mcp::RawResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Client : public testing::Test {
protected:
    // Starts a task whose end the test looks at later.
    template <class T>
    void begin(Task<T> task, std::optional<Result<T>>& outcome) {
        running_ = start(std::move(task), [&](Result<T> result) { outcome.emplace(std::move(result)); });
    }
    void begin_ping() { begin(connection.ping(Deadline::never()), pinged); }
    void settle() {
        loop.restart();
        loop.poll();
    }

    Loop loop;
    Log log = Log::silent();
    FakeClientTransport server;
    ClientConnection connection{loop, server, log};
    std::optional<Result<void>> pinged;
    Running running_;
};

TEST_F(Client, InitializesAndSaysWhenItIsReady) {
    std::optional<Result<mcp::ServerDescription>> described;
    begin(
        connection.initialize({.name = "t", .version = "1"}, {{"roots", json::object{}}}, Deadline::never()),
        described);
    EXPECT_EQ(server.sent.back(),
              R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
              R"("capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}})");

    server.receive(
        R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},)"
        R"("serverInfo":{"name":"s","version":"2"},"instructions":"Be kind."}})");
    settle();

    ASSERT_TRUE(described->has_value());
    EXPECT_EQ(described->value().protocol_version, "2025-06-18");
    EXPECT_TRUE(described->value().capabilities.contains("tools"));
    EXPECT_EQ(described->value().instructions, "Be kind.");
    EXPECT_EQ(server.version, "2025-06-18");
    EXPECT_EQ(server.sent.back(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

TEST_F(Client, NamesAVersionThatItCannotSpeak) {
    std::optional<Result<mcp::ServerDescription>> described;
    begin(connection.initialize({}, {}, Deadline::never()), described);
    server.receive(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01","capabilities":{}}})");
    settle();

    EXPECT_THAT(described->error().to_string(), AllOf(HasSubstr("1999-01-01"), HasSubstr("2025-11-25")));
    EXPECT_EQ(server.sent.size(), 1u);
}

TEST_F(Client, FollowsThePagesOfAToolListAndKeepsWhatItDoesNotKnow) {
    std::optional<Result<std::vector<json::object>>> tools;
    begin(connection.list("tools/list", "tools", Deadline::never()), tools);
    server.receive(
        R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","new":{"x":1}}],"nextCursor":"p2"}})");
    settle();
    EXPECT_EQ(server.sent.back(),
              R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p2"}})");
    server.receive(R"({"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}})");
    settle();

    ASSERT_EQ(tools->value().size(), 2u);
    EXPECT_EQ(json::serialize(tools->value()[0]), R"({"name":"a","new":{"x":1}})");
}

TEST_F(Client, GivesUpOnAToolListThatNeverEnds) {
    std::optional<Result<std::vector<json::object>>> tools;
    begin(connection.list("tools/list", "tools", Deadline::never()), tools);
    for (int id = 1; !tools && id < 1000; ++id) {
        server.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                       R"(,"result":{"tools":[],"nextCursor":"again"}})");
        settle();
    }
    EXPECT_EQ(tools->error().code, ErrorCode::ResourceExhausted);
}

TEST_F(Client, GivesTheResultOfACallAsTheServerWroteIt) {
    std::optional<Result<RawResult>> called;
    begin(connection.call_tool("click", {{"target", "e1"}}, {}), called);
    EXPECT_EQ(
        server.sent.back(),
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"click","arguments":{"target":"e1"}}})");

    std::string result = R"({ "content" : [], "ratio": 1.50, "text":"\u00e9 \"}" })";
    server.receive(R"({"jsonrpc":"2.0", "result" : )" + result + R"( , "id":1})");
    settle();

    EXPECT_EQ(called->value().text(), result);
    EXPECT_TRUE(called->value().value.as_object().contains("content"));
    EXPECT_THAT(server.waiting, IsEmpty());
}

TEST_F(Client, PassesProgressToTheCallThatAskedForIt) {
    std::vector<std::string> progress, others;
    connection.on_notification("notifications/progress", [&](const json::object& params) {
        others.push_back(json::serialize(params));
    });
    std::optional<Result<RawResult>> called;
    begin(
        connection.call_tool(
            "slow", {},
            {.on_progress = [&](const json::object& params) { progress.push_back(json::serialize(params)); },
             .meta = {{"trace", "t"}}}),
        called);
    EXPECT_EQ(json::serialize(server.last()["params"].at("_meta")), R"({"trace":"t","progressToken":1})");

    server.receive(
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}})");
    server.receive(
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":3}})");

    EXPECT_THAT(progress, ElementsAre(R"({"progressToken":1,"progress":2})"));
    EXPECT_THAT(others, ElementsAre(R"({"progressToken":7,"progress":3})"));
}

TEST_F(Client, CancelsARequestWhoseTaskIsDropped) {
    begin_ping();
    running_.cancel();
    EXPECT_EQ(
        server.sent.back(),
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"The caller gave up."}})");
    EXPECT_THAT(server.waiting, IsEmpty());

    server.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");  // too late, and no harm
    settle();
    EXPECT_FALSE(pinged);
}

TEST_F(Client, NeverCancelsInitialize) {
    std::optional<Result<mcp::ServerDescription>> described;
    begin(connection.initialize({}, {}, Deadline::never()), described);
    running_.cancel();
    EXPECT_EQ(server.sent.size(), 1u);
    EXPECT_THAT(server.waiting, IsEmpty());
}

TEST_F(Client, CancelsARequestThatTakesTooLong) {
    auto outcome = fakes::run_task(loop, connection.request("tools/list", {}, Deadline::in(1ms)));
    EXPECT_EQ(outcome.error().code, ErrorCode::Timeout);
    EXPECT_EQ(outcome.error().message, "The MCP server's answer to tools/list took too long.");
    EXPECT_THAT(server.sent.back(), HasSubstr("notifications/cancelled"));
}

TEST_F(Client, DoesNotCancelWhatWasAnswered) {
    begin_ping();
    server.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    running_.cancel();
    settle();
    EXPECT_EQ(server.sent.size(), 1u);
}

TEST_F(Client, EndsOpenRequestsWithTheReasonWhenTheServerGoes) {
    begin_ping();
    std::string reason;
    connection.on_close([&](const Error& error) { reason = error.message; });
    server.handlers.on_close(Error{.code = ErrorCode::NetworkError, .message = "It exited with status 3."});
    settle();

    EXPECT_EQ(pinged->error().message, "It exited with status 3.");
    EXPECT_EQ(reason, "It exited with status 3.");
    EXPECT_TRUE(connection.is_closed());
    auto later = fakes::run_task(loop, connection.ping(Deadline::never()));
    EXPECT_EQ(later.error().code, ErrorCode::NetworkError);
}

TEST_F(Client, EndsOneRequestWhenOnlyThatFailed) {
    begin_ping();
    server.handlers.on_request_failed(
        1, Error{.code = ErrorCode::NetworkError, .message = "connect ECONNREFUSED"});
    settle();
    EXPECT_EQ(pinged->error().message, "connect ECONNREFUSED");
    EXPECT_FALSE(connection.is_closed());
}

TEST_F(Client, ClosingEndsOpenRequestsAndTheTransport) {
    begin_ping();
    connection.close();
    settle();
    EXPECT_EQ(pinged->error().code, ErrorCode::Cancelled);
    EXPECT_TRUE(server.closed);
}

TEST(ClientLifetime, ARequestMayOutliveItsConnection) {
    Loop loop;
    Log log = Log::silent();
    std::optional<Result<void>> pinged;
    Running running;
    {
        FakeClientTransport server;
        ClientConnection connection(loop, server, log);
        running =
            start(connection.ping(Deadline::never()), [&](Result<void> result) { pinged.emplace(result); });
    }
    loop.poll();
    EXPECT_EQ(pinged->error().code, ErrorCode::Cancelled);
}

TEST_F(Client, KeepsTheErrorOfTheServer) {
    begin_ping();
    server.receive(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: x","data":[1]}})");
    settle();
    const Error& error = pinged->error();
    EXPECT_EQ(error.code, ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message, "Unknown tool: x");
    EXPECT_EQ(error.details, R"({"code":-32602,"message":"Unknown tool: x","data":[1]})");
    EXPECT_EQ(mcp::rpc_error_of(error)->code, -32602);
    EXPECT_FALSE(mcp::rpc_error_of(Error{.message = "ours"}));
}

TEST_F(Client, CountsWhatMakesNoSenseAndGoesOn) {
    begin_ping();
    for (const char* nonsense :
         {"", "listening on port 80", "{", "[1]", "[[]]", "null", "{}",
          R"({"jsonrpc":"1.0","id":7,"result":{}})",
          R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})", "\xff\xfe",
          R"({"jsonrpc":"2.0","id":{},"result":1})", R"({"jsonrpc":"2.0","method":"x","params":3})"})
        server.receive(nonsense);
    server.receive(std::string(100'000, '['));
    EXPECT_EQ(connection.malformed_count(), 13u);

    server.receive(R"({"jsonrpc":"2.0","id":99,"result":{}})");
    server.receive(R"({"jsonrpc":"2.0","id":"1","result":{}})");
    settle();
    EXPECT_FALSE(pinged);
    server.receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    settle();
    EXPECT_TRUE(pinged->has_value());
}

TEST_F(Client, EndsARequestWhoseAnswerMakesNoSense) {
    begin_ping();
    server.receive(R"({"jsonrpc":"2.0","id":1})");
    settle();
    EXPECT_THAT(pinged->error().message, HasSubstr("no JSON-RPC message"));
}

TEST_F(Client, TakesABatchApart) {
    std::optional<Result<RawResult>> called;
    begin(connection.call_tool("a", {}, {}), called);
    int changes = 0;
    connection.on_notification("notifications/tools/list_changed", [&](const json::object&) { ++changes; });
    server.receive(R"([ {"jsonrpc":"2.0","method":"notifications/tools/list_changed"} , )"
                   R"({"jsonrpc":"2.0","id":1,"result":{ "content":["],"]}} ])");
    settle();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(called->value().text(), R"({ "content":["],"]})");
}

Task<json::value> give_roots(json::object params) {
    if (params.contains("fail")) co_await Error{.code = ErrorCode::InvalidArgument, .message = "No."};
    co_return json::object{{"roots", json::array{}}};
}

TEST_F(Client, AnswersTheServersRequests) {
    connection.on_request("roots/list", give_roots);
    server.receive(R"({"jsonrpc":"2.0","id":"r1","method":"roots/list"})");
    server.receive(R"({"jsonrpc":"2.0","id":2,"method":"roots/list","params":{"fail":1}})");
    server.receive(R"({"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{}})");
    server.receive(R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
    EXPECT_THAT(
        server.sent,
        ElementsAre(R"({"jsonrpc":"2.0","id":"r1","result":{"roots":[]}})",
                    R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No."}})",
                    R"({"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}})",
                    R"({"jsonrpc":"2.0","id":4,"result":{}})"));
}

struct Flag {
    bool* set;
    ~Flag() { *set = true; }
};

Task<json::value> ask_forever(Completion<json::value> answer, bool* dropped) {
    Flag flag{dropped};
    co_return co_await answer;
}

TEST_F(Client, StopsAnsweringARequestThatTheServerCancels) {
    bool dropped = false;
    Completion<json::value> answer(loop);
    connection.on_request("elicitation/create", [&](json::object) { return ask_forever(answer, &dropped); });
    server.receive(R"({"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}})");
    EXPECT_FALSE(dropped);
    server.receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
    EXPECT_TRUE(dropped);
    EXPECT_THAT(server.sent, IsEmpty());
}

TEST_F(Client, AnswersALaterRequestWhileAnEarlierOneWaits) {
    bool dropped = false;
    Completion<json::value> answer(loop);
    connection.on_request("elicitation/create", [&](json::object) { return ask_forever(answer, &dropped); });
    connection.on_request("roots/list", give_roots);
    server.receive(R"({"jsonrpc":"2.0","id":5,"method":"elicitation/create"})");
    server.receive(R"({"jsonrpc":"2.0","id":6,"method":"roots/list"})");
    answer.set(json::object{{"action", "accept"}});
    settle();
    EXPECT_THAT(server.sent, ElementsAre(R"({"jsonrpc":"2.0","id":6,"result":{"roots":[]}})",
                                         R"({"jsonrpc":"2.0","id":5,"result":{"action":"accept"}})"));
}

TEST_F(Client, ANotificationHandlerMayCloseTheConnection) {
    begin_ping();
    connection.on_notification("bye", [&](const json::object&) { connection.close(); });
    server.receive(R"([{"jsonrpc":"2.0","method":"bye"},{"jsonrpc":"2.0","id":1,"result":{}}])");
    settle();
    EXPECT_EQ(pinged->error().code, ErrorCode::Cancelled);
}

TEST(MemberText, GivesTheBytesOfAValue) {
    EXPECT_EQ(mcp::member_text(R"({"a":1,"b": {"c":"}\\\""} })", "b"), R"({"c":"}\\\""})");
    EXPECT_EQ(mcp::member_text(R"({"x":{"b":1},"b":2,"b":-3.0e5})", "b"), "-3.0e5");
    EXPECT_EQ(mcp::member_text(R"( { "b" : "x,y" } )", "b"), R"("x,y")");
    EXPECT_EQ(mcp::member_text(R"({"a":[1,"]"],"b":null})", "b"), "null");
    EXPECT_EQ(mcp::member_text(R"({"a":1})", "b"), "");
    EXPECT_EQ(mcp::member_text("{}", "b"), "");
}

TEST(MemberText, GoesNowhereInATextThatIsCutOff) {
    std::string whole = R"({"a":[1,{"b":"\"}"}],"b":{"c":[true,"x"]}} )";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        mcp::member_text(std::string_view(whole).substr(0, size), "b");
        mcp::element_texts("[" + whole.substr(0, size));
    }
}

}  // namespace
