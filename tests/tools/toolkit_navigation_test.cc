#include "tests/tools/toolkit_support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ToolkitNavigation : public fakes::ToolkitTest {};

TEST_F(ToolkitNavigation, OpensAnAddressAndWaitsAsAsked) {
    page().status = engine::DocumentStatus{404, "Not Found"};

    EXPECT_EQ(data("navigate", R"({"url": "localhost:1/a", "waitUntil": "networkidle"})"),
              R"({"url":"http://localhost:1/a","title":"Title","status":404,"timing":{}})");
    EXPECT_THAT(done(), ElementsAre("navigate_until http://localhost:1/a 2"));
}

TEST_F(ToolkitNavigation, SaysWhyAPageCouldNotBeOpened) {
    page().fail("navigate_until",
                {.code = ErrorCode::NavigationFailed, .message = "net::ERR_NAME_NOT_RESOLVED at http://a/"});

    auto failed = error("navigate", R"({"url": "http://a/"})");

    EXPECT_EQ(failed["code"], json::value("NAVIGATION_FAILED"));
    EXPECT_THAT(std::string(failed["message"].as_string()), HasSubstr("ERR_NAME_NOT_RESOLVED"));
}

TEST_F(ToolkitNavigation, KeepsToTheTimeoutAndTheRules) {
    page().fail("navigate_until", {.code = ErrorCode::Timeout, .message = "Navigating took too long."});
    auto late = error("navigate", R"({"url": "http://a/", "timeout": 7})");

    EXPECT_EQ(late["code"], json::value("TIMEOUT"));
    EXPECT_EQ(late["retryable"], json::value(true));
    EXPECT_EQ(late["message"], json::value("page.goto: Timeout 7ms exceeded."));
    EXPECT_EQ(code("navigate", R"({"url": "file:///etc/passwd"})"), "POLICY_DENIED");
    EXPECT_EQ(code("navigate", R"({"url": "http://a/", "waitUntil": "forever"})"), "INVALID_ARGUMENT");
}

TEST_F(ToolkitNavigation, GoesThroughTheHistory) {
    EXPECT_THAT(data("go_back"), HasSubstr("http://localhost/"));
    EXPECT_THAT(data("go_forward", R"({"waitUntil": "domcontentloaded"})"), HasSubstr("http://localhost/"));

    EXPECT_THAT(done(), ElementsAre("go_back", "wait_for_load 1", "go_forward", "wait_for_load 0"));
    page().has_history = false;
    EXPECT_EQ(code("go_back"), "NAVIGATION_FAILED");
    EXPECT_EQ(code("go_forward"), "NAVIGATION_FAILED");
}

TEST_F(ToolkitNavigation, ReloadsAndWaits) {
    EXPECT_THAT(data("reload"), HasSubstr("Title"));
    EXPECT_THAT(data("reload", R"({"ignoreCache": true})"), HasSubstr("Title"));
    EXPECT_THAT(data("wait_for_load", R"({"state": "networkidle"})"), HasSubstr("Title"));

    EXPECT_THAT(done(), ElementsAre("reload", "reload anew", "wait_for_load 2"));
}

}  // namespace
