// OAuth at the listener: what clients are told, who is let in on which path, and what waits for the issuer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/http_exchange.h"
#include "tests/fakes/protocol.h"
#include "transport/endpoints.h"
#include "util/shared_result.h"

using fakes::FakeExchange;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using transport::Authenticated;
using transport::Endpoints;
using transport::Identity;

namespace {

using Map = std::map<std::string, std::string>;

class OAuthEndpointsTest : public testing::Test {
protected:
    OAuthEndpointsTest() : issuer(protocol.loop) {
        make({.issuer = "https://login.test", .scopes = {"browse"}});
    }
    ~OAuthEndpointsTest() override { close(); }

    void make(transport::ProtectedResource resource) {
        transport::EndpointOptions options;
        options.access.port = 8931;
        options.access.authenticate = transport::static_tokens({{"ann", "s3cret"}});
        options.access.oauth =
            transport::OAuthAccess{.resource = std::move(resource),
                                   .verify = [this](std::string token, std::vector<std::string> audiences) {
                                       named = std::move(audiences);
                                       return verify(std::move(token));
                                   }};
        options.api = [this](mcp::Server&, const std::shared_ptr<transport::HttpExchange>& exchange,
                             tools::Caller caller) {
            callers.push_back(caller.principal);
            exchange->respond(200, {}, {});
        };
        endpoints.emplace(protocol.server, options);
    }
    void close() {
        if (endpoints) endpoints->close();
        protocol.settle();
        endpoints.reset();
    }
    Task<Authenticated> verify(std::string token) {
        if (token == "slow") co_await issuer.get();
        if (token == "down") co_return transport::Refusal{503, "The issuer cannot be reached."};
        if (token == "weak")
            co_return transport::Refusal{
                .status = 403, .message = "It lacks a scope.", .error = "insufficient_scope"};
        if (token == "jwt" || token == "slow") co_return Identity{.principal = "oauth:ann"};
        co_return transport::Refusal{
            .status = 401, .message = "It is \"no\" \\ token\r\n\xc3\xa4.", .error = "invalid_token"};
    }

    std::shared_ptr<FakeExchange> ask(std::string_view path, std::string token, Map headers = {}) {
        if (!token.empty()) headers["Authorization"] = "Bearer " + token;
        auto exchange = std::make_shared<FakeExchange>("GET", std::string(path), headers);
        endpoints->handle(exchange);
        protocol.settle();
        return exchange;
    }

    fakes::Protocol protocol;
    SharedResult<void> issuer;
    std::optional<Endpoints> endpoints;
    std::vector<std::string> named, callers;
};

}  // namespace

TEST_F(OAuthEndpointsTest, TellEveryClientWithoutATokenWhereToGetOne) {
    for (const transport::Route& route : Endpoints::routes()) {
        std::string path(route.path.substr(0, route.path.find("/*")));
        if (path.empty()) path = "/elsewhere";
        auto refused = ask(path, "");
        if (route.token == transport::Route::Token::NotNeeded) {
            EXPECT_EQ(refused->status, 200) << path;
            continue;
        }
        EXPECT_EQ(refused->status, 401) << path;
        EXPECT_THAT(refused->response_header("WWW-Authenticate"),
                    AllOf(HasSubstr("Bearer resource_metadata=\"http://localhost:8931/.well-known/"
                                    "oauth-protected-resource"),
                          HasSubstr("scope=\"browse\""), Not(HasSubstr("error"))));
    }
    EXPECT_EQ(ask("/mcp/name", "")->response_header("WWW-Authenticate"),
              "Bearer resource_metadata=\"http://localhost:8931/.well-known/oauth-protected-resource/mcp\", "
              "scope=\"browse\"");
}

TEST_F(OAuthEndpointsTest, SayWhatIsWrongWithATokenAndNothingThatBreaksTheHeader) {
    auto refused = ask("/api/sessions", "wrong");
    EXPECT_EQ(refused->status, 401);
    EXPECT_THAT(refused->response_header("WWW-Authenticate"),
                HasSubstr("error=\"invalid_token\", error_description=\"It is 'no' ' token????.\""));
    refused = ask("/api/sessions", "weak");
    EXPECT_EQ(refused->status, 403);
    EXPECT_THAT(refused->response_header("WWW-Authenticate"),
                AllOf(HasSubstr("error=\"insufficient_scope\""), HasSubstr("scope=\"browse\"")));
    refused = ask("/api/sessions", "down");
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->response_header("Retry-After"), "5");
    EXPECT_EQ(refused->response_header("WWW-Authenticate"), "");
    EXPECT_TRUE(callers.empty());
}

