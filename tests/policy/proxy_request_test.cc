#include "policy/proxy_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::closing_head;
using policy::read_request;
using testing::HasSubstr;
using testing::Not;

TEST(ProxyRequest, OfATunnelNamesItsHost) {
    auto request = read_request("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");

    ASSERT_TRUE(request);
    EXPECT_TRUE(request->tunnel);
    EXPECT_EQ(request->host, "example.com");
    EXPECT_EQ(request->port, "443");
}

TEST(ProxyRequest, TakesTheBracketsOffAnAddress) {
    auto request = read_request("CONNECT [::1]:8443 HTTP/1.1\r\n\r\n");

    ASSERT_TRUE(request);
    EXPECT_EQ(request->host, "::1");
    EXPECT_EQ(request->port, "8443");
}

TEST(ProxyRequest, GoesOnAsTheServerExpectsItAndCloses) {
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

TEST(ProxyRequest, HasAPathAlways) {
    EXPECT_THAT(read_request("GET http://example.com HTTP/1.1\r\n\r\n")->head,
                testing::StartsWith("GET / HTTP/1.1"));
    EXPECT_THAT(read_request("GET http://example.com?q HTTP/1.1\r\n\r\n")->head,
                testing::StartsWith("GET /?q HTTP/1.1"));
}

TEST(ProxyRequest, IsRefusedWhenItCanBeReadInTwoWays) {
    for (const char* head : {
             "POST http://a/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: 5x\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: 010\r\n\r\n",
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

TEST(ProxyRequest, IsRefusedWhenAServerMightReadMoreThanOne) {
    for (const char* head : {
             "POST http://a/ HTTP/1.1\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nX: y\rContent-Length: 9\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nContent-Length: 5\r\n 6\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\n Content-Length: 5\r\n\r\n",
             "POST http://a/ HTTP/1.1\r\nX\r\n\r\n",
             "POST\nX http://a/ HTTP/1.1\r\n\r\n",
             "GET http://a/ HTTP/1.1\n\nGET\r\n\r\n",
             "GET http://a/ HTTP/2\r\n\r\n",
         })
        EXPECT_FALSE(read_request(head)) << head;
}

TEST(ProxyRequest, IsRefusedWhenItsHostOrPortIsNone) {
    for (const char* target : {"10.0.0.1:65616", "10.0.0.1:80x", "10.0.0.1:0", "10.0.0.1:-1",
                               "127.0.0.1%00.good.test:80", "a%2520b:80", "a%2fb:80", "a b:80"})
        EXPECT_FALSE(read_request("CONNECT " + std::string(target) + " HTTP/1.1\r\n\r\n")) << target;
    EXPECT_FALSE(read_request("GET http:\\\\a/ HTTP/1.1\r\n\r\n"));
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
