#include "transport/streamable_http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/http_exchange.h"
#include "tests/fakes/protocol.h"
#include "tests/fakes/wait.h"

using fakes::FakeExchange;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

using Map = std::map<std::string, std::string>;

constexpr const char* kModernBody =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";

class StreamableHttpTest : public testing::Test {
protected:
    StreamableHttpTest() {
        protocol.add("quiet", [this](tools::Call) { return fakes::say_nothing_until(quiet); });
    }

    std::shared_ptr<FakeExchange> request(std::string method, Map headers = {}, std::string body = {},
                                          tools::Caller caller = {}) {
        headers.try_emplace("Accept", "application/json, text/event-stream");
        headers.try_emplace("Content-Type", "application/json");
        auto exchange =
            std::make_shared<FakeExchange>(std::move(method), "/mcp", std::move(headers), std::move(body));
        http.handle(exchange, std::move(caller));
        protocol.settle();
        return exchange;
    }
    std::shared_ptr<FakeExchange> post(std::string body, Map headers = {}) {
        return request("POST", std::move(headers), std::move(body));
    }
    std::string open_session(const std::string& version = "2025-11-25", tools::Caller caller = {}) {
        auto exchange =
            request("POST", {},
                    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
                        version + R"(","capabilities":{}}})",
                    std::move(caller));
        EXPECT_EQ(exchange->status, 200) << exchange->answer;
        return exchange->response_header("Mcp-Session-Id");
    }
    Map in(const std::string& session) { return {{"Mcp-Session-Id", session}}; }

    fakes::Protocol protocol;
    Completion<int> quiet{protocol.loop};  // lets the tool of that name answer
    transport::StreamableHttp http{protocol.server, {}};
};

}  // namespace

TEST_F(StreamableHttpTest, GivesASessionItsIdAndAnswersPlainJson) {
    std::string session = open_session();
    EXPECT_EQ(session.size(), 36u);
    auto answer = post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", in(session));
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->response_header("Content-Type"), "application/json");
    EXPECT_EQ(answer->answer, R"({"jsonrpc":"2.0","id":2,"result":{}})");
}

TEST_F(StreamableHttpTest, AnswersWhatHoldsNoRequestWith202) {
    std::string session = open_session();
    auto answer = post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", in(session));
    EXPECT_EQ(answer->status, 202);
    EXPECT_EQ(answer->answer, "");
}

TEST_F(StreamableHttpTest, RefusesInTheOrderTheReferenceGives) {
    std::string session = open_session();
    const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
    EXPECT_EQ(post("{nope")->status, 400);
    EXPECT_THAT(post("{nope")->answer, HasSubstr("-32700"));
    EXPECT_EQ(post(ping)->status, 400);
    EXPECT_EQ(post(ping, in("unknown"))->status, 404);
    EXPECT_EQ(post(ping, {{"Content-Type", "text/plain"}})->status, 415);
    EXPECT_EQ(post(ping, {{"Accept", "text/html"}})->status, 406);
    EXPECT_EQ(post(ping, {{"Mcp-Session-Id", session}, {"MCP-Protocol-Version", "1999-01-01"}})->status, 400);
    EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":null,"method":"ping"})", in(session))->status, 400);
    EXPECT_EQ(
        post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
             in(session))
            ->status,
        400);
    EXPECT_EQ(request("PUT")->status, 405);
    EXPECT_EQ(request("GET")->status, 400);
    EXPECT_EQ(request("GET", {{"Accept", "application/json"}})->status, 406);
    EXPECT_EQ(request("DELETE", in("unknown"))->status, 404);
}

