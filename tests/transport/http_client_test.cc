#include "transport/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/client.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"

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
using transport::HttpClient;
using transport::HttpClientOptions;

constexpr auto kNoStream = HttpClientOptions::ServerStream::None;

std::string event(std::string_view data, std::string_view fields = "") {
    return std::string(fields) + "data: " + std::string(data) + "\n\n";
}

// A client with a server that the test plays.
class HttpClientTest : public testing::Test {
protected:
    using Connection = std::shared_ptr<fakes::HttpServer::Connection>;

    void connect(HttpClientOptions options = {.server_stream = kNoStream}) {
        if (options.url.empty()) options.url = server.url();
        options.retry = 1ms;
        auto created = HttpClient::create(loop, std::move(options), log);
        ASSERT_TRUE(created) << created.error().to_string();
        client = std::move(*created);
        client->start({
            .on_message = [this](std::string message) { take(std::move(message)); },
            .on_request_failed = [this](std::int64_t id, Error reason) { failed.emplace(id, std::move(reason)); },
            .on_close = [this](Error reason) { closed = std::move(reason); },
        });
    }
    void take(std::string message) {
        const auto parsed = json::parse(message);
        if (const json::value* id = parsed ? json::find(*parsed, "id") : nullptr; id && json::find(*parsed, "result"))
            client->release(id->as_int64());
        messages.push_back(std::move(message));
    }
    void run_until_messages(std::size_t count) {
        run_until(loop, [&] { return messages.size() >= count; });
    }
    Error run_until_failed(std::int64_t id) {
        run_until(loop, [&] { return failed.contains(id); });
        return failed.count(id) ? failed.at(id) : Error{};
    }
    void run_until_requests(std::size_t count) {
        run_until(loop, [&] { return server.requests.size() >= count; });
    }
    static std::string answer_to(std::int64_t id) {
        return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})";
    }

    Loop loop;
    Log log = Log::silent();
    fakes::HttpServer::Handler handler;
    fakes::HttpServer server{loop, [this](const auto& request, const auto& connection) { handler(request, connection); }};
    std::unique_ptr<HttpClient> client;
    std::vector<std::string> messages;
    std::map<std::int64_t, Error> failed;
    std::optional<Error> closed;
};

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
    std::string stream = ": hi\n\n" + event("{\"note\":1}") + event("{}", "event: other\n") + event(answer_to(1));
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

// A server of one session: answers everything and streams nothing of its own.
void serve_session(const fakes::HttpRequest& request, const std::shared_ptr<fakes::HttpServer::Connection>& connection) {
    if (request.method == "GET") return connection->write(http_answer("405 Method Not Allowed", ""));
    if (request.method == "DELETE") return connection->write("HTTP/1.1 204 No Content\r\n\r\n");
    if (request.body.find("\"initialize\"") != std::string::npos)
        return connection->write(json_answer(
            R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})",
            "Mcp-Session-Id: s-1\r\n"));
    if (request.body.find("\"id\"") == std::string::npos) return connection->write(http_answer("202 Accepted", ""));
    connection->write(json_answer(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
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
        connection->write(kStreamHead);
        connection->write(http_chunk(event("{\"n\":" + std::to_string(++streams) + "}", "id: e" + std::to_string(streams) + "\n")));
        if (streams == 1) connection->close();
    };
    connect({.server_stream = HttpClientOptions::ServerStream::Open});
    client->set_protocol_version("2025-11-25");
    client->send("{}", std::nullopt);
    run_until_messages(2);
    EXPECT_THAT(messages, ElementsAre("{\"n\":1}", "{\"n\":2}"));
    EXPECT_EQ(server.requests.at(2).headers["last-event-id"], "e1");
    client->close();
    run_until(loop, [&] { return server.hung_up == 2; });
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
        std::string said = ++polls < 10 ? event("", "id: p" + std::to_string(polls) + "\n") : event(answer_to(1));
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
    connect();
    client->send("{}", 1);
    run_until_messages(1);
    client->release(1);
    run_until(loop, [&] { return server.hung_up == 1; });
    EXPECT_THAT(failed, IsEmpty());
}

TEST_F(HttpClientTest, EndsWhenTheServerForgotTheSession) {
    bool forgotten = false;
    handler = [&](const auto& request, const Connection& connection) {
        if (forgotten) return connection->write(http_answer("404 Not Found", ""));
        serve_session(request, connection);
    };
    connect();
    mcp::ClientConnection connection(loop, *client, log);
    ASSERT_TRUE(run_task(loop, connection.initialize({}, {}, Deadline::in(20s))));
    forgotten = true;
    auto pinged = run_task(loop, connection.ping(Deadline::in(20s)));
    EXPECT_EQ(pinged.error().code, ErrorCode::SessionNotFound);
    EXPECT_THAT(pinged.error().message, HasSubstr("no longer knows this session"));
    EXPECT_TRUE(connection.is_closed());
}

TEST_F(HttpClientTest, TellsAWrongAddressFromALostSession) {
    handler = [](const auto&, const Connection& connection) {
        connection->write(http_answer("404 Not Found", "<html>", "Content-Type: text/html\r\n"));
    };
    connect();
    client->send("{}", 1);
    EXPECT_EQ(run_until_failed(1).message, "HTTP 404 from the MCP server at " + server.url() + ": Not Found.");
    EXPECT_FALSE(closed);
}

