#include "tests/transport/http_client_fixture.h"

namespace {

using namespace std::chrono_literals;
using fakes::http_answer;
using fakes::http_chunk;
using fakes::json_answer;
using fakes::kStreamHead;
using fakes::run_task;
using fakes::run_until;
using testing::HasSubstr;
using transport::HttpClient;

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
    EXPECT_EQ(run_until_failed(1).message,
              "HTTP 404 from the MCP server at " + server.url() + ": Not Found.");
    EXPECT_FALSE(closed);
}

TEST_F(HttpClientTest, PassesOnWhatARefusalSays) {
    handler = [](const auto& request, const Connection& connection) {
        std::string id = request.body == "mine" ? "2" : "null";
        connection->write(
            http_answer("400 Bad Request",
                        R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"No header"},"id":)" + id + "}",
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
    handler = [](const auto&, const Connection& connection) {
        connection->write(http_answer("401 Unauthorized", ""));
    };
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
            connection->write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
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
    client->start({.on_message =
                       [&](const std::string&) {
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
    auto message = [&](std::string url) {
        return HttpClient::create(loop, {.url = std::move(url)}, log).error().message;
    };
    EXPECT_THAT(message("https://example.com/mcp"), HasSubstr("https:// is not supported yet"));
    EXPECT_THAT(message("ftp://example.com"), HasSubstr("Only http://"));
    EXPECT_THAT(message("localhost:80"), HasSubstr("localhost:80"));
    EXPECT_THAT(message("nonsense"), HasSubstr("Not a URL"));
    auto split_header = HttpClient::create(loop, {.url = "http://a/", .headers = {{"X", "a\r\nB: c"}}}, log);
    EXPECT_EQ(split_header.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