TEST_F(StreamableHttpTest, BecomesAStreamWhenSomethingComesBeforeTheAnswer) {
    std::string session = open_session();
    auto exchange = post(
        R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}})",
        in(session));
    EXPECT_EQ(exchange->response_header("Content-Type"), "text/event-stream");
    EXPECT_THAT(exchange->answer, StartsWith("id: 1-0\nretry: 1000\ndata: \n\nevent: message\nid: 1-1\n"));
    protocol.waiting.released.set(1);
    protocol.settle();
    EXPECT_THAT(exchange->answer, HasSubstr("released"));
    EXPECT_TRUE(exchange->ended);
}

TEST_F(StreamableHttpTest, NeverPrimesAnOlderClient) {
    std::string session = open_session("2025-06-18");
    auto exchange = post(
        R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}})",
        in(session));
    EXPECT_THAT(exchange->answer, StartsWith("event: message\n"));
}

TEST_F(StreamableHttpTest, FinishesACallWhoseClientWentAndGivesItTheAnswerLater) {
    std::string session = open_session();
    auto exchange = post(
        R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}})",
        in(session));
    exchange->vanish();
    protocol.waiting.released.set(1);
    protocol.settle();
    EXPECT_THAT(exchange->answer, Not(HasSubstr("released")));

    auto resumed = request("GET", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "1-1"}});
    EXPECT_THAT(resumed->answer, HasSubstr("released"));
    EXPECT_TRUE(resumed->ended);
    EXPECT_EQ(request("GET", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "77-1"}})->status, 400);
}

TEST_F(StreamableHttpTest, HasOneStandaloneStreamASession) {
    std::string session = open_session();
    post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", in(session));
    auto stream = request("GET", in(session));
    EXPECT_TRUE(stream->streaming);
    EXPECT_EQ(request("GET", in(session))->status, 409);
    protocol.registry.remove_tool("fail");
    EXPECT_THAT(stream->answer, HasSubstr("list_changed"));
    stream->vanish();
    EXPECT_TRUE(request("GET", in(session))->streaming);
}

TEST_F(StreamableHttpTest, EndsASessionAndItsCallsOnDelete) {
    std::string session = open_session();
    auto stream = request("GET", in(session));
    post(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait"}})", in(session));
    EXPECT_EQ(request("DELETE", in(session))->status, 200);
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
    EXPECT_TRUE(stream->ended);
    EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":2,"method":"ping"})", in(session))->status, 404);
    EXPECT_EQ(http.session_count(), 0u);
}

TEST_F(StreamableHttpTest, HidesASessionFromEverybodyButItsOwner) {
    std::string session = open_session("2025-11-25", {.principal = "ada"});
    EXPECT_EQ(
        request("POST", in(session), R"({"jsonrpc":"2.0","id":2,"method":"ping"})", {.principal = "bob"})
            ->status,
        404);
    EXPECT_EQ(request("DELETE", in(session), "", {.principal = "bob"})->status, 404);
    EXPECT_EQ(
        request("POST", in(session), R"({"jsonrpc":"2.0","id":2,"method":"ping"})", {.principal = "ada"})
            ->status,
        200);
}

TEST_F(StreamableHttpTest, CancelsAStatelessRequestWhoseClientGoes) {
    Map headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "wait"}};
    auto exchange = post(kModernBody, headers);
    EXPECT_EQ(protocol.waiting.started, 1);
    EXPECT_THAT(exchange->answer, StartsWith("event: message\ndata: "));
    EXPECT_EQ(exchange->response_header("Mcp-Session-Id"), "");
    exchange->vanish();
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}

TEST_F(StreamableHttpTest, HoldsAStatelessRequestToItsHeaders) {
    EXPECT_EQ(post(kModernBody)->status, 400);
    EXPECT_THAT(post(kModernBody)->answer, HasSubstr("-32020"));
    auto no_claim =
        post(R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})", {{"MCP-Protocol-Version", "2026-07-28"}});
    EXPECT_EQ(no_claim->status, 400);
    EXPECT_THAT(no_claim->answer, HasSubstr(R"("id":3,"error":{"code":-32602)"));
    EXPECT_EQ(post("[" + std::string(kModernBody) + "]")->status, 400);
    EXPECT_EQ(request("GET", {{"MCP-Protocol-Version", "2026-07-28"}})->status, 405);
    EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
                   {{"MCP-Protocol-Version", "2026-07-28"}})
                  ->status,
              202);
}

