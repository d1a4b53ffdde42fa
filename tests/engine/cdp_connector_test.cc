// Reaching a DevTools server, and messages to it and back, against servers that the test plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/connector.h"
#include "engine/cdp/web_client.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"
#include "tests/fakes/websocket_server.h"

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;
using fakes::WebSocketServer;

namespace {

class ConnectorTest : public testing::Test {
protected:
    Result<cdp::Connected> connect(engine::ConnectOptions options) {
        return fakes::run_task(loop, cdp::connect(loop, std::move(options), log));
    }
    // The messages' way alone, without what a Connection makes of them.
    std::unique_ptr<cdp::Transport> open(const std::string& url) {
        auto handshake = fakes::run_task(loop, cdp::open_websocket(loop, *cdp::parse_address(url), {}));
        EXPECT_TRUE(handshake) << handshake.error().message;
        auto transport = handshake ? std::move(handshake->transport) : nullptr;
        if (transport) {
            transport->start([this](std::string_view message) { messages.emplace_back(message); },
                             [this](std::string reason) { lost = std::move(reason); });
        }
        return transport;
    }
    template <class Happened>
    void run_until(Happened happened) {
        fakes::run_until(loop, happened);
    }

    Loop loop;
    Log log = Log::silent();
    std::vector<std::string> messages;
    std::optional<std::string> lost;
};

std::string base_of(const fakes::HttpServer& server) {
    std::string url = server.url();
    return url.substr(0, url.rfind('/'));
}

}  // namespace

TEST_F(ConnectorTest, AsksForTheWebSocketAndSendsItsHeadersToBoth) {
    WebSocketServer browser(loop);
    fakes::HttpServer server(loop, [&](const fakes::HttpRequest& request, const auto& connection) {
        bool version = request.target == "/base/json/version/?key=1";
        connection->write(fakes::json_answer(version ? R"({"webSocketDebuggerUrl": ")" + browser.url() + "\"}"
                                                     : R"([{"id": "T", "type": "page"}])"));
    });

    auto connected = connect({.endpoint = base_of(server) + "/base?key=1",
                              .headers = {{"Authorization", "Bearer 1"}, {"X-Empty", ""}}});

    ASSERT_TRUE(connected) << connected.error().message;
    EXPECT_THAT(connected->recent_tabs, ElementsAre("T"));
    ASSERT_EQ(server.requests.size(), 2u);
    EXPECT_EQ(server.requests[0].target, "/base/json/version/?key=1");
    EXPECT_EQ(server.requests[0].headers["authorization"], "Bearer 1");
    EXPECT_EQ(server.requests[0].headers.count("x-empty"), 1u);
    EXPECT_THAT(server.requests[0].headers["user-agent"], StartsWith("troupe/"));
    EXPECT_THAT(browser.head,
                AllOf(StartsWith("GET /devtools HTTP/1.1"), HasSubstr("Authorization: Bearer 1\r\n")));
    EXPECT_THAT(browser.head, testing::Not(HasSubstr("Origin:")));
}

TEST_F(ConnectorTest, FollowsARedirectWithoutTheSecretsOfTheFirstServer) {
    WebSocketServer browser(loop);
    fakes::HttpServer second(loop, [&](const fakes::HttpRequest&, const auto& connection) {
        connection->write(fakes::json_answer(R"({"webSocketDebuggerUrl": ")" + browser.url() + "\"}"));
    });
    fakes::HttpServer first(loop, [&](const fakes::HttpRequest& request, const auto& connection) {
        connection->write(
            fakes::http_answer("302 Found", "", "Location: " + base_of(second) + request.target + "\r\n"));
    });

    auto connected =
        connect({.endpoint = base_of(first), .headers = {{"Authorization", "hunter2"}, {"X-Kept", "1"}}});

    ASSERT_TRUE(connected) << connected.error().message;
    EXPECT_EQ(second.requests.at(0).headers.count("authorization"), 0u);
    EXPECT_EQ(second.requests.at(0).headers["x-kept"], "1");
}

TEST_F(ConnectorTest, NamesWhatKeptItFromConnecting) {
    boost::asio::ip::tcp::acceptor nobody(loop, {boost::asio::ip::address_v4::loopback(), 0});
    std::string address = "127.0.0.1:" + std::to_string(nobody.local_endpoint().port());
    nobody.close();

    auto refused = connect({.endpoint = "http://" + address});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "browserType.connectOverCDP: connect ECONNREFUSED " + address);
    EXPECT_THAT(refused.error().hint, HasSubstr("--remote-debugging-port"));
    auto socket = connect({.endpoint = "ws://" + address});
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.error().message,
              "browserType.connectOverCDP: WebSocket error: connect ECONNREFUSED " + address);
}