TEST_F(OAuthEndpointsTest, TakeConfiguredTokensAndAccessTokensForDifferentPrincipals) {
    EXPECT_EQ(ask("/api/sessions", "s3cret")->status, 200);
    EXPECT_EQ(ask("/api/sessions", "jwt")->status, 200);
    EXPECT_THAT(callers, testing::ElementsAre("ann", "oauth:ann"));
    EXPECT_TRUE(ask("/ws", "jwt", {{"Upgrade", "websocket"}, {"Sec-WebSocket-Protocol", "mcp"}})->upgraded);
    EXPECT_EQ(ask("/sse", "jwt")->status, 200);
}

TEST_F(OAuthEndpointsTest, DescribeEachResourceAndNoOther) {
    for (const char* path : {"", "/mcp", "/sse", "/ws", "/api"}) {
        auto answer = ask(std::string(transport::kResourceMetadataPath) + path, "");
        ASSERT_EQ(answer->status, 200) << path;
        json::value metadata = json::parse(answer->answer).value();
        EXPECT_EQ(metadata.at("resource"), json::value("http://localhost:8931" + std::string(path)));
        EXPECT_EQ(metadata.at("authorization_servers"), json::array{"https://login.test"});
        EXPECT_EQ(metadata.at("scopes_supported"), json::array{"browse"});
    }
    EXPECT_EQ(ask("/.well-known/oauth-protected-resource/other", "")->status, 404);
    // The loopback name that the client knows us by, and no other.
    auto named_so = ask("/.well-known/oauth-protected-resource/mcp", "", {{"Host", "127.0.0.1:8931"}});
    EXPECT_THAT(named_so->answer, HasSubstr("\"http://127.0.0.1:8931/mcp\""));
}

TEST_F(OAuthEndpointsTest, AreCalledWhatTheOperatorSays) {
    close();
    make({.base = "https://troupe.test", .issuer = "https://login.test"});
    ask("/api/sessions", "jwt");
    EXPECT_THAT(named, AllOf(Contains("https://troupe.test"), Contains("https://troupe.test/mcp"),
                             Not(Contains(HasSubstr("localhost")))));
    EXPECT_THAT(ask("/mcp", "")->response_header("WWW-Authenticate"),
                HasSubstr("\"https://troupe.test/.well-known/oauth-protected-resource/mcp\""));
}

TEST_F(OAuthEndpointsTest, WaitForTheIssuerWithoutServingAnything) {
    auto first = ask("/api/sessions", "slow"), second = ask("/api/sessions", "slow");
    auto left = ask("/api/sessions", "slow");
    left->vanish();
    EXPECT_EQ(ask("/api/sessions", "s3cret")->status, 200) << "others go on";
    EXPECT_EQ(first->status, 0);
    issuer.set(ok());
    protocol.settle();
    EXPECT_EQ(first->status, 200);
    EXPECT_EQ(second->status, 200);
    EXPECT_EQ(left->status, 0);
    EXPECT_THAT(callers, testing::ElementsAre("ann", "oauth:ann", "oauth:ann"));
}

TEST_F(OAuthEndpointsTest, AnswerWhoStillWaitsAtTheEnd) {
    auto waiting = ask("/api/sessions", "slow");
    close();
    EXPECT_EQ(waiting->status, 503);
    EXPECT_TRUE(callers.empty());
}

TEST(OAuthEndpoints, AreNotThereWithoutAnIssuer) {
    fakes::Protocol protocol;
    transport::EndpointOptions options{.access = {.port = 8931}};
    options.access.authenticate = transport::static_tokens({{"ann", "s3cret"}});
    Endpoints endpoints(protocol.server, options);
    auto exchange = std::make_shared<FakeExchange>("GET", "/.well-known/oauth-protected-resource/mcp");
    endpoints.handle(exchange);
    EXPECT_EQ(exchange->status, 404);
    exchange = std::make_shared<FakeExchange>("GET", "/mcp");
    endpoints.handle(exchange);
    EXPECT_EQ(exchange->response_header("WWW-Authenticate"), "Bearer");
    endpoints.close();
}
