#include "transport/endpoints.h"

#include <gmock/gmock.h>
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
    for (std::string_view path : {"/mcp", "/mcp/", "/mcp/name", "/mcp/name/"})
        EXPECT_EQ(ask("PUT", path, {})->status, 405) << path;
    EXPECT_TRUE(ask("GET", "/sse/", {})->streaming);
    EXPECT_EQ(ask("POST", "/metrics", {})->status, 404);
    EXPECT_EQ(ask("GET", "*", {})->status, 404);
}

TEST_F(EndpointsTest, UpgradeToAWebSocketWithTheSubprotocolOrWithout) {
    const Map upgrade{{"Upgrade", "websocket"}};
    for (std::string_view path : {"/", "/ws", "/mcp"}) {
        auto with_it = upgrade;
        with_it["Sec-WebSocket-Protocol"] = "other, mcp";
        EXPECT_EQ(ask("GET", path, with_it)->subprotocol, "mcp") << path;
        auto without = ask("GET", path, upgrade);
        EXPECT_TRUE(without->upgraded) << path;
        EXPECT_EQ(without->subprotocol, "");
        auto other = upgrade;
        other["Sec-WebSocket-Protocol"] = "other";
        EXPECT_EQ(ask("GET", path, other)->status, 400) << path;
    }
}

namespace {

class AllowedPagesTest : public EndpointsTest {
protected:
    AllowedPagesTest() {
        transport::AccessOptions access{.port = 8931, .allowed_origins = {"https://app.test"}};
        access.authenticate = transport::static_tokens({{"ada", "secret"}});
        endpoints->set_access(access);
    }
    static Map from(const std::string& origin) { return {{"Origin", origin}, {"Sec-Fetch-Mode", "cors"}}; }
    static Map preflight(const std::string& origin) {
        Map headers = from(origin);
        headers["Access-Control-Request-Method"] = "POST";
        headers["Access-Control-Request-Headers"] = "authorization, content-type, mcp-param-session";
        return headers;
    }
};

}  // namespace

TEST_F(AllowedPagesTest, AreAnsweredTheirPreflightsOnTheRoutesForThemAndNowhereElse) {
    for (const transport::Route& route : Endpoints::routes()) {
        auto answer = ask("OPTIONS", example(route), preflight("https://app.test"));
        bool is_for_pages = !route.page_methods.empty();
        EXPECT_EQ(answer->status == 204, is_for_pages) << example(route);
        EXPECT_EQ(answer->response_header("Access-Control-Allow-Methods"), route.page_methods);
        EXPECT_EQ(answer->response_header("Access-Control-Allow-Origin"),
                  is_for_pages ? "https://app.test" : "");
        EXPECT_EQ(answer->response_header("Access-Control-Allow-Credentials"), "");
    }
    auto answer = ask("OPTIONS", "/mcp", preflight("https://app.test"));
    EXPECT_EQ(answer->response_header("Access-Control-Allow-Methods"), "GET, POST, DELETE");
    EXPECT_THAT(answer->response_header("Access-Control-Allow-Headers"), testing::HasSubstr("Authorization"));
}

TEST_F(AllowedPagesTest, ReadTheAnswersAndTheRefusals) {
    Map headers = from("https://app.test");
    auto unknown = ask("DELETE", "/mcp", headers);
    EXPECT_EQ(unknown->status, 401);
    EXPECT_EQ(unknown->response_header("Access-Control-Allow-Origin"), "https://app.test");
    headers["Authorization"] = "Bearer secret";
    auto known = ask("DELETE", "/mcp", headers);
    EXPECT_EQ(known->status, 400);
    EXPECT_EQ(known->response_header("Access-Control-Allow-Origin"), "https://app.test");
    EXPECT_THAT(known->response_header("Access-Control-Expose-Headers"),
                testing::HasSubstr("Mcp-Session-Id"));
    EXPECT_EQ(known->response_header("Vary"), "Origin");
}

TEST_F(AllowedPagesTest, LetNoOtherPageIn) {
    for (const transport::Route& route : Endpoints::routes()) {
        for (std::string origin :
             {"https://app.test.evil", "http://app.test", "https://other.test", "null"}) {
            for (const Map& headers : {from(origin), preflight(origin)}) {
                auto refused = ask("OPTIONS", example(route), headers);
                EXPECT_EQ(refused->status, 403) << example(route) << " from " << origin;
                EXPECT_EQ(refused->response_header("Access-Control-Allow-Origin"), "");
            }
        }
        // A page of our own address needs no leave, and gets none.
        auto own = ask("OPTIONS", example(route), preflight("http://localhost:8931"));
        EXPECT_NE(own->status, 204);
        EXPECT_EQ(own->response_header("Access-Control-Allow-Origin"), "");
    }
}

TEST_F(AllowedPagesTest, AreNotThoseOfOurOwnBrowsers) {
    auto exchange = std::make_shared<FakeExchange>("OPTIONS", "/mcp", preflight("https://app.test"));
    exchange->own_process = true;
    endpoints->handle(exchange);
    EXPECT_EQ(exchange->status, 403);
}

TEST_F(AllowedPagesTest, MayBeAllThereAre) {
    endpoints->set_access({.port = 8931, .allowed_origins = {"*"}});
    auto answer = ask("OPTIONS", "/sse", preflight("https://any.test"));
    EXPECT_EQ(answer->response_header("Access-Control-Allow-Origin"), "*");
}

TEST_F(AllowedPagesTest, AskForALocalAddressFirst) {
    Map headers = preflight("https://app.test");
    auto allowed = [&] {
        return ask("OPTIONS", "/mcp", headers)->response_header("Access-Control-Allow-Private-Network");
    };
    EXPECT_EQ(allowed(), "");
    headers["Access-Control-Request-Private-Network"] = "true";
    EXPECT_EQ(allowed(), "true");
}
