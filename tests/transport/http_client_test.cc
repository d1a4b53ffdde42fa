#include "transport/http_client.h"

#include "tests/transport/http_client_fixture.h"

namespace {

using namespace std::chrono_literals;
using fakes::http_answer;
using fakes::http_chunk;
using fakes::json_answer;
using fakes::kStreamHead;
using fakes::run_task;
using fakes::run_until;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using transport::HttpClientOptions;

TEST_F(HttpClientTest, PostsAMessageAndTakesAJsonAnswer) {
    handler = [](const auto&, const Connection& connection) { connection->write(json_answer(answer_to(1))); };
    connect({.headers = {{"Authorization", "Bearer abc"}}});
    client->send(R"({"a":1})", 1);
    run_until_messages(1);

    EXPECT_THAT(messages, ElementsAre(answer_to(1)));
    auto& request = server.requests.at(0);
    EXPECT_EQ(request.method + " " + request.target, "POST /mcp");
    EXPECT_EQ(request.body, R"({"a":1})");
    EXPECT_EQ(request.headers["content-type"], "application/json");
    EXPECT_EQ(request.headers["accept"], "application/json, text/event-stream");
    EXPECT_EQ(request.headers["authorization"], "Bearer abc");
    EXPECT_EQ("http://" + request.headers["host"] + "/mcp", server.url());
    EXPECT_EQ(request.headers.count("mcp-session-id"), 0u);
}

TEST_F(HttpClientTest, TakesAnEventStreamInPieces) {
    std::string stream =
        ": hi\n\n" + event("{\"note\":1}") + event("{}", "event: other\n") + event(answer_to(1));
    handler = [&](const auto&, const Connection& connection) {
        connection->write(kStreamHead);
        for (char byte : stream) connection->write(http_chunk(std::string(1, byte)));
        connection->write("0\r\n\r\n");
    };
    connect();
    client->send("{}", 1);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"note\":1}", answer_to(1)));
    EXPECT_THAT(failed, IsEmpty());
}

TEST_F(HttpClientTest, TakesAStreamThatEndsWithItsConnection) {
    handler = [&](const auto&, const Connection& connection) {
        connection->write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n");
        connection->write(event("{\"n\":1}") + event(answer_to(1)));
        connection->close();
    };
    connect();
    client->send("{}", 1);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"n\":1}", answer_to(1)));
}

TEST_F(HttpClientTest, FindsAServerByItsName) {
    handler = [](const auto&, const Connection& connection) { connection->write(json_answer(answer_to(1))); };
    std::string port = server.url().substr(17);
    connect({.url = "http://localhost:" + port + "?key=1", .server_stream = kNoStream});
    client->send("{}", 1);
    run_until_messages(1);
    EXPECT_EQ(server.requests.at(0).target, "/mcp?key=1");
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
    handler = [](const auto& request, const Connection& connection) {
        if (request.body == "stream")
            connection->write(std::string(kStreamHead) + http_chunk(event(answer_to(2))) + "0\r\n\r\n");
        else
            connection->write(json_answer(answer_to(1)));
    };
    connect();
    client->send("{}", 1);
    run_until_messages(1);
    client->send("stream", 2);
    run_until_messages(2);
    loop.restart();
    loop.poll();
    client->send("{}", 3);
    run_until_messages(3);
    EXPECT_EQ(server.requests.at(2).connection, 1);
}

TEST_F(HttpClientTest, DoesNotUseAConnectionThatTheServerClosed) {
    handler = [](const auto& request, const Connection& connection) {
        connection->write(json_answer(answer_to(request.connection)));
        connection->close();
    };
    connect();
    for (int id : {1, 2}) {
        client->send("{}", id);
        run_until_messages(static_cast<std::size_t>(id));
    }
    EXPECT_THAT(failed, IsEmpty());
    EXPECT_EQ(server.requests.at(1).connection, 2);
}

TEST_F(HttpClientTest, HasSeveralRequestsUnderWay) {
    std::vector<Connection> waiting;
    handler = [&](const auto&, const Connection& connection) { waiting.push_back(connection); };
    connect();
    client->send("1", 1);
    client->send("2", 2);
    run_until_requests(2);
    int later = server.requests[0].body == "2" ? 0 : 1;
    waiting[later]->write(json_answer(answer_to(2)));
    run_until_messages(1);
    waiting[1 - later]->write(json_answer(answer_to(1)));
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre(answer_to(2), answer_to(1)));
}

