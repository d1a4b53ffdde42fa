// From an address that somebody typed to the browser's WebSocket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/endpoint.h"

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Endpoint, KnowsItsParts) {
    auto address = cdp::parse_address("wss://me:pass%20word@example.com/a/b?token=1");
    ASSERT_TRUE(address);
    EXPECT_TRUE(address->tls);
    EXPECT_EQ(address->host, "example.com");
    EXPECT_EQ(address->port, "443");
    EXPECT_EQ(address->host_header, "example.com");
    EXPECT_EQ(address->target, "/a/b?token=1");
    EXPECT_EQ(address->credentials, "me:pass word");
    EXPECT_EQ(address->shown, "wss://example.com/a/b");
}

TEST(Endpoint, NeedsNoPathAndNoPort) {
    auto plain = cdp::parse_address("http://[::1]:9222");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(plain->tls);
    EXPECT_EQ(plain->host, "::1");
    EXPECT_EQ(plain->port, "9222");
    EXPECT_EQ(plain->host_header, "[::1]:9222");
    EXPECT_EQ(plain->target, "/");
    EXPECT_EQ(cdp::parse_address("http://localhost")->port, "80");
}

TEST(Endpoint, ThatIsNoneSaysWhatOneLooksLike) {
    for (const char* text : {"", "localhost:9222", "ftp://localhost", "http://", "9222"}) {
        auto address = cdp::parse_address(text);
        ASSERT_FALSE(address) << text;
        EXPECT_THAT(address.error().hint, HasSubstr("http://localhost:9222"));
    }
}

TEST(Endpoint, KeepsPathAndQueryOnTheWayToTheVersion) {
    auto below = [](const char* endpoint) { return *cdp::url_below(endpoint, "json/version/"); };
    EXPECT_EQ(below("http://localhost:9222"), "http://localhost:9222/json/version/");
    EXPECT_EQ(below("http://localhost:9222/"), "http://localhost:9222/json/version/");
    EXPECT_EQ(below("https://host/a/b?token=1%202"), "https://host/a/b/json/version/?token=1%202");
}

TEST(Endpoint, TakesTheWebSocketThatTheBrowserNames) {
    auto url = [](const char* given) {
        std::string answer =
            std::string(R"({"Browser": "Chrome/1", "webSocketDebuggerUrl": ")") + given + "\"}";
        return *cdp::websocket_url(answer, "https://host:1/a/json/version/");
    };
    EXPECT_EQ(url("ws://other:2/devtools/browser/x?y=1"), "ws://other:2/devtools/browser/x?y=1");
    EXPECT_EQ(url("wss://other/x"), "wss://other/x");
    // A path stays with the server that named it.
    EXPECT_EQ(url("/devtools/browser/x"), "wss://host:1/devtools/browser/x");
    EXPECT_EQ(url("http://host:1/x"), "ws://host:1/x");
}

TEST(Endpoint, SaysWhenTheAnswerIsNotABrowsers) {
    for (const char* answer : {"", "<html>", "[]", "{}", R"({"webSocketDebuggerUrl": 5})"}) {
        auto url = cdp::websocket_url(answer, "http://host:1/json/version/?token=hunter2");
        ASSERT_FALSE(url) << answer;
        EXPECT_THAT(url.error().message, HasSubstr("http://host:1/json/version/ answered"));
        EXPECT_THAT(url.error().hint, HasSubstr("ws://"));
    }
    EXPECT_FALSE(cdp::websocket_url(R"({"webSocketDebuggerUrl": "ftp://x/"})", "http://host:1/"));
}

TEST(Endpoint, ReadsTheTabsInTheirOrder) {
    EXPECT_THAT(cdp::listed_tabs(R"([{"id": "B", "type": "page"}, {"id": "W", "type": "worker"}, 7,
                                     {"id": "A", "type": "page"}])"),
                ElementsAre("B", "A"));
    EXPECT_THAT(cdp::listed_tabs("Not found"), ElementsAre());
}
