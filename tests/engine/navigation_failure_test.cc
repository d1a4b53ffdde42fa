#include "engine/navigation_failure.h"

#include <gtest/gtest.h>

namespace {

using engine::navigation_failed;

TEST(NavigationFailure, IsWorthAnotherTryWhenAConnectionFailed) {
    EXPECT_EQ(navigation_failed("net::ERR_EMPTY_RESPONSE", "http://a/").code, ErrorCode::NetworkError);
    EXPECT_EQ(navigation_failed("net::ERR_NAME_NOT_RESOLVED", "http://a/").code, ErrorCode::NetworkError);
    EXPECT_EQ(navigation_failed("net::ERR_UNSAFE_PORT", "http://a:1/").code, ErrorCode::NavigationFailed);
    EXPECT_EQ(navigation_failed("net::ERR_ABORTED", "http://a/").code, ErrorCode::NavigationFailed);
}

TEST(NavigationFailure, NamesTheAddressAsBrowsersDo) {
    EXPECT_EQ(navigation_failed("net::ERR_X", "http://nohost.invalid").message,
              "net::ERR_X at http://nohost.invalid/");
    EXPECT_EQ(engine::as_browsers_show("https://a.test:8080?q=1/2"), "https://a.test:8080/?q=1/2");
    EXPECT_EQ(engine::as_browsers_show("http://a.test#top"), "http://a.test/#top");
    for (const char* same : {"http://a.test/path", "http://a.test/", "about:blank", "data:text/html,x",
                             "http://", "file:///etc", "chrome://version"})
        EXPECT_EQ(engine::as_browsers_show(same), same);
}

}  // namespace