TEST(StreamableSessions, ExpireWhenUnusedAndAreLimited) {
    fakes::Protocol protocol;
    transport::StreamableHttp http(protocol.server,
                                   {.session_timeout = std::chrono::milliseconds(1), .max_sessions = 1});
    auto initialize = [&] {
        auto exchange = std::make_shared<FakeExchange>(
            "POST", "/mcp", Map{{"Content-Type", "application/json"}},
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
        http.handle(exchange, {});
        return exchange->status;
    };
    EXPECT_EQ(initialize(), 200);
    EXPECT_EQ(initialize(), 503);
    protocol.loop.restart();
    protocol.loop.run();  // ends when the last session has expired
    EXPECT_EQ(http.session_count(), 0u);
    EXPECT_EQ(initialize(), 200);
}

TEST(StreamableSessions, AreUsedUntilTheirLastCallHasEnded) {
    fakes::Protocol protocol;
    Completion<int> quiet(protocol.loop);
    protocol.add("quiet", [&](tools::Call) { return fakes::say_nothing_until(quiet); });
    constexpr std::chrono::milliseconds kTimeout{100};
    transport::StreamableHttp http(protocol.server, {.session_timeout = kTimeout});
    auto ask = [&](Map headers, std::string body) {
        headers["Content-Type"] = "application/json";
        auto exchange = std::make_shared<FakeExchange>("POST", "/mcp", headers, std::move(body));
        http.handle(exchange, {});
        protocol.settle();
        return exchange;
    };
    auto opened = ask(
        {}, R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    Map in{{"Mcp-Session-Id", opened->response_header("Mcp-Session-Id")}};
    ask(in, R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quiet"}})");
    auto run_for = [&](std::chrono::milliseconds span) {
        protocol.loop.restart();
        protocol.loop.run_for(span);
    };
    run_for(2 * kTimeout);
    quiet.set(1);
    protocol.settle();
    auto ended = std::chrono::steady_clock::now();

    fakes::run_until(protocol.loop, [&] { return http.session_count() == 0; });

    EXPECT_GE(std::chrono::steady_clock::now() - ended, kTimeout);
}

TEST_F(StreamableHttpTest, EndsTheSessionOfAClientThatDoesNotAnswerPings) {
    transport::StreamableHttp strict(protocol.server, {.ping_timeout = std::chrono::milliseconds(20)});
    auto initialize = std::make_shared<FakeExchange>(
        "POST", "/mcp",
        Map{{"Accept", "application/json, text/event-stream"}, {"Content-Type", "application/json"}},
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}})");
    strict.handle(initialize, {});
    protocol.settle();
    auto stream =
        std::make_shared<FakeExchange>("GET", "/mcp",
                                       Map{{"Accept", "text/event-stream"},
                                           {"Mcp-Session-Id", initialize->response_header("Mcp-Session-Id")}},
                                       "");
    strict.handle(stream, {});

    fakes::run_until(protocol.server.loop(), [&] { return strict.session_count() == 0; });

    EXPECT_THAT(stream->answer, HasSubstr(R"("method":"ping")"));
}

TEST_F(StreamableHttpTest, SendsNoPingsUnlessAskedTo) {
    std::string session = open_session();
    auto stream = request("GET", in(session));
    protocol.settle();
    EXPECT_THAT(stream->answer, Not(HasSubstr("ping")));
    EXPECT_EQ(http.session_count(), 1u);
}

TEST_F(StreamableHttpTest, TellsWhoOnlyLooksThatThisIsNoPage) {
    auto answer = request("GET", {{"Accept", "*/*"}});
    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(answer->answer, "Invalid request");
}