TEST_F(ConnectorTest, SaysWhenItIsNoDevToolsServer) {
    fakes::HttpServer server(loop, [&](const fakes::HttpRequest&, const auto& connection) {
        connection->write(fakes::http_answer("404 Not Found", "?"));
    });
    auto connected = connect({.endpoint = base_of(server) + "?token=hunter2"});
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().message,
              "browserType.connectOverCDP: Unexpected status 404 when connecting to " + base_of(server) +
                  "/json/version/.");
}

TEST_F(ConnectorTest, ShowsWhyAWebSocketWasRefused) {
    WebSocketServer browser(loop);
    browser.refusal = fakes::http_answer("403 Forbidden", "Wrong key.");
    auto connected = connect({.endpoint = browser.url()});
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().message,
              "browserType.connectOverCDP: WebSocket error: " + browser.url() + " 403 Forbidden\nWrong key.");
}

TEST_F(ConnectorTest, WaitsNoLongerThanItMay) {
    fakes::HttpServer silent(loop, [](const fakes::HttpRequest&, const auto&) {});
    auto connected = connect({.endpoint = base_of(silent), .timeout = 50ms});
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().message, "browserType.connectOverCDP: Timeout 50ms exceeded.");
    run_until([&] { return silent.hung_up == 1; });
}

TEST_F(ConnectorTest, CarriesMessagesBothWays) {
    WebSocketServer browser(loop);
    std::vector<std::string> received;
    browser.on_frame = [&](std::uint8_t, const std::string& text) {
        received.push_back(text);
        browser.send("answer to " + text);
    };
    auto transport = open(browser.url());
    for (const char* text : {"one", "two", "three"}) transport->send(text);
    run_until([&] { return messages.size() == 3; });
    EXPECT_THAT(received, ElementsAre("one", "two", "three"));
    EXPECT_THAT(messages, ElementsAre("answer to one", "answer to two", "answer to three"));
}

TEST_F(ConnectorTest, TakesVeryLargeMessagesAndGivesTheirMemoryBack) {
    WebSocketServer browser(loop);
    auto transport = open(browser.url());
    std::string large(300UL << 20, 'x');
    browser.send(large);
    run_until([&] { return !messages.empty() || lost; });
    ASSERT_EQ(messages.size(), 1u) << lost.value_or("");
    EXPECT_EQ(messages[0].size(), large.size());
}

TEST_F(ConnectorTest, SendsALargeMessageAsOneFrame) {
    WebSocketServer browser(loop);
    std::string received;
    browser.on_frame = [&](std::uint8_t, const std::string& text) { received = text; };
    auto transport = open(browser.url());
    std::string large;
    for (int i = 0; large.size() < (3UL << 20); ++i) large += std::to_string(i) + ",";
    transport->send(large);
    run_until([&] { return browser.frames > 0; });
    EXPECT_TRUE(browser.whole_frames);
    EXPECT_EQ(received, large);
}

TEST_F(ConnectorTest, NoticesAPeerThatVanishes) {
    WebSocketServer browser(loop);
    auto transport = open(browser.url());
    browser.hang_up();
    run_until([&] { return lost.has_value(); });
    EXPECT_THAT(*lost, HasSubstr("connection lost"));
}

TEST_F(ConnectorTest, PassesOnWhyThePeerSaidGoodbye) {
    WebSocketServer browser(loop);
    auto transport = open(browser.url());
    browser.send(std::string("\x03\xE8", 2) + "time is up", WebSocketServer::kClose);
    run_until([&] { return lost.has_value(); });
    EXPECT_EQ(*lost, "the browser closed the connection: time is up");
}

TEST_F(ConnectorTest, GivesUpOnAPeerThatReadsNothing) {
    WebSocketServer browser(loop);
    browser.stop_reading();
    auto transport = open(browser.url());
    for (int i = 0; i < 70; ++i) transport->send(std::string(4UL << 20, 'x'));
    run_until([&] { return lost.has_value(); });
    EXPECT_THAT(*lost, HasSubstr("no longer reads"));
}

TEST_F(ConnectorTest, SaysGoodbyeWhenDropped) {
    WebSocketServer browser(loop);
    std::uint8_t last = 0;
    browser.on_frame = [&](std::uint8_t opcode, const std::string&) { last = opcode; };
    auto transport = open(browser.url());
    transport.reset();
    run_until([&] { return last == WebSocketServer::kClose; });
    // It has not answered; we do not wait for long.
    run_until([&] { return browser.ended; });
    EXPECT_FALSE(lost);
}
