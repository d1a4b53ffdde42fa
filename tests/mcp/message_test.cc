#include "mcp/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/version.h"

using testing::HasSubstr;

namespace {
mcp::Message parsed(std::string_view text) {
    return std::get<mcp::Message>(mcp::parse_message(json::parse(text).value()));
}
mcp::BadMessage refused(std::string_view text) {
    return std::get<mcp::BadMessage>(mcp::parse_message(json::parse(text).value()));
}
}  // namespace

TEST(Message, KeepsTheTypeOfARequestId) {
    auto number = std::get<mcp::Request>(parsed(R"({"jsonrpc":"2.0","id":0,"method":"ping"})"));
    auto text = std::get<mcp::Request>(parsed(R"({"jsonrpc":"2.0","id":"0","method":"ping"})"));
    EXPECT_EQ(mcp::to_json(number.id), "0");
    EXPECT_EQ(mcp::to_json(text.id), "\"0\"");
}

TEST(Message, TellsRequestsNotificationsAndResponsesApart) {
    EXPECT_TRUE(std::holds_alternative<mcp::Notification>(parsed(R"({"jsonrpc":"2.0","method":"x"})")));
    auto ok = std::get<mcp::Response>(parsed(R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})"));
    EXPECT_EQ(std::get<json::value>(ok.outcome).at("a").as_int64(), 1);
    auto failed =
        std::get<mcp::Response>(parsed(R"({"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no"}})"));
    EXPECT_EQ(std::get<mcp::RpcError>(failed.outcome).code, -5);
}

TEST(Message, SaysWhatIsWrongAndKeepsTheIdItCouldRead) {
    EXPECT_THAT(refused("[]").error.message, HasSubstr("JSON object"));
    EXPECT_THAT(refused(R"({"id":1,"method":"x"})").error.message, HasSubstr("jsonrpc"));
    EXPECT_EQ(refused(R"({"id":1,"method":"x"})").id, mcp::RequestId(1));
    EXPECT_FALSE(refused(R"({"jsonrpc":"2.0","id":null,"method":"x"})").id.has_value());
    EXPECT_FALSE(refused(R"({"jsonrpc":"2.0","id":1.5,"method":"x"})").id.has_value());
    EXPECT_THAT(refused(R"({"jsonrpc":"2.0","id":1,"method":5})").error.message, HasSubstr("method"));
    EXPECT_THAT(refused(R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})").error.message,
                HasSubstr("params"));
    EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1})").error.code, mcp::kInvalidRequest);
}

TEST(Message, WritesErrorsWithOrWithoutAnId) {
    EXPECT_EQ(mcp::make_error(std::nullopt, {.code = -32700, .message = "a\"b"}),
              R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a\"b"}})");
    EXPECT_EQ(
        mcp::make_error(mcp::RequestId("q"), {.code = 1, .message = "m", .data = json::object{{"x", 1}}}),
        R"({"jsonrpc":"2.0","id":"q","error":{"code":1,"message":"m","data":{"x":1}}})");
}

TEST(Version, CallsEveryRevisionFromTheStatelessOneOnModern) {
    EXPECT_TRUE(mcp::is_modern_version("2026-07-28"));
    EXPECT_TRUE(mcp::is_modern_version("2027-01-01"));
    EXPECT_FALSE(mcp::is_modern_version("2025-11-25"));
    EXPECT_FALSE(mcp::is_modern_version("v999.0.0"));
    EXPECT_TRUE(mcp::is_legacy_version("2024-11-05"));
    EXPECT_FALSE(mcp::is_legacy_version("2024-10-07"));
}