// The server ends while calls are under way.
TEST_F(StreamableHttpTest, AnswersEveryRequestWhenTheServerEnds) {
    std::string session = open_session();
    auto young =
        post(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"quiet"}})", in(session));
    auto streamed = post(
        R"({"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}})",
        in(session));
    std::string body = kModernBody;
    body.replace(body.find("\"wait\""), 6, "\"quiet\"");
    auto modern = post(
        body, {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "quiet"}});
    for (const auto& exchange : {young, modern}) EXPECT_FALSE(exchange->ended);

    protocol.server.shut_down();
    http.close();
    protocol.settle();

    for (const auto& exchange : {young, modern}) {
        EXPECT_EQ(exchange->status, 200);
        EXPECT_EQ(exchange->response_header("Content-Type"), "application/json");
    }
    for (const auto& exchange : {young, streamed, modern}) {
        EXPECT_THAT(exchange->answer, AllOf(HasSubstr("-32000"), HasSubstr("The server is shutting down")));
        EXPECT_TRUE(exchange->ended);
    }
}

TEST_F(StreamableHttpTest, AnswersWhatADeleteLeftUnanswered) {
    std::string session = open_session();
    auto call =
        post(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"quiet"}})", in(session));
    request("DELETE", in(session));
    EXPECT_THAT(call->answer, HasSubstr("The session ended"));
}

TEST_F(StreamableHttpTest, EndsACancelledRequestWithAnEmptyStream) {
    std::string session = open_session();
    auto call =
        post(R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"quiet"}})", in(session));
    post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})", in(session));
    EXPECT_EQ(call->status, 200);
    EXPECT_EQ(call->response_header("Content-Type"), "text/event-stream");
    EXPECT_EQ(call->answer, "");
    EXPECT_TRUE(call->ended);
}

// SDKs come back for a stream that ended without its answer, again and again unless they are told 204.
TEST_F(StreamableHttpTest, EndsACancelledRequestThatStreamsForGood) {
    std::string session = open_session();
    auto call = post(
        R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":1}}})",
        in(session));
    EXPECT_TRUE(call->streaming);
    post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})", in(session));
    EXPECT_TRUE(call->ended);

    auto again = request("GET", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "1-2"}});
    EXPECT_EQ(again->status, 204);
    EXPECT_FALSE(again->streaming);
    auto missed_one = request("GET", {{"Mcp-Session-Id", session}, {"Last-Event-ID", "1-1"}});
    EXPECT_EQ(missed_one->status, 200);
    EXPECT_THAT(missed_one->answer, HasSubstr("id: 1-2"));
    EXPECT_TRUE(missed_one->ended);
}

TEST_F(StreamableHttpTest, KeepsNoSessionOfAHandshakeThatFailed) {
    std::vector<mcp::Departure> departures;
    fakes::Protocol own({.on_connection_ended = [&](const tools::Caller&, mcp::Departure how) {
        departures.push_back(how);
    }});
    transport::StreamableHttp fresh(own.server, {});
    auto failed = std::make_shared<FakeExchange>(
        "POST", "/mcp", Map{{"Content-Type", "application/json"}},
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}})");
    fresh.handle(failed, {});
    own.settle();
    EXPECT_THAT(failed->answer, HasSubstr("-32602"));
    EXPECT_EQ(failed->response_header("Mcp-Session-Id"), "");
    EXPECT_EQ(fresh.session_count(), 0u);
    EXPECT_THAT(departures, testing::ElementsAre(mcp::Departure::Goodbye));
}

