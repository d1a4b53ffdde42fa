// Commands and the targets they were sent to: none stays unanswered when its target ends.
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/conditions.h"
#include "engine/cdp/connection.h"
#include "engine/cdp/fields.h"
#include "tests/fakes/wait.h"

using cdp::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// A browser made up by the test: it keeps what was sent, and says what the test wants.
class FakeTransport final : public cdp::Transport {
public:
    FakeTransport(std::deque<json::object>& sent, std::function<void(std::string_view)>& receive,
                  std::function<void(std::string)>& close)
        : sent_(sent), receive_(receive), close_(close) {}
    void start(std::function<void(std::string_view)> on_message,
               std::function<void(std::string)> on_closed) override {
        receive_ = std::move(on_message);
        close_ = std::move(on_closed);
    }
    void send(std::string message) override { sent_.push_back(json::parse(message)->as_object()); }
    void close() override {}

private:
    std::deque<json::object>& sent_;
    std::function<void(std::string_view)>& receive_;
    std::function<void(std::string)>& close_;
};

class CdpConnectionTest : public testing::Test {
protected:
    CdpConnectionTest()
        : connection(
              cdp::Connection::create(loop, std::make_unique<FakeTransport>(sent, receive, close), log)),
          page(connection->session("page")),
          other(connection->session("other")) {}

    void event(std::string_view session, std::string_view method, json::object params = {}) {
        json::object message{{"method", method}, {"params", std::move(params)}};
        if (!session.empty()) message["sessionId"] = session;
        receive(json::serialize(message));
    }
    void answer(const json::object& command) {
        receive(json::serialize(json::object{{"id", command.at("id")}, {"result", json::object{}}}));
    }
    // What becomes of commands, in the order they end.
    void begin(const std::shared_ptr<cdp::Session>& session, std::string method) {
        running.push_back(start(session->send(method), [this, method](Result<json::value> result) {
            ended.push_back(method + ": " + (result ? "answered" : result.error().message));
            if (!result) codes.push_back(result.error().code);
        }));
    }
    void settle() {
        loop.restart();
        loop.poll();
    }

    Loop loop;
    Log log = Log::silent();
    std::deque<json::object> sent;
    std::function<void(std::string_view)> receive;
    std::function<void(std::string)> close;
    std::shared_ptr<cdp::Connection> connection;
    std::shared_ptr<cdp::Session> page, other;
    std::vector<Running> running;
    std::vector<std::string> ended;
    std::vector<ErrorCode> codes;
};

TEST_F(CdpConnectionTest, FailsTheCommandsOfATargetThatCrashes) {
    begin(page, "Runtime.evaluate");
    begin(other, "Page.enable");

    event("page", "Inspector.targetCrashed");
    settle();

    EXPECT_THAT(ended, ElementsAre("Runtime.evaluate: Target crashed"));
    EXPECT_THAT(codes, ElementsAre(ErrorCode::BrowserCrashed));
    EXPECT_TRUE(page->is_crashed());
    EXPECT_FALSE(page->is_closed());
    answer(sent.back());
    settle();
    EXPECT_EQ(ended.back(), "Page.enable: answered");
}

TEST_F(CdpConnectionTest, SendsNothingMoreToATargetThatCrashed) {
    event("page", "Inspector.targetCrashed");
    begin(page, "Runtime.evaluate");
    settle();

    EXPECT_THAT(sent, IsEmpty());
    EXPECT_THAT(ended, ElementsAre("Runtime.evaluate: Target crashed"));
}

TEST_F(CdpConnectionTest, AnswersRelayedCommandsOfATargetThatCrashes) {
    std::vector<std::string> answers;
    auto note = [&](const json::object& message) {
        answers.push_back(text_of(message.at("error").as_object(), "message"));
    };
    page->relay("Runtime.evaluate", {}, note);

    event("page", "Inspector.targetCrashed");
    page->relay("Runtime.evaluate", {}, note);

    EXPECT_THAT(answers, ElementsAre("Target crashed", "Target crashed"));
}

TEST_F(CdpConnectionTest, SendsAgainOnceTheTargetWasReloaded) {
    event("page", "Inspector.targetCrashed");
    event("page", "Inspector.targetReloadedAfterCrash");
    begin(page, "Runtime.evaluate");

    ASSERT_EQ(sent.size(), 1u);
    answer(sent.back());
    settle();
    EXPECT_THAT(ended, ElementsAre("Runtime.evaluate: answered"));
}

TEST_F(CdpConnectionTest, TellsOfTheCrashWhenItsCommandsHaveFailed) {
    bool told = false;
    auto watch = page->on("Inspector.targetCrashed", [&](const json::object&) {
        told = true;
        EXPECT_TRUE(page->is_crashed());
    });
    event("page", "Inspector.targetCrashed");
    EXPECT_TRUE(told);
}

TEST_F(CdpConnectionTest, FailsTheCommandsOfATargetThatIsDetached) {
    begin(page, "Runtime.evaluate");
    event("page", "Inspector.targetCrashed");
    begin(other, "Page.enable");
    event("", "Target.detachedFromTarget", {{"sessionId", "page"}});
    event("", "Target.detachedFromTarget", {{"sessionId", "other"}});
    settle();
    begin(page, "Page.enable");
    settle();

    EXPECT_THAT(ended, ElementsAre("Runtime.evaluate: Target crashed",
                                   "Page.enable: Target page, context or browser has been closed",
                                   "Page.enable: Target page, context or browser has been closed"));
    EXPECT_TRUE(page->is_closed());
}

TEST_F(CdpConnectionTest, FailsEverythingWithTheBrowser) {
    begin(page, "Runtime.evaluate");
    begin(connection->browser(), "Browser.getVersion");
    close("ended");
    settle();

    EXPECT_EQ(ended.size(), 2u);
    EXPECT_THAT(codes, ElementsAre(ErrorCode::BrowserCrashed, ErrorCode::BrowserCrashed));
}

TEST(CdpConditions, FailForThoseWhoComeLaterToo) {
    Loop loop;
    cdp::Conditions conditions(loop);
    conditions.fail({.code = ErrorCode::BrowserCrashed, .message = "Page crashed"});

    auto waited = fakes::run_task(loop, conditions.wait_until([] { return false; }));
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().message, "Page crashed");
    EXPECT_TRUE(fakes::run_task(loop, conditions.wait_until([] { return true; })));
}

}  // namespace
