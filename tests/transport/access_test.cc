#include "transport/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/http_exchange.h"

using fakes::FakeExchange;
using testing::HasSubstr;
using transport::Access;
using transport::AccessOptions;

namespace {

int status_for(const AccessOptions& options, const std::map<std::string, std::string>& headers) {
    FakeExchange exchange("POST", "/mcp", headers);
    auto refusal = Access(options).check_origin(exchange);
    return refusal ? refusal->status : 200;
}

// Configured tokens need nobody to be asked, so the answer is there at once.
transport::Authenticated who(const Access& access, const FakeExchange& exchange) {
    transport::Authenticated who = transport::Refusal{0, "nothing yet"};
    Running running = start(access.authenticate(exchange), [&](Result<transport::Authenticated> outcome) {
        who = std::move(outcome).value();
    });
    EXPECT_TRUE(running.done());
    return who;
}

}  // namespace

TEST(Access, AllowsLoopbackNamesWithTheListenersPort) {
    AccessOptions options{.port = 8931};
    for (const char* host : {"localhost:8931", "LOCALHOST:8931", "127.0.0.1:8931", "[::1]:8931"})
        EXPECT_EQ(status_for(options, {{"Host", host}}), 200) << host;
    for (const char* host : {"localhost", "localhost:1", "evil.example.com:8931", "evil.example.com",
                             "localhost.evil.com:8931", ""}) {
        EXPECT_EQ(status_for(options, {{"Host", host}}), 403) << host;
    }
}

TEST(Access, AllowsConfiguredHosts) {
    AccessOptions options{.port = 8931, .allowed_hosts = {"box.lan", "other.lan:99"}};
    EXPECT_EQ(status_for(options, {{"Host", "box.lan"}}), 200);
    EXPECT_EQ(status_for(options, {{"Host", "box.lan:1234"}}), 200);
    EXPECT_EQ(status_for(options, {{"Host", "other.lan:99"}}), 200);
    EXPECT_EQ(status_for(options, {{"Host", "other.lan:98"}}), 403);
    EXPECT_EQ(status_for(options, {{"Host", "localhost:8931"}}), 403);
    EXPECT_EQ(status_for({.port = 1, .allowed_hosts = {"*"}}, {{"Host", "anything"}}), 200);
}

TEST(Access, OnEveryAddressAllowsAddressesButNoNameThatDnsCouldGive) {
    AccessOptions open{.host = "0.0.0.0", .port = 8931};
    EXPECT_EQ(status_for(open, {{"Host", "192.0.2.7:8931"}}), 200);
    EXPECT_EQ(status_for(open, {{"Host", "rebound.example.com:8931"}}), 403);
    AccessOptions guarded{
        .host = "0.0.0.0", .port = 8931, .authenticate = transport::static_tokens({{"token", "t"}})};
    EXPECT_EQ(status_for(guarded, {{"Host", "build-box:8931"}}), 200);
}

TEST(Access, RefusesForeignOriginsAndTheNullOrigin) {
    AccessOptions options{.port = 8931, .allowed_origins = {"https://app.example.com"}};
    EXPECT_EQ(status_for(options, {{"Origin", "http://localhost:8931"}}), 200);
    EXPECT_EQ(status_for(options, {{"Origin", "http://127.0.0.1:8931"}}), 200);
    EXPECT_EQ(status_for(options, {{"Origin", "https://app.example.com"}}), 200);
    for (const char* origin :
         {"null", "http://localhost:3000", "https://evil.example.com", "http://evil.com:8931", ""}) {
        EXPECT_EQ(status_for(options, {{"Origin", origin}}), 403) << origin;
    }
}

TEST(Access, KnowsItsOwnPagesByAWebScheme) {
    AccessOptions options{.port = 8931};
    for (const char* scheme : {"http", "https", "HTTP"})
        EXPECT_EQ(status_for(options, {{"Origin", std::string(scheme) + "://127.0.0.1:8931"}}), 200)
            << scheme;
    for (const char* scheme : {"x", "", "ws", "chrome-extension", "app", "file", "view-source:http"}) {
        for (const char* host : {"127.0.0.1:8931", "localhost:8931", "[::1]:8931"}) {
            std::string origin = std::string(scheme) + "://" + host;
            EXPECT_EQ(status_for(options, {{"Origin", origin}}), 403) << origin;
            EXPECT_EQ(status_for(options, {{"Origin", origin}, {"Host", host}}), 403) << origin;
        }
    }
}

