#include "policy/gate_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::closing_head;
using policy::read_request;
using testing::HasSubstr;
using testing::Not;

TEST(GateRequest, OfATunnelNamesItsHost) {
    auto request = read_request("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");

    ASSERT_TRUE(request);
    EXPECT_TRUE(request->tunnel);
    EXPECT_EQ(request->host, "example.com");
    EXPECT_EQ(request->port, "443");
}

TEST(GateRequest, TakesTheBracketsOffAnAddress) {
    auto request = read_request("CONNECT [::1]:8443 HTTP/1.1\r\n\r\n");

    ASSERT_TRUE(request);
    EXPECT_EQ(request->host, "::1");
    EXPECT_EQ(request->port, "8443");
}

TEST(GateRequest, GoesOnAsTheServerExpectsItAndCloses) {
    auto request = read_request(
        "POST http://example.com/a?b HTTP/1.1\r\nHost: example.com\r\nProxy-Connection: keep-alive\r\n"
        "Connection: keep-alive\r\nContent-Length: 5\r\nX-Kept: yes\r\n\r\n");

    ASSERT_TRUE(request);
    EXPECT_EQ(request->host, "example.com");
    EXPECT_EQ(request->port, "80");
    EXPECT_EQ(request->body, 5u);
    EXPECT_THAT(request->head, testing::StartsWith("POST /a?b HTTP/1.1\r\n"));
    EXPECT_THAT(request->head, HasSubstr("X-Kept: yes\r\n"));
    EXPECT_THAT(request->head, Not(HasSubstr("keep-alive")));
    EXPECT_THAT(request->head, testing::EndsWith("Connection: close\r\n\r\n"));
}

TEST(GateRequest, HasAPathAlways) {
    EXPECT_THAT(read_request("GET http://example.com HTTP/1.1\r\n\r\n")->head,
                testing::StartsWith("GET / HTTP/1.1"));
    EXPECT_THAT(read_request("GET http://example.com?q HTTP/1.1\r\n\r\n")->head,
                testing::StartsWith("GET /?q HTTP/1.1"));
}

TEST(GateRequest, IsRefusedWhenItCanBeReadInTwoWays) {
    for (const char* head : {
             "POST http://a/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: 5x\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
             "GET https://a/ HTTP/1.1\r\n\r\n",
             "GET /path HTTP/1.1\r\n\r\n",
             "GET http:///path HTTP/1.1\r\n\r\n",
             "CONNECT :443 HTTP/1.1\r\n\r\n",
             "GET\r\n\r\n",
             "\r\n\r\n",
         })
        EXPECT_FALSE(read_request(head)) << head;
}

TEST(AnswerHead, TellsTheBrowserToClose) {
    auto head =
        closing_head("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nX: y\r\n\r\n");

    EXPECT_EQ(head, "HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\n");
}

TEST(AnswerHead, ThatIsNotFinalIsLeftAsItIs) {
    EXPECT_FALSE(closing_head("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"));
}

}  // namespace
