#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;

class BrowserRoute : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserRoute, AddsARoute) {
    auto outcome = call("browser_route", R"({"pattern": "**/api", "status": 404, "body": "no",
        "contentType": "text/plain", "headers": ["X-A:  1 ", "X-B: a:b"], "removeHeaders": "Accept, Referer"})");

    EXPECT_THAT(outcome.text, HasSubstr("### Result\nRoute added for pattern: **/api\n"));
    EXPECT_THAT(outcome.text,
                HasSubstr("await page.context().route('**/api', async route => { /* route handler */ });"));
    const engine::Route& route = context().route_list.at(0);
    EXPECT_EQ(route.status, 404);
    EXPECT_EQ(route.body, "no");
    EXPECT_EQ(route.content_type, "text/plain");
    EXPECT_EQ(route.add_headers,
              (std::vector<std::pair<std::string, std::string>>{{"X-A", "1"}, {"X-B", "a:b"}}));
    EXPECT_EQ(route.remove_headers, (std::vector<std::string>{"Accept", "Referer"}));
}

TEST_F(BrowserRoute, RefusesWhatIsNoHeaderStatusOrPattern) {
    auto no_header = call("browser_route", R"({"pattern": "**", "headers": ["nope"]})");
    EXPECT_TRUE(no_header.is_error);
    EXPECT_THAT(no_header.text, HasSubstr("Invalid header \"nope\": expected \"Name: Value\""));
    EXPECT_THAT(call("browser_route", R"({"pattern": "**", "headers": [":x"]})").text,
                HasSubstr("Invalid header \":x\""));
    EXPECT_THAT(call("browser_route", R"({"pattern": "**", "status": 200.5})").text,
                HasSubstr("Invalid status 200.5: expected a whole number from 100 to 999"));
    EXPECT_TRUE(call("browser_route", R"({"status": 200})").is_error);
    context().route_error =
        Error{.code = ErrorCode::InvalidArgument, .message = "Invalid glob pattern \"{\""};
    EXPECT_THAT(call("browser_route", R"({"pattern": "{"})").text, HasSubstr("Error: Invalid glob pattern"));
    EXPECT_TRUE(context().route_list.empty());
}

TEST_F(BrowserRoute, ListsRoutes) {
    EXPECT_THAT(call("browser_route_list").text, HasSubstr("No active routes"));
    std::string sixty(60, 'x');
    context().route_list = {
        {.pattern = "**/a", .status = 201, .body = sixty, .content_type = "text/html"},
        {.pattern = "**/b"},
        {.pattern = "**/c", .add_headers = {{{"A", "1"}}}, .remove_headers = {{"b", "c"}}}};

    EXPECT_THAT(call("browser_route_list").text,
                HasSubstr("1. **/a (status=201, body=" + std::string(50, 'x') +
                          "..., contentType=text/html)\n"
                          "2. **/b\n"
                          "3. **/c (addHeaders={\"A\":\"1\"}, removeHeaders=b,c)"));
}

TEST_F(BrowserRoute, RemovesRoutesOfOnePatternOrAll) {
    context().route_list = {{.pattern = "**/a"}, {.pattern = "**/b"}, {.pattern = "**/a"}};

    EXPECT_THAT(call("browser_unroute", R"({"pattern": "**/a"})").text,
                HasSubstr("Removed 2 route(s) for pattern: **/a"));
    EXPECT_THAT(call("browser_unroute", R"({"pattern": "**/c"})").text,
                HasSubstr("Removed 0 route(s) for pattern: **/c"));
    EXPECT_EQ(context().route_list.size(), 1);
    EXPECT_THAT(call("browser_unroute").text, HasSubstr("Removed all 1 route(s)"));
    EXPECT_TRUE(context().route_list.empty());
}

TEST_F(BrowserRoute, CutsTheNetworkOffAndConnectsItAgain) {
    auto outcome = call("browser_network_state_set", R"({"state": "offline"})");

    EXPECT_THAT(outcome.text, HasSubstr("### Result\nNetwork is now offline\n"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.context().setOffline(true);"));
    EXPECT_TRUE(context().offline);
    EXPECT_THAT(call("browser_network_state_set", R"({"state": "online"})").text,
                HasSubstr("Network is now online"));
    EXPECT_FALSE(context().offline);
    EXPECT_TRUE(call("browser_network_state_set", R"({"state": "slow"})").is_error);
}

}  // namespace