TEST(Access, RefusesAnIpv6HostWithoutBrackets) {
    for (const AccessOptions& options :
         {AccessOptions{.port = 8931}, AccessOptions{.host = "::", .port = 8931},
          AccessOptions{.port = 8931, .allowed_hosts = {"*"}}}) {
        for (const char* host : {"::1:8931", "::1", "[::1:8931", "::1]:8931", "0:0:0:0:0:0:0:1:8931",
                                 "::ffff:127.0.0.1:8931", "localhost:1:8931"}) {
            EXPECT_EQ(status_for(options, {{"Host", host}}), 403) << host;
            EXPECT_EQ(
                status_for(options, {{"Host", "localhost:8931"}, {"Origin", std::string("http://") + host}}),
                403)
                << host;
        }
        EXPECT_EQ(status_for(options, {{"Host", "[::1]:8931"}}), 200);
    }
}

TEST(Access, AsksForTheTokenExceptOnAUnixSocket) {
    Access access(
        {.port = 8931, .authenticate = transport::static_tokens({{"ann", "s3cret"}, {"bob", "0ther"}})});
    for (const char* header : {"", "Bearer", "Bearer wrong", "Basic s3cret", "s3cret", "Bearer s3cret x"}) {
        auto refusal = who(access, FakeExchange("POST", "/mcp", {{"Authorization", header}}));
        ASSERT_TRUE(std::holds_alternative<transport::Refusal>(refusal)) << header;
        EXPECT_EQ(std::get<transport::Refusal>(refusal).status, 401);
    }
    auto principal = [&](const FakeExchange& exchange) {
        return std::get<transport::Identity>(who(access, exchange)).principal;
    };
    EXPECT_EQ(principal(FakeExchange("POST", "/mcp", {{"Authorization", "bearer  s3cret"}})), "ann");
    EXPECT_EQ(principal(FakeExchange("POST", "/mcp", {{"Authorization", "Bearer 0ther"}})), "bob");

    FakeExchange local("POST", "/mcp", {{"Host", "whatever"}});
    local.local = true;
    EXPECT_FALSE(access.check_origin(local));
    EXPECT_EQ(principal(local), "");
}

TEST(Access, IsNotForPagesThatAnAgentWasLedTo) {
    auto refused = [](std::string path, bool shown, const std::map<std::string, std::string>& headers) {
        FakeExchange exchange("GET", path, headers);
        return Access({.port = 8931}).check_browser(exchange, shown).has_value();
    };
    for (const char* site : {"none", "cross-site", "same-site", "same-origin"}) {
        EXPECT_TRUE(
            refused("/api/history", false, {{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", site}}));
        // A picture, a script, a style sheet.
        EXPECT_TRUE(refused("/metrics", true, {{"Sec-Fetch-Mode", "no-cors"}, {"Sec-Fetch-Site", site}}));
    }
    // A person may have typed the address, or gone on from our own page.
    for (const char* site : {"none", "same-origin"})
        EXPECT_FALSE(refused("/", true, {{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", site}}));
    for (const char* site : {"cross-site", "same-site"})
        EXPECT_TRUE(refused("/", true, {{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", site}}));
    EXPECT_TRUE(refused("/metrics", true, {{"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Site", "same-origin"}}));
    // Programs, Node's among them, and pages of origins that were allowed.
    EXPECT_FALSE(refused("/api/history", false, {}));
    EXPECT_FALSE(refused("/api/history", false, {{"Sec-Fetch-Mode", "cors"}}));
    EXPECT_FALSE(refused("/mcp", false, {{"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Site", "cross-site"}}));
}

TEST(Access, IsNotForProcessesOfThisServerWhateverTheySayOfThemselves) {
    AccessOptions open{.port = 8931, .allowed_hosts = {"*"}, .allowed_origins = {"*"}};
    for (const char* method : {"GET", "POST", "OPTIONS"}) {
        for (const char* path : {"/", "/metrics", "/mcp", "/ws", "/healthz"}) {
            FakeExchange exchange(method, path, {{"User-Agent", "curl/8.0"}});
            EXPECT_FALSE(Access(open).check_browser(exchange, true)) << method << path;
            exchange.own_process = true;
            auto refusal = Access(open).check_browser(exchange, true);
            ASSERT_TRUE(refusal) << method << path;
            EXPECT_EQ(refusal->rule, "the rule that pages never reach this server");
        }
    }
}
