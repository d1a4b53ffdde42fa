#include "mcp/request_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"

namespace {

using testing::HasSubstr;
using testing::Not;

// Knows one secret.
class HidingMiddleware final : public mcp::CallMiddleware {
public:
    std::unique_ptr<mcp::RecordedCall> begin(const mcp::CallInfo&) override { return nullptr; }
    std::string redacted(std::string text) const override {
        constexpr std::string_view kSecret = "48151623";
        for (std::size_t at = text.find(kSecret); at != text.npos; at = text.find(kSecret))
            text.replace(at, kSecret.size(), "<PIN>");
        return text;
    }
};

// What other servers, tools and rules say during a call goes to the client, and some of it to its model.
TEST(RequestContext, SendsNoSecretBeforeTheAnswer) {
    HidingMiddleware middleware;
    auto sink = std::make_shared<fakes::RecordingSink>();
    auto client = std::make_shared<mcp::ClientState>();
    client->capabilities = json::parse(R"({"elicitation":{},"sampling":{}})").value().as_object();
    client->log_level = tools::MessageLevel::Debug;
    std::vector<json::object> asked;
    mcp::RequestContext context(
        mcp::Request{std::int64_t{1}, "tools/call",
                     json::parse(R"({"_meta":{"progressToken":"p"}})").value().as_object()},
        client, sink, [&](std::string, json::object params, mcp::ResponseSink&) -> Task<json::value> {
            asked.push_back(std::move(params));
            co_return json::object{{"action", "accept"}};
        });
    context.redact_with(&middleware);

    context.report_progress(1, std::nullopt, "at 48151623");
    context.log(tools::MessageLevel::Error, "of 48151623",
                json::parse(R"({"text":["a 48151623"],"number":48151623})").value());
    ASSERT_EQ(sink->messages.size(), 2u);
    for (const json::value& each : sink->messages) {
        EXPECT_THAT(json::serialize(each), Not(HasSubstr("48151623")));
        EXPECT_THAT(json::serialize(each), HasSubstr("<PIN>"));
    }

    std::vector<tools::InputRequest> requests;
    requests.push_back(
        {.key = "a",
         .method = "elicitation/create",
         .params = json::parse(R"({"message":"48151623?","requestedSchema":{"maximum":48151623}})")
                       .value()
                       .as_object()});
    requests.push_back(
        {.key = "b",
         .method = "sampling/createMessage",
         .params = json::parse(R"({"messages":[{"content":{"type":"text","text":"48151623"}}]})")
                       .value()
                       .as_object()});
    Loop loop;
    Running asking = start(context.ask(std::move(requests)), [](auto) {});
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_EQ(json::serialize(asked[0]), R"({"message":"<PIN>?","requestedSchema":{"maximum":48151623}})");
    EXPECT_THAT(json::serialize(asked[1]), HasSubstr("<PIN>"));
}

}  // namespace
