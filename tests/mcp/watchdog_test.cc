#include "mcp/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/protocol.h"

namespace {

using namespace std::chrono_literals;
using mcp::Watchdog;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kModernMeta =
    R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

// A record that never finishes a call.
class StuckMiddleware final : public mcp::CallMiddleware {
public:
    explicit StuckMiddleware(Loop& loop) : loop_(loop) {}

    class Recorded final : public mcp::RecordedCall {
    public:
        Recorded(Loop& loop, json::value arguments) : never_(loop), arguments_(std::move(arguments)) {}
        const std::string& ref_id() const override { return ref_; }
        const json::value& arguments() const override { return arguments_; }
        Task<std::string> finish(tools::ToolResult, Render) override {
            co_await never_;
            co_return "";
        }
        void give_up(std::string) override {}

    private:
        Completion<int> never_;
        std::string ref_ = "r1";
        json::value arguments_;
    };

    std::unique_ptr<mcp::RecordedCall> begin(const mcp::CallInfo& call) override {
        return std::make_unique<Recorded>(loop_, call.arguments);
    }

private:
    Loop& loop_;
};

Task<tools::PromptResult> render_never(Completion<int> never) {
    co_await never;
    co_return tools::PromptResult{};
}

class WatchdogTest : public testing::Test {
protected:
    WatchdogTest() { protocol.expected_overdue = 1; }

    static mcp::ServerOptions options(std::vector<std::string>& reported) {
        return {.version = "1.2.3", .call_timeout = 10min, .on_call_overdue = [&](const std::string& call) {
                    reported.push_back(call);
                }};
    }
    void send(std::string_view text) {
        connection.receive_text(text, sink);
        protocol.settle();
    }
    // As if so much time had passed.
    void pass(std::chrono::milliseconds span) {
        protocol.server.watchdog().check(Watchdog::Clock::now() + span);
        protocol.settle();
    }
    std::string error_text() const { return std::string(sink->last().at("error").at("message").as_string()); }

    std::vector<std::string> reported;
    fakes::Protocol protocol{options(reported)};
    std::shared_ptr<fakes::RecordingSink> sink = std::make_shared<fakes::RecordingSink>();
    fakes::RecordingSink peer;
    mcp::Connection connection{protocol.server, peer, tools::Caller{.session_name = "ann"}};
};

TEST_F(WatchdogTest, AnswersACallThatNobodyAnsweredAfterItsDeadline) {
    for (std::string_view meta : {std::string_view(), kModernMeta}) {
        int before = sink->responses;
        send(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait")" + std::string(meta) +
             "}}");
        pass(10min + 4s);
        EXPECT_EQ(sink->responses, before);
        pass(10min + 5s);
        ASSERT_EQ(sink->responses, before + 1);
        EXPECT_EQ(sink->last().at("error").at("code").as_int64(), mcp::kInternalError);
        EXPECT_THAT(error_text(), AllOf(HasSubstr("Tool \"wait\""), HasSubstr("its tool")));
        EXPECT_EQ(connection.in_flight(), 0u);
    }
    protocol.expected_overdue = 2;
    // What they held is free again.
    EXPECT_EQ(protocol.waiting.cleaned_up, 2);
    EXPECT_EQ(reported.size(), 2u);
    EXPECT_THAT(reported[0], AllOf(HasSubstr("wait"), HasSubstr("\"ann\""), HasSubstr("its tool")));
    EXPECT_THAT(protocol.metrics.render(), HasSubstr("troupe_calls_overdue_total 2"));
}

TEST_F(WatchdogTest, SaysWhatTheCallWasWaitingForAndGoesByTheEarlierLimit) {
    Completion<int> never(protocol.loop);
    protocol.add("stuck", [&](tools::Call call) {
        call.client.enter({.what = "a context", .limit = Deadline::in(30s), .session = "bob"});
        return fakes::say_nothing_until(never);
    });
    send(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stuck"}})");
    pass(34s);
    EXPECT_EQ(sink->responses, 0);
    pass(36s);
    EXPECT_EQ(sink->responses, 1);
    EXPECT_THAT(reported, ElementsAre(AllOf(HasSubstr("\"bob\""), HasSubstr("a context"))));
}

TEST_F(WatchdogTest, WatchesEveryMethodThatWaits) {
    Completion<int> never(protocol.loop);
    protocol.registry.add(tools::Prompt{
        .name = "stuck",
        .render = [&](const tools::PromptArguments&, tools::Client&) { return render_never(never); }});
    send(R"({"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"stuck"}})");
    pass(10min + 6s);
    EXPECT_EQ(sink->responses, 1);
    EXPECT_THAT(reported, ElementsAre(HasSubstr("prompts/get")));
}

TEST_F(WatchdogTest, LetsASubscriptionLast) {
    protocol.expected_overdue = 0;
    send(R"({"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{})" +
         std::string(kModernMeta) + "}}");
    pass(24h);
    EXPECT_EQ(sink->responses, 0);
    EXPECT_EQ(connection.in_flight(), 1u);
    EXPECT_THAT(reported, IsEmpty());
}

TEST(Watchdog, AnswersACallWhoseRecordIsStuck) {
    Loop middleware_loop;
    StuckMiddleware middleware(middleware_loop);
    fakes::Protocol protocol({.middleware = &middleware});
    protocol.expected_overdue = 1;
    auto sink = std::make_shared<fakes::RecordingSink>();
    fakes::RecordingSink peer;
    mcp::Connection connection(protocol.server, peer, tools::Caller{});
    connection.receive_text(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}})",
        sink);
    protocol.settle();
    EXPECT_EQ(sink->responses, 0);
    protocol.server.watchdog().check(Watchdog::Clock::now() + 10min + 6s);
    protocol.settle();
    EXPECT_EQ(sink->responses, 1);
    EXPECT_THAT(std::string(sink->last().at("error").at("message").as_string()), HasSubstr("the record"));
}

}  // namespace