TEST_F(HttpClientTest, NamesItsSessionAndVersionAndEndsItWithADelete) {
    handler = serve_session;
    connect({.server_stream = HttpClientOptions::ServerStream::Open});
    {
        mcp::ClientConnection connection(loop, *client, log);
        ASSERT_TRUE(run_task(loop, connection.initialize({}, {}, Deadline::in(20s))));
        EXPECT_EQ(client->session_id(), "s-1");
        ASSERT_TRUE(run_task(loop, connection.ping(Deadline::in(20s))));
        run_until_requests(4);
    }
    client.reset();  // the goodbye goes on
    run_until_requests(5);

    std::vector<std::string> methods;
    for (auto& request : server.requests) {
        methods.push_back(request.method);
        bool first = methods.size() == 1;
        EXPECT_EQ(request.headers["mcp-session-id"], first ? "" : "s-1");
        EXPECT_EQ(request.headers["mcp-protocol-version"], first ? "" : "2025-06-18");
    }
    EXPECT_THAT(server.requests[1].body, HasSubstr("notifications/initialized"));
    EXPECT_THAT(methods, testing::UnorderedElementsAre("POST", "POST", "POST", "GET", "DELETE"));
}

TEST_F(HttpClientTest, SendsNothingElseUntilTheServerKnowsThatWeAreReady) {
    std::vector<Connection> waiting;
    handler = [&](const auto&, const Connection& connection) { waiting.push_back(connection); };
    connect();
    client->set_protocol_version("2025-11-25");
    client->send("initialized", std::nullopt);
    client->send("list", 1);
    client->send("dropped", 2);
    client->release(2);
    run_until_requests(1);
    loop.restart();
    loop.poll();
    ASSERT_THAT(server.requests, SizeIs(1));
    waiting[0]->write(http_answer("202 Accepted", ""));
    run_until_requests(2);
    EXPECT_EQ(server.requests[1].body, "list");
    EXPECT_EQ(server.requests[1].headers["mcp-protocol-version"], "2025-11-25");
}

TEST_F(HttpClientTest, ListensToWhatBelongsToNoRequestAndComesBack) {
    int streams = 0;
    handler = [&](const auto& request, const Connection& connection) {
        if (request.method != "GET") return connection->write(http_answer("202 Accepted", ""));
        std::string number = std::to_string(++streams);
        connection->write(kStreamHead);
        connection->write(http_chunk(event("{\"n\":" + number + "}", "id: e" + number + "\n")));
        if (streams == 1) connection->close();
    };
    connect({.server_stream = HttpClientOptions::ServerStream::Open});
    client->set_protocol_version("2025-11-25");
    client->send("{}", std::nullopt);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"n\":1}", "{\"n\":2}"));
    EXPECT_EQ(server.requests.at(2).headers["last-event-id"], "e1");
    client->close();
    run_until(loop, [&] { return server.hung_up == 1; });
}

TEST_F(HttpClientTest, ResumesAnAnswerWhoseStreamBroke) {
    handler = [&](const auto& request, const Connection& connection) {
        connection->write(kStreamHead);
        if (request.method == "POST") {
            connection->write(http_chunk(event("", "retry: 1\nid: e1\n")));
            connection->write(http_chunk(event("{\"n\":1}", "id: e2\n") + "data: {\"half"));
            return connection->close();
        }
        connection->write(http_chunk(event(answer_to(1))) + "0\r\n\r\n");
    };
    connect();
    client->send("{}", 1);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"n\":1}", answer_to(1)));
    auto& resumed = server.requests.at(1);
    EXPECT_EQ(resumed.method, "GET");
    EXPECT_EQ(resumed.headers["last-event-id"], "e2");
    EXPECT_EQ(resumed.headers["accept"], "text/event-stream");
}

TEST_F(HttpClientTest, PollsAServerThatEndsItsStreamBeforeTheAnswer) {
    int polls = 0;
    handler = [&](const auto&, const Connection& connection) {
        std::string said =
            ++polls < 10 ? event("", "id: p" + std::to_string(polls) + "\n") : event(answer_to(1));
        connection->write(std::string(kStreamHead) + http_chunk(said) + "0\r\n\r\n");
    };
    connect();
    client->send("{}", 1);
    run_until_messages(1);
    EXPECT_EQ(polls, 10);
}

TEST_F(HttpClientTest, FailsWhenABrokenStreamCannotBeResumed) {
    handler = [&](const auto& request, const Connection& connection) {
        if (request.method == "GET") return connection->write(http_answer("400 Bad Request", ""));
        connection->write(kStreamHead);
        connection->write(http_chunk(event("{}", request.body == "numbered" ? "id: 1\n" : "")));
        connection->close();
    };
    connect();
    client->send("plain", 1);
    EXPECT_THAT(run_until_failed(1).message, HasSubstr("ended too early"));
    client->send("numbered", 2);
    EXPECT_THAT(run_until_failed(2).message, HasSubstr("HTTP 400"));
}

TEST_F(HttpClientTest, LeavesAStreamThatDoesNotEndAfterTheCallerGaveUp) {
    handler = [&](const auto&, const Connection& connection) {
        connection->write(kStreamHead);
        connection->write(http_chunk(event("{\"n\":1}")));
    };
    connect({.server_stream = kNoStream, .linger = 1ms});
    client->send("{}", 1);
    run_until_messages(1);
    client->release(1);
    run_until(loop, [&] { return server.hung_up == 1; });
    EXPECT_THAT(failed, IsEmpty());
}

}  // namespace
