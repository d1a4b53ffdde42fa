#include "session/urls.h"

#include <gtest/gtest.h>

namespace {

using session::check_not_local;
using session::check_url;
using session::complete_url;

TEST(CompleteUrl, LeavesAWholeAddressAsItIs) {
    for (std::string url :
         {"https://example.com", "http://localhost:8080/x?y", "about:blank", "data:text/html,<b>x</b>",
          "chrome://version", "HTTP://EXAMPLE.COM", "http://[::1]:80/", "blob:https://x/y"}) {
        EXPECT_EQ(complete_url(url), url);
    }
}

TEST(CompleteUrl, AddsHttpsBeforeANameAndHttpBeforeLocalhost) {
    EXPECT_EQ(complete_url("example.com/path"), "https://example.com/path");
    EXPECT_EQ(complete_url("localhost"), "http://localhost");
    EXPECT_EQ(complete_url("localhost/x"), "http://localhost/x");
    EXPECT_EQ(complete_url("127.0.0.1:8080"), "https://127.0.0.1:8080");
    EXPECT_EQ(complete_url("foo bar"), "https://foo bar");
    EXPECT_EQ(complete_url("http://"), "https://http://");
    EXPECT_EQ(complete_url("http://a:99999/"), "https://http://a:99999/");
}

TEST(CompleteUrl, StartsRelativeAddressesAtTheBase) {
    std::string base = "https://example.com/shop/start?x=1";
    EXPECT_EQ(complete_url("cart", base), "https://example.com/shop/cart");
    EXPECT_EQ(complete_url("cart/all?page=2#top", base), "https://example.com/shop/cart/all?page=2#top");
    EXPECT_EQ(complete_url("/", base), "https://example.com/");
    EXPECT_EQ(complete_url("../help", base), "https://example.com/help");
    EXPECT_EQ(complete_url("?page=2", base), "https://example.com/shop/start?page=2");
    EXPECT_EQ(complete_url("//other.example/x", base), "https://other.example/x");
    // These name a host.
    EXPECT_EQ(complete_url("other.example/x", base), "https://other.example/x");
    EXPECT_EQ(complete_url("localhost/x", base), "http://localhost/x");
    EXPECT_EQ(complete_url("about:blank", base), "about:blank");
}

// A host with a port reads like a scheme.
TEST(CompleteUrl, LeavesAHostWithAPortAsItIs) {
    EXPECT_EQ(complete_url("localhost:3000"), "localhost:3000");
    EXPECT_EQ(complete_url("example.com:8080"), "example.com:8080");
}

TEST(BrowserUrl, IsOneThatTheBrowserOpens) {
    EXPECT_EQ(session::browser_url("localhost:3000/x"), "http://localhost:3000/x");
    EXPECT_EQ(session::browser_url("https://localhost"), "https://localhost");
}

TEST(CheckNotLocal, RefusesAddressesOfTheDiskHoweverTheyAreWritten) {
    for (std::string url : {"file:///etc/passwd", "FILE:///etc/passwd", " file:///x", "fi\nle:///x",
                            "\tfile:/x", "view-source:file:///x", "View-Source:view-source:file:///x"}) {
        auto checked = check_not_local(url);
        ASSERT_FALSE(checked) << url;
        EXPECT_EQ(checked.error().code, ErrorCode::PolicyDenied);
    }
    EXPECT_EQ(check_not_local("file:///etc/passwd").error().message,
              "Access to \"file:\" protocol is blocked. Attempted URL: \"file:///etc/passwd\"");
}

TEST(CheckNotLocal, AllowsEverythingElse) {
    for (std::string url : {"https://file.example", "about:blank", "filesystem", "https://x/?u=file:///x"}) {
        EXPECT_TRUE(check_not_local(url)) << url;
    }
}

TEST(Urls, AreRefusedWhereTheBrowserCouldNotGo) {
    for (const char* url :
         {"", " ", "no url at all", "http://", "https://", "http://a:99999/", "https://a b/"}) {
        auto checked = check_url(url);
        ASSERT_FALSE(checked) << url;
        EXPECT_EQ(checked.error().code, ErrorCode::InvalidUrl) << url;
    }
    for (const char* url : {"example.com/a b", "localhost:3000", "about:blank", "data:text/html,hi",
                            "http://127.0.0.1:1/", "https://user:pass@a.example/", "127.0.0.1:8080"})
        EXPECT_EQ(*check_url(url), complete_url(url));
}

}  // namespace