TEST_F(StreamableHttpTest, EndsASessionThatTheAddressNames) {
    std::string session = open_session();
    auto ask = [&](const std::string& method, const std::string& path) {
        auto exchange = std::make_shared<FakeExchange>(
            method, path, Map{{"Content-Type", "application/json"}, {"Accept", "*/*"}},
            R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
        http.handle(exchange, {});
        protocol.settle();
        return exchange->status;
    };
    // Only its end: an address gets into logs.
    EXPECT_EQ(ask("POST", "/mcp?session=" + session), 400);
    EXPECT_EQ(ask("DELETE", "/mcp?session=unknown"), 404);
    EXPECT_EQ(ask("DELETE", "/mcp?session=" + session), 200);
    EXPECT_EQ(http.session_count(), 0u);
}

TEST_F(StreamableHttpTest, AnswersABatchWithoutRequestsWith202) {
    std::string session = open_session("2025-03-26");
    EXPECT_EQ(post(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", in(session))->status, 202);
}

namespace {

// Sessions that end soon after their clients have left.
class LeavingTest : public StreamableHttpTest {
protected:
    LeavingTest() { options.grace = std::chrono::milliseconds(100); }

    void run_for(std::chrono::milliseconds span) {
        protocol.loop.restart();
        protocol.loop.run_for(span);
    }
    std::shared_ptr<FakeExchange> ask(transport::StreamableHttp& on, std::string method, Map headers = {},
                                      std::string body = {}) {
        headers.try_emplace("Accept", "application/json, text/event-stream");
        headers.try_emplace("Content-Type", "application/json");
        auto exchange = std::make_shared<FakeExchange>(std::move(method), "/mcp", headers, std::move(body));
        on.handle(exchange, {});
        protocol.settle();
        return exchange;
    }
    Map opened(transport::StreamableHttp& on) {
        auto exchange = ask(
            on, "POST", {},
            R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})");
        return in(exchange->response_header("Mcp-Session-Id"));
    }

    transport::StreamableOptions options;
    std::vector<mcp::Departure> departures;
};

}  // namespace

TEST_F(LeavingTest, EndsTheSessionOfAClientThatStoppedListening) {
    fakes::Protocol own({.on_connection_ended = [&](const tools::Caller&, mcp::Departure how) {
        departures.push_back(how);
    }});
    transport::StreamableHttp leaving(own.server, options);
    Map session = opened(leaving);
    ask(leaving, "GET", session)->vanish();

    fakes::run_until(own.loop, [&] { return leaving.session_count() == 0; });

    EXPECT_THAT(departures, testing::ElementsAre(mcp::Departure::Expired));
}

TEST_F(LeavingTest, EndsItAfterThePingTimeoutWhereThereIsOne) {
    options.grace = std::chrono::hours(1);
    options.ping_timeout = std::chrono::milliseconds(50);
    transport::StreamableHttp leaving(protocol.server, options);
    Map session = opened(leaving);
    ask(leaving, "GET", session)->vanish();

    fakes::run_until(protocol.loop, [&] { return leaving.session_count() == 0; });
}

TEST_F(LeavingTest, KeepsWhoNeverListenedListensAgainOrHasACallUnderWay) {
    transport::StreamableHttp leaving(protocol.server, options);
    Map silent = opened(leaving), returning = opened(leaving), busy = opened(leaving), left = opened(leaving);
    ask(leaving, "GET", returning)->vanish();
    ask(leaving, "GET", busy)->vanish();
    ask(leaving, "GET", left)->vanish();
    auto call = ask(leaving, "POST", busy,
                    R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"quiet"}})");
    auto stream = ask(leaving, "GET", returning);

    fakes::run_until(protocol.loop, [&] { return leaving.session_count() < 4; });
    run_for(options.grace);

    EXPECT_EQ(leaving.session_count(), 3u);
    EXPECT_TRUE(stream->streaming);
    EXPECT_EQ(ask(leaving, "POST", left, R"({"jsonrpc":"2.0","id":2,"method":"ping"})")->status, 404);
    // Its time begins when its last call has ended.
    quiet.set(1);
    fakes::run_until(protocol.loop, [&] { return leaving.session_count() == 2; });
    EXPECT_THAT(call->answer, HasSubstr("quiet"));
}
