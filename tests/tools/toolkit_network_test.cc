#include "tests/tools/toolkit_support.h"

namespace {

class ToolkitNetwork : public fakes::ToolkitTest {};

TEST_F(ToolkitNetwork, BlocksByPatternAndTypeUntilTakenBack) {
    EXPECT_EQ(data("block_resource", R"({"pattern": "**/ads/**"})"), R"({"activeBlocks":1})");
    EXPECT_EQ(data("block_resource", R"({"resourceTypes": ["image", "font"]})"), R"({"activeBlocks":2})");
    EXPECT_EQ(data("block_resource", R"({"pattern": "**/ads/**"})"), R"({"activeBlocks":2})") << "again";

    const auto& routes = context().route_list;
    ASSERT_EQ(routes.size(), 2);
    EXPECT_TRUE(routes[0].block && routes[1].block);
    EXPECT_EQ(routes[0].pattern, "**");
    EXPECT_EQ(routes[0].resource_types, (std::vector<std::string>{"image", "font"}));
    EXPECT_EQ(data("block_resource", R"({"pattern": "**/ads/**", "blocked": false})"),
              R"({"activeBlocks":1})");
    EXPECT_EQ(code("block_resource"), "MISSING_PARAMETER");
    EXPECT_EQ(code("block_resource", R"({"resourceTypes": ["smell"]})"), "INVALID_ARGUMENT");
}

TEST_F(ToolkitNetwork, MocksAResponse) {
    EXPECT_EQ(
        data("mock_response", R"({"pattern": "**/api", "body": "{\"a\": 1}", "headers": {"X-A": "1"}})"),
        R"({"pattern":"**/api","status":200})");
    EXPECT_EQ(data("mock_response", R"({"pattern": "**/api", "status": 503, "body": "no"})"),
              R"({"pattern":"**/api","status":503})");
    data("mock_response", R"({"pattern": "**/b", "body": "[1]", "headers": {"X-A": "1"}})");

    const auto& routes = context().route_list;
    ASSERT_EQ(routes.size(), 2) << "the second took the first one's place";
    EXPECT_EQ(routes[0].status, 503);
    EXPECT_EQ(routes[0].content_type, "text/plain");
    EXPECT_EQ(routes[1].content_type, "application/json");
    EXPECT_EQ(routes[1].answer_headers.front(), std::pair(std::string("X-A"), std::string("1")));
    context().route_error =
        Error{.code = ErrorCode::InvalidArgument, .message = "Invalid glob pattern \"{\""};
    EXPECT_EQ(code("mock_response", R"({"pattern": "{"})"), "INVALID_ARGUMENT");
}

TEST_F(ToolkitNetwork, GuessesNoTypeBesideThatOfTheHeaders) {
    data("mock_response",
         R"({"url": "**/a", "response": {"json": {"a": 1}, "headers": {"content-type": "text/csv"}}})");
    data("mock_response", R"({"pattern": "**/b", "body": "b", "contentType": "text/csv"})");
    data("mock_response", R"({"url": "**/c", "response": {"statusCode": 500}})");

    const auto& routes = context().route_list;
    EXPECT_FALSE(routes[0].content_type);
    EXPECT_EQ(routes[0].body, R"({"a":1})");
    EXPECT_EQ(routes[1].content_type, "text/csv");
    EXPECT_EQ(routes[2].status, 500);
    EXPECT_EQ(routes[2].body, "");
}

TEST_F(ToolkitNetwork, NamesArgumentsThatHadNoEffect) {
    json::object answer = ask("mock_response", R"({"url": "**/a", "chatInput": "hello", "remove": true})");
    EXPECT_EQ(answer["ignoredArguments"], (json::array{"chatInput", "remove"}));
    EXPECT_FALSE(ask("mock_response", R"({"url": "**/a"})").contains("ignoredArguments"));
}

TEST_F(ToolkitNetwork, SetsTheNetworksState) {
    EXPECT_EQ(data("set_offline", R"({"offline": true})"), R"({"offline":true})");
    EXPECT_TRUE(context().offline);
    EXPECT_EQ(data("set_throttling", R"({"downloadSpeed": 1000, "latency": 20})"), R"({"throttled":true})");
    EXPECT_EQ(context().throttling,
              (engine::Throttling{.download = 1000, .latency = std::chrono::milliseconds(20)}));
    EXPECT_EQ(data("set_throttling"), R"({"throttled":false})");
    EXPECT_EQ(code("set_throttling", R"({"latency": -1})"), "INVALID_ARGUMENT");
}

TEST_F(ToolkitNetwork, ListsRequests) {
    page().request_entries = {
        {.method = "GET",
         .url = "http://a/x.js",
         .resource_type = "script",
         .status = 200,
         .mime_type = "text/javascript",
         .finished = true,
         .duration = std::chrono::milliseconds(5)},
        {.method = "POST", .url = "http://a/api", .resource_type = "fetch", .failure = "net::ERR_FAILED"}};

    EXPECT_EQ(data("get_request_log", R"({"filter": "api$"})"),
              R"({"total":2,"requests":[{"method":"POST","url":"http://a/api","resourceType":"fetch",)"
              R"("status":null,"failure":"net::ERR_FAILED","finished":false}]})");
    EXPECT_EQ(ask("get_request_log")["data"].at("requests").as_array().size(), 2);
    EXPECT_EQ(code("get_request_log", R"({"filter": "("})"), "INVALID_ARGUMENT");
}

}  // namespace