TEST_F(HttpClientTest, PassesOnWhatARefusalSays) {
    handler = [](const auto& request, const Connection& connection) {
        std::string id = request.body == "mine" ? "2" : "null";
        connection->write(http_answer(
            "400 Bad Request", R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"No header"},"id":)" + id + "}",
            "Content-Type: application/json\r\n"));
    };
    connect();
    client->send("{}", 1);
    EXPECT_THAT(run_until_failed(1).message, HasSubstr(": No header."));
    client->send("mine", 2);
    run_until_messages(1);
    EXPECT_THAT(messages.at(0), HasSubstr("\"id\":2"));
}

TEST_F(HttpClientTest, SaysSoWhenItIsNotAllowed) {
    handler = [](const auto&, const Connection& connection) { connection->write(http_answer("401 Unauthorized", "")); };
    connect();
    client->send("{}", 1);
    Error error = run_until_failed(1);
    EXPECT_EQ(error.code, ErrorCode::PolicyDenied);
    EXPECT_THAT(error.hint, HasSubstr("Authorization"));
}

TEST_F(HttpClientTest, NamesTheAddressThatRefusesConnections) {
    std::string url;
    {
        fakes::HttpServer gone(loop, {});
        url = gone.url();
    }
    std::string port = url.substr(17, url.find('/', 17) - 17);
    connect({.url = url, .server_stream = kNoStream});
    client->send("{}", 1);
    Error error = run_until_failed(1);
    EXPECT_EQ(error.code, ErrorCode::NetworkError);
    EXPECT_THAT(error.message, HasSubstr("connect ECONNREFUSED 127.0.0.1:" + port + "."));
}

TEST_F(HttpClientTest, FailsARequestWhoseConnectionIsLost) {
    handler = [](const auto&, const Connection& connection) { connection->close(); };
    connect();
    client->send("{}", 1);
    EXPECT_THAT(run_until_failed(1).message, HasSubstr("connection lost (end of stream)"));
}

TEST_F(HttpClientTest, FailsARequestThatIsAnsweredWithSomethingElse) {
    handler = [](const auto& request, const Connection& connection) {
        if (request.body == "html")
            connection->write(http_answer("200 OK", "<html>", "Content-Type: text/html\r\n"));
        else if (request.body == "other")
            connection->write(json_answer("{}"));
        else if (request.body == "nothing")
            connection->write(http_answer("202 Accepted", ""));
        else
            connection->write("SSH-2.0-OpenSSH_9.2\r\n\r\n");
    };
    connect();
    client->send("html", 1);
    EXPECT_THAT(run_until_failed(1).message, HasSubstr("HTTP 200 `text/html`"));
    client->send("other", 2);
    EXPECT_THAT(run_until_failed(2).message, HasSubstr("no answer to the request"));
    client->send("nothing", 3);
    EXPECT_THAT(run_until_failed(3).message, HasSubstr("HTTP 202"));
    client->send("ssh", 4);
    EXPECT_THAT(run_until_failed(4).message, HasSubstr("bad version"));
}

TEST_F(HttpClientTest, LimitsTheSizeOfAnAnswer) {
    handler = [](const auto& request, const Connection& connection) {
        std::string large(2000, ' ');
        if (request.body == "stream")
            connection->write(std::string(kStreamHead) + http_chunk("data: " + large));
        else if (request.body == "chunked")
            connection->write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                              http_chunk(large) + "0\r\n\r\n");
        else
            connection->write(json_answer(large));
    };
    connect({.server_stream = kNoStream, .max_message = 1000});
    client->send("{}", 1);
    EXPECT_THAT(run_until_failed(1).message, HasSubstr("1000 bytes"));
    client->send("chunked", 2);
    EXPECT_THAT(run_until_failed(2).message, HasSubstr("1000 bytes"));
    client->send("stream", 3);
    EXPECT_THAT(run_until_failed(3).message, HasSubstr("1000 bytes"));
}

TEST_F(HttpClientTest, MayBeDestroyedByItsOwnHandler) {
    handler = [](const auto&, const Connection& connection) {
        connection->write(std::string(kStreamHead) + http_chunk(event("{\"n\":1}") + event("{\"n\":2}")));
    };
    connect();
    int seen = 0;
    client->start({.on_message = [&](const std::string&) {
                       ++seen;
                       client.reset();
                   },
                   .on_request_failed = [](std::int64_t, const Error&) {},
                   .on_close = [](const Error&) {}});
    client->send("{}", 1);
    run_until(loop, [&] { return server.hung_up == 1; });
    EXPECT_EQ(seen, 1);
}

TEST(HttpClientUrl, SaysWhatIsWrongWithAUrl) {
    Loop loop;
    Log log = Log::silent();
    auto message = [&](std::string url) { return HttpClient::create(loop, {.url = std::move(url)}, log).error().message; };
    EXPECT_THAT(message("https://example.com/mcp"), HasSubstr("https:// is not supported yet"));
    EXPECT_THAT(message("ftp://example.com"), HasSubstr("Only http://"));
    EXPECT_THAT(message("localhost:80"), HasSubstr("localhost:80"));
    EXPECT_THAT(message("nonsense"), HasSubstr("Not a URL"));
    auto split_header = HttpClient::create(loop, {.url = "http://a/", .headers = {{"X", "a\r\nB: c"}}}, log);
    EXPECT_EQ(split_header.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
