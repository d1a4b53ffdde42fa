// Clients that mean harm, on real sockets: whatever they send, the others never notice.
#include <csignal>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"
#include "tests/fakes/wait.h"
#include "transport/endpoints.h"

namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using fakes::run_until;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

// One client's end of a connection. Never waits: what the server does not take stays unsent.
class RawClient {
public:
    explicit RawClient(int descriptor) : descriptor_(descriptor) { ::fcntl(descriptor, F_SETFL, O_NONBLOCK); }
    RawClient(RawClient&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    ~RawClient() { hang_up(); }

    // Gives how many bytes were taken.
    std::size_t send(std::string_view bytes) const {
        ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        return count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    // Everything that came so far.
    const std::string& received() {
        char bytes[16 << 10];
        ssize_t count;
        while ((count = ::read(descriptor_, bytes, sizeof bytes)) > 0)
            received_.append(bytes, static_cast<std::size_t>(count));
        closed_ = closed_ || count == 0 || (errno != EAGAIN && errno != EINTR);
        return received_;
    }
    // Whether the server hung up.
    bool is_closed() {
        received();
        return closed_;
    }
    void hang_up() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

private:
    int descriptor_;
    std::string received_;
    bool closed_ = false;
};

// The listener with all its paths, in the test's hands.
class HostileTest : public testing::Test {
protected:
    // Without this, the first client that does not read would end the test.
    HostileTest() { std::signal(SIGPIPE, SIG_IGN); }
    ~HostileTest() override {
        http.reset();
        endpoints->close();
        protocol.settle();
    }

    void serve(transport::HttpLimits limits = {}) {
        transport::EndpointOptions options;
        options.lines.grace = 0ms;
        endpoints.emplace(protocol.server, options);
        http = transport::HttpServer::create(
            protocol.loop, limits,
            [this](const std::shared_ptr<transport::HttpExchange>& exchange) { endpoints->handle(exchange); },
            [this](int descriptor, std::string first_bytes) {
                endpoints->take_lines(descriptor, std::move(first_bytes));
            },
            protocol.log, protocol.metrics);
        auto bound = http->listen_tcp("127.0.0.1", 0);
        ASSERT_TRUE(bound) << bound.error().to_string();
        port = *bound;
        endpoints->set_access({.host = "127.0.0.1", .port = port});
    }

    RawClient connect() const {
        int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        return RawClient(descriptor);
    }

    std::string request(std::string_view line, std::string_view headers = "",
                        std::string_view body = "") const {
        return std::string(line) + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port) + "\r\n" +
               std::string(headers) +
               (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
               std::string(body);
    }
    std::string get(std::string_view path) const { return request("GET " + std::string(path)); }
    std::string upgrade() const {
        return request("GET /ws",
                       "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: mcp\r\n");
    }
    std::string stateless_call(const std::string& tool, const std::string& arguments = "{}") const {
        return request("POST /mcp",
                       "Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                       "Mcp-Method: tools/call\r\nMcp-Name: " +
                           tool + "\r\n",
                       R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
                           R"(","arguments":)" + arguments +
                           R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    }

    void send_all(const RawClient& client, std::string_view bytes) {
        run_until(protocol.loop, [&] {
            bytes.remove_prefix(client.send(bytes));
            return bytes.empty();
        });
    }
    void run_until_received(RawClient& client, std::string_view text) {
        run_until(protocol.loop, [&] { return client.received().find(text) != std::string::npos; });
    }
    void run_until_closed(RawClient& client) {
        run_until(protocol.loop, [&] { return client.is_closed(); });
    }
    // Asks and asks but never looks at the answers, so that they pile up.
    void run_until_dropped_for_not_reading(const RawClient& client) {
        std::string requests;
        for (int i = 0; i < 1000; ++i) requests += get("/metrics");
        client.send(requests);
        run_until(protocol.loop, [&] { return http->connection_count() == 1; });
        run_until(protocol.loop, [&] {
            client.send(requests);
            return http->connection_count() == 0;
        });
    }
    // A well-behaved client is answered as if it were alone.
    void expect_still_answering() {
        RawClient client = connect();
        client.send(get("/healthz"));
        run_until_received(client, "\"status\":\"ok\"");
        EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 200 OK\r\n"));
    }

    fakes::Protocol protocol;
    std::optional<transport::Endpoints> endpoints;
    std::unique_ptr<transport::HttpServer> http;
    int port = 0;
};

// A short text in a client's frame; the mask 0000 leaves it as it is.
std::string text_frame(std::string_view text) {
    return "\x81" + std::string(1, static_cast<char>(0x80U | text.size())) + std::string(4, '\0') +
           std::string(text);
}

TEST_F(HostileTest, AConnectionThatComesWhileTheServerEndsIsClosed) {
    serve();
    RawClient client = connect();
    // The loop takes it from the kernel; the listener is to be called next.
    boost::asio::post(protocol.loop, [] {});
    protocol.loop.run_one();
    ASSERT_EQ(http->connection_count(), 0u);
    http.reset();
    run_until_closed(client);
}

TEST_F(HostileTest, WhatIsNotHttpIsRefusedAndTheConnectionClosed) {
    serve();
    for (std::string_view bytes : {
             "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"sv,  // TLS
             "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"sv,
             "nonsense\r\n\r\n"sv,
             "GET /\r\n\r\n"sv,
             "GET / HTTP/9.9\r\n\r\n"sv,
             "GET  / HTTP/1.1\r\n\r\n"sv,
             "GET / HTTP/1.1\r\nName : value\r\n\r\n"sv,
             "GET / HTTP/1.1\r\nno colon\r\n\r\n"sv,
             "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"sv,
             "POST / HTTP/1.1\r\nContent-Length: 2, 2\r\n\r\n{}"sv,
             "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"sv,
             "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"sv,
             "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}}}0\r\n\r\n"sv,
         }) {
        RawClient client = connect();
        client.send(bytes);
        run_until_closed(client);
        EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 400 ")) << bytes;
    }
    expect_still_answering();
}

TEST_F(HostileTest, WhatStandsBehindABodyIsNoHeader) {
    serve();
    RawClient client = connect();

    client.send("GET /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: localhost:" +
                std::to_string(port) + "\r\n\r\n");

    run_until_received(client, "HTTP/1.1 403 ");
}

TEST_F(HostileTest, AnUnknownTransferEncodingIsRefusedBeforeAnybodySeesTheRequest) {
    serve();
    for (auto [version, encoding, status] : std::initializer_list<std::array<std::string_view, 3>>{
             {"1.1", "gzip", "501"},
             {"1.1", "identity", "501"},
             {"1.1", "xchunked", "501"},
             {"1.1", "chunked;x", "501"},
             {"1.1", "chunked, gzip", "501"},
             {"1.1", "gzip, chunked", "501"},
             {"1.1", "\x0b chunked", "501"},
             {"1.1", "", "501"},
             {"1.1", "chunked\r\nTransfer-Encoding: chunked", "400"},
             {"1.1", "gzip\r\nTransfer-Encoding: chunked", "400"},
             {"1.0", "chunked", "400"}}) {
        RawClient client = connect();
        client.send("GET /healthz HTTP/" + std::string(version) +
                    "\r\nHost: localhost\r\nTransfer-Encoding: " + std::string(encoding) +
                    "\r\n\r\n0\r\n\r\n" + get("/healthz"));
        run_until_closed(client);
        EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 ")) << encoding;
        EXPECT_THAT(client.received(), Not(HasSubstr("200 OK"))) << encoding;
        // What the parser itself cannot read is a 400.
        std::string_view given = std::string_view(client.received()).substr(9, 3);
        EXPECT_TRUE(given == status || given == "400") << encoding << ": " << given;
        if (given == "501") EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 501 Not Implemented\r\n"));
    }
    expect_still_answering();
}

TEST_F(HostileTest, AHeaderThatComesByteByByteIsNotWaitedFor) {
    serve({.header_timeout = 100ms});
    RawClient client = connect();
    client.send("GET / HTTP/1.1\r\nX: ");
    run_until(protocol.loop, [&] {
        client.send("a");
        return client.is_closed();
    });
    expect_still_answering();
}

TEST_F(HostileTest, AConnectionThatSaysNothingIsNotWaitedFor) {
    serve({.header_timeout = 100ms});
    RawClient client = connect();
    run_until_closed(client);
}

TEST_F(HostileTest, ABodyThatDoesNotComeIsNotWaitedFor) {
    serve({.header_timeout = 100ms, .body_timeout = 100ms});
    RawClient client = connect();
    client.send(request("POST /mcp", "Content-Length: 10\r\n") + "{");
    run_until_closed(client);
    EXPECT_EQ(protocol.waiting.started, 0);
}

TEST_F(HostileTest, AHeaderThatDoesNotEndIsRefused) {
    serve({.max_header = 4096});
    RawClient client = connect();
    client.send("GET / HTTP/1.1\r\nX: " + std::string(8192, 'a'));
    run_until_closed(client);
    EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HostileTest, AChunkWhoseFirstLineDoesNotEndIsRefused) {
    serve({.max_header = 4096});
    RawClient client = connect();
    client.send(request("POST /mcp", "Transfer-Encoding: chunked\r\n") + "1;" + std::string(8192, 'a'));
    run_until_closed(client);
    EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HostileTest, TrailersThatDoNotEndAreRefused) {
    serve({.max_header = 4096});
    RawClient client = connect();
    std::string trailers;
    while (trailers.size() < 8192) trailers += "a: b\r\n";
    client.send(request("POST /mcp", "Transfer-Encoding: chunked\r\n") + "0\r\n" + trailers);
    run_until_closed(client);
    EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HostileTest, TheLinesOfAChunkedBodyAreTooLongAlsoWhenTheyComeInOnePiece) {
    std::string trailers = "\r\na: " + std::string(4096, 'b'), extension = ";a=" + std::string(4096, 'b');
    for (const std::string& body :
         {"0" + trailers + "\r\n\r\n", "0" + extension + "\r\n\r\n", "1" + extension + "\r\nx\r\n0\r\n\r\n",
          std::string(4097, '0') + "\r\n\r\n"}) {
        serve({.max_header = 4096});
        RawClient client = connect();
        client.send(request("POST /mcp", "Transfer-Encoding: chunked\r\n") + body);
        run_until_closed(client);
        EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 431 ")) << body.substr(0, 10);
    }
}

TEST_F(HostileTest, ManyShortLinesOfAChunkedBodyAreNotTooLong) {
    serve({.max_header = 4096});
    RawClient client = connect();
    std::string body;
    for (int i = 0; i < 4096; ++i) body += "1;a=b\r\nx\r\n";
    client.send(request("POST /nothing", "Transfer-Encoding: chunked\r\n") + body + "0\r\na: b\r\n\r\n");
    run_until_received(client, "NOT_FOUND");
    EXPECT_THAT(client.received(), StartsWith("HTTP/1.1 404 "));
}

TEST_F(HostileTest, AnAnswerToHeadHasNoBodyThatTheNextAnswerCouldBeTakenFor) {
    serve();
    RawClient client = connect();
    client.send(request("HEAD /healthz") + get("/nothing"));
    run_until_received(client, "NOT_FOUND");
    EXPECT_THAT(client.received(),
                AllOf(HasSubstr("Content-Length: "), HasSubstr("\r\n\r\nHTTP/1.1 404 Not Found")));
}

TEST_F(HostileTest, ManyRequestsAtOnceAreAnsweredInOrder) {
    serve();
    RawClient client = connect();
    std::string all, expected;
    for (int i = 0; i < 200; ++i) all += get(i % 2 == 0 ? "/healthz" : "/nothing");
    client.send(all + request("GET /healthz", "Connection: close\r\n") + "garbage that nobody reads");
    run_until_closed(client);
    std::string statuses;
    for (std::size_t at = 0; (at = client.received().find("HTTP/1.1 ", at)) != std::string::npos; at += 9) {
        statuses += client.received().substr(at + 9, 3) + " ";
    }
    for (int i = 0; i < 100; ++i) expected += "200 404 ";
    EXPECT_EQ(statuses, expected + "200 ");
}

TEST_F(HostileTest, AClientThatDoesNotReadItsAnswersIsDropped) {
    serve({.max_queued = 1 << 20});
    RawClient client = connect();
    run_until_dropped_for_not_reading(client);
    expect_still_answering();
}

TEST_F(HostileTest, AClientThatReadsTooSlowlyIsDropped) {
    serve({.max_queued = 256 << 20, .header_timeout = 100ms, .write_timeout = 200ms});
    RawClient client = connect();
    run_until_dropped_for_not_reading(client);
    EXPECT_THAT(protocol.metrics.render(), HasSubstr("troupe_http_timeouts_total 1"));
}

TEST_F(HostileTest, AClientThatGoesTakesItsCallWithIt) {
    serve();
    RawClient client = connect();
    client.send(stateless_call("wait"));
    run_until(protocol.loop, [&] { return protocol.waiting.started == 1; });
    client.hang_up();
    run_until(protocol.loop, [&] { return http->connection_count() == 0; });
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}

TEST_F(HostileTest, AClientThatGoesIsNoticedBehindAllThatItSentAhead) {
    serve({.max_header = 1024, .header_timeout = 100ms});
    RawClient client = connect();
    client.send(stateless_call("wait"));
    run_until(protocol.loop, [&] { return protocol.waiting.started == 1; });
    // More than is read ahead of its turn.
    std::string ahead;
    while (ahead.size() < 48 << 10) ahead += get("/healthz");
    client.send(ahead);
    protocol.settle();
    client.hang_up();
    run_until(protocol.loop, [&] { return http->connection_count() == 0; });
    EXPECT_EQ(protocol.waiting.cleaned_up, 1);
}

TEST_F(HostileTest, AnUpgradeBehindOtherRequestsLosesNoMessage) {
    serve();
    RawClient client = connect();
    // An answer so long that it is still on its way when the upgrade's turn comes.
    std::string text(8 << 20, 'a');
    send_all(client, get("/healthz") + stateless_call("echo", R"({"text":")" + text + "\"}") + upgrade());
    run_until_received(client, "HTTP/1.1 101 ");
    client.send(text_frame(kPing));
    run_until_received(client, R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_THAT(client.received(), EndsWith(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
}

TEST_F(HostileTest, AnUpgradeBehindACallThatTakesTimeLosesNoMessage) {
    serve();
    RawClient client = connect();
    client.send(stateless_call("wait") + upgrade());
    run_until(protocol.loop, [&] { return protocol.waiting.started == 1; });
    protocol.settle();
    protocol.waiting.released.set(1);
    run_until_received(client, "HTTP/1.1 101 ");
    client.send(text_frame(kPing));
    run_until_received(client, R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(HostileTest, WebSocketsCountAsConnections) {
    serve({.max_connections = 3});
    std::vector<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(connect());
        clients.back().send(upgrade());
        run_until_received(clients.back(), "HTTP/1.1 101 ");
    }
    RawClient refused = connect();
    run_until_closed(refused);
    EXPECT_THAT(refused.received(), StartsWith("HTTP/1.1 503 "));

    clients.pop_back();
    run_until(protocol.loop, [&] { return endpoints->client_count() == 2; });
    expect_still_answering();
}

TEST_F(HostileTest, ABrokenFrameClosesTheWebSocketAlone) {
    serve();
    const std::string mask(4, '\0');
    for (const std::string& frame : {
             std::string("\x81\x02{}"),                                               // not masked
             "\xc1\x80" + mask,                                                       // a reserved bit
             "\x83\x80" + mask,                                                       // an unknown kind
             "\x82\x81" + mask + "a",                                                 // binary
             "\x81\x82" + mask + "\xc3\x28",                                          // not UTF-8
             "\x80\x81" + mask + "a",                                                 // continues nothing
             "\x09\x81" + mask + "a",                                                 // a control in pieces
             "\x81\xff" + std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8) + mask,  // far too long
             "\x81\xff" + std::string("\x00\x00\x00\x00\x7f\xff\xff\xff", 8) + mask,  // too long
         }) {
        RawClient client = connect();
        client.send(upgrade());
        run_until_received(client, "HTTP/1.1 101 ");
        client.send(frame);
        run_until_received(client, "\x88");  // a close frame
        client.hang_up();
        run_until(protocol.loop, [&] { return endpoints->client_count() == 0; });
    }
    expect_still_answering();
}

// Lines of JSON on a pair of sockets.
class HostileLinesTest : public HostileTest {
protected:
    HostileLinesTest() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        client.emplace(ends[0]);
        server_end = ends[1];
        serve();
        lines = transport::LineClient::start(protocol.server, server_end, ::dup(server_end), {},
                                             {.grace = 100ms}, {}, [this] { gone = true; });
        protocol.settle();
    }
    ~HostileLinesTest() override {
        client.reset();
        run_until(protocol.loop, [this] { return gone; });
    }
    void send_line(std::string_view line) { client->send(std::string(line) + "\n"); }

    std::optional<RawClient> client;
    int server_end = -1;
    std::shared_ptr<transport::LineClient> lines;
    bool gone = false;
};

TEST_F(HostileLinesTest, ABatchWithinABatchIsRefused) {
    send_line("[[" + std::string(kPing) + "]," + std::string(kPing) + "]");
    run_until_received(*client, "\n");
    auto answer = json::parse(client->received());
    ASSERT_TRUE(answer && answer->is_array()) << client->received();
    ASSERT_EQ(answer->get_array().size(), 2U);
    EXPECT_TRUE(json::find_path(answer->get_array()[0], {"error", "code"}));
    EXPECT_TRUE(json::find(answer->get_array()[1], "result"));
}

TEST_F(HostileLinesTest, WhatComesAfterTheServerBeganToEndIsNotAnswered) {
    // Answers that nobody reads keep the connection open a moment longer; they are too few to stop the
    // reading.
    for (int i = 0; i < 20; ++i) {
        for (int j = 0; j < 500; ++j) send_line(kPing);
        protocol.settle();
    }
    lines->close();
    send_line(kPing);
    run_until(protocol.loop, [&] { return gone; });
}

TEST_F(HostileLinesTest, AClientThatDoesNotReadIsNotReadFrom) {
    const std::string call =
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":")" +
        std::string(20'000, 'a') + "\"}}}\n";
    std::size_t taken = 0;
    for (std::size_t count; (count = client->send(call)) > 0; taken += count) protocol.settle();
    EXPECT_LT(taken, 64U << 20U);
    EXPECT_FALSE(gone);
    expect_still_answering();

    client->received();
    run_until(protocol.loop, [&] { return client->send(" ") > 0; });
}

TEST_F(HostileLinesTest, AClientThatDoesNotReadItsNotificationsIsDropped) {
    const std::string uri = "x://" + std::string(8000, 'a');
    send_line(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" + uri + "\"}}");
    run_until_received(*client, "result");
    for (int i = 0; i < 10'000; ++i) protocol.registry.resource_updated(uri);
    run_until(protocol.loop, [&] { return gone; });
}

TEST_F(HostileLinesTest, SubscriptionsCannotFillTheMemory) {
    send_line(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" +
              std::string(100'000, 'a') + "\"}}");
    run_until_received(*client, "\n");
    EXPECT_THAT(client->received(), AllOf(HasSubstr("\"error\""), Not(HasSubstr("\"result\""))));
}

}  // namespace
