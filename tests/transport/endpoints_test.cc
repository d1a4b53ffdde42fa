#include "transport/endpoints.h"

#include <gtest/gtest.h>

#include "tests/fakes/http_exchange.h"
#include "tests/fakes/protocol.h"

using fakes::FakeExchange;
using transport::Endpoints;

namespace {

using Map = std::map<std::string, std::string>;

// Hosts that a page's server can be called by, or that nobody writes.
constexpr std::array kForeignHosts = {
    "127.evil.com",  "127.0.0.1.nip.io", "127.",     "127.1",       "127.0.0.1.", "localhost.evil",
    "app.localhost", "localhost..",      "[::2]",    "[::1].evil",  "[::1%lo]",   "[::ffff:8.8.8.8]",
    "evil.test",     "0x7f000001",       "127.0.0.", "2130706433.", "0.0.0.0",    "user@localhost"};
constexpr std::array kOwnHosts = {"localhost",  "localhost.",         "127.0.0.1",
                                  "127.8.9.10", "[::ffff:127.0.0.1]", "[::1]"};

class EndpointsTest : public testing::Test {
protected:
    EndpointsTest() {
        transport::EndpointOptions options{.access = {.port = 8931}};
        options.api = [](mcp::Server&, const std::shared_ptr<transport::HttpExchange>& exchange,
                         tools::Caller) { exchange->respond(200, {}, {}); };
        options.stop = [this] { ++stopped; };
        endpoints.emplace(protocol.server, options);
    }
    ~EndpointsTest() override {
        endpoints->close();
        protocol.settle();
    }

    std::shared_ptr<FakeExchange> ask(std::string_view method, std::string_view path, Map headers) {
        auto exchange = std::make_shared<FakeExchange>(std::string(method), std::string(path), headers);
        endpoints->handle(exchange);
        protocol.settle();
        return exchange;
    }
    // A path that the route answers.
    static std::string example(const transport::Route& route) {
        return route.path.ends_with("/*") ? std::string(route.path.substr(0, route.path.size() - 1)) + "some"
                                          : std::string(route.path);
    }

    fakes::Protocol protocol;
    std::optional<Endpoints> endpoints;
    int stopped = 0;
};

}  // namespace

TEST_F(EndpointsTest, RefuseAHostThatOnlyLooksLikeLoopbackOnEveryRoute) {
    for (const transport::Route& route : Endpoints::routes()) {
        for (const char* method : {"GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"}) {
            for (std::string host : kForeignHosts) {
                auto refused = ask(method, example(route), {{"Host", host + ":8931"}});
                EXPECT_EQ(refused->status, 403) << method << " " << example(route) << " of " << host;
            }
        }
    }
    EXPECT_EQ(stopped, 0);
}

TEST_F(EndpointsTest, RefuseAnOriginThatOnlyLooksLikeLoopbackOnEveryRoute) {
    for (const transport::Route& route : Endpoints::routes()) {
        for (std::string host : kForeignHosts) {
            Map headers{{"Origin", "http://" + host + ":8931"},
                        {"Upgrade", "websocket"},
                        {"Sec-WebSocket-Protocol", "mcp"}};
            auto refused = ask("GET", example(route), headers);
            EXPECT_EQ(refused->status, 403) << example(route) << " from " << host;
            EXPECT_FALSE(refused->upgraded);
        }
    }
}

TEST_F(EndpointsTest, AllowEveryLoopbackHostAndOriginOnEveryRoute) {
    for (const transport::Route& route : Endpoints::routes()) {
        for (std::string host : kOwnHosts) {
            EXPECT_NE(ask("GET", example(route), {{"Host", host + ":8931"}})->status, 403) << host;
            EXPECT_NE(ask("GET", example(route), {{"Origin", "http://" + host + ":8931"}})->status, 403)
                << host;
        }
    }
}

TEST_F(EndpointsTest, AreFoundByTheFirstRouteThatMatches) {
    EXPECT_EQ(ask("GET", "/healthz", {})->status, 200);
    EXPECT_EQ(ask("GET", "/metrics", {})->status, 200);
    EXPECT_EQ(ask("GET", "/api", {})->status, 200);
    EXPECT_EQ(ask("GET", "/api/history", {})->status, 200);
    EXPECT_EQ(ask("GET", "/apis", {})->status, 404);
    EXPECT_EQ(ask("GET", "/mcp/", {})->status, 404);
    EXPECT_EQ(ask("POST", "/metrics", {})->status, 404);
    EXPECT_EQ(ask("GET", "*", {})->status, 404);
}
