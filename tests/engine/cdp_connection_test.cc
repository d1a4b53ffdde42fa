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
    explicit CdpConnectionTest(cdp::SilenceLimits limits = {})
        : connection(cdp::Connection::create(loop, std::make_unique<FakeTransport>(sent, receive, close), log,
                                             limits)),
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
    bool notified = false;
    auto watch = page->on("Inspector.targetCrashed", [&](const json::object&) {
        notified = true;
        EXPECT_TRUE(page->is_crashed());
    });
    event("page", "Inspector.targetCrashed");
    EXPECT_TRUE(notified);
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

TEST_F(CdpConnectionTest, ReadsLongMessagesAsideAndKeepsTheirOrder) {
    std::vector<std::string> seen;
    auto watch = page->on("Page.said", [&](const json::object& params) {
        seen.push_back(text_of(params, "text").substr(0, 1));
    });
    event("page", "Page.said", {{"text", "1"}});
    event("page", "Page.said", {{"text", "2" + std::string(1 << 19, 'x')}});
    event("page", "Page.said", {{"text", "3"}});
    event("page", "Page.said", {{"text", "4" + std::string(1 << 19, 'x')}});
    event("page", "Page.said", {{"text", "5"}});

    EXPECT_THAT(seen, ElementsAre("1"));
    fakes::run_until(loop, [&] { return seen.size() == 5; });
    EXPECT_THAT(seen, ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(CdpConnectionTest, CutsLongTextsOfEventsAndNoneOfAnswers) {
    constexpr std::size_t kLong = 3 << 20;
    std::string said;
    auto watch = page->on("Page.said", [&](const json::object& params) {
        said = text_of(params.at("inner").as_array()[0].as_object(), "text");
    });
    json::object inner{{"text", std::string(kLong, 'x')}};
    event("page", "Page.said", {{"inner", json::array{std::move(inner)}}});
    fakes::run_until(loop, [&] { return !said.empty(); });
    EXPECT_LT(said.size(), 2u << 20);
    EXPECT_THAT(said, testing::EndsWith(" more bytes)"));

    std::size_t answered = 0;
    Running asking = start(page->send("Page.ask"), [&](Result<json::value> result) {
        answered = text_of(result->as_object(), "text").size();
    });
    json::object result{{"text", std::string(kLong, 'x')}};
    receive(json::serialize(json::object{{"id", sent.back().at("id")}, {"result", std::move(result)}}));
    fakes::run_until(loop, [&] { return answered > 0; });
    EXPECT_EQ(answered, kLong);
}

TEST_F(CdpConnectionTest, EndsWhileALongMessageIsRead) {
    begin(page, "Page.ask");
    event("page", "Page.said", {{"text", std::string(1 << 20, 'x')}});
    close("gone");
    settle();
    EXPECT_THAT(ended, ElementsAre(testing::HasSubstr("closed")));
    connection.reset();
    settle();
}

// A browser is asked for a sign of life soon, and lost a moment later.
class SilentBrowserTest : public CdpConnectionTest {
protected:
    SilentBrowserTest()
        : CdpConnectionTest({.before_asking = std::chrono::milliseconds(20),
                             .after_asking = std::chrono::milliseconds(60)}) {}

    // From now on it counts as running.
    void answer_first() {
        begin(page, "Page.enable");
        answer(sent.back());
        settle();
    }
    std::size_t questions() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            sent, [](const json::object& each) { return text_of(each, "method") == "Browser.getVersion"; }));
    }
};

TEST_F(SilentBrowserTest, LosesABrowserThatAnswersNothingAnyMore) {
    answer_first();
    std::string reason;
    connection->on_lost([&](const std::string& why) { reason = why; });
    begin(page, "Runtime.evaluate");

    fakes::run_until(loop, [&] { return ended.size() == 2; });

    EXPECT_EQ(ended.back(),
              "Runtime.evaluate: Target page, context or browser has been closed: the browser did not answer "
              "any more");
    EXPECT_EQ(codes.back(), ErrorCode::BrowserCrashed);
    EXPECT_EQ(questions(), 1u);
    EXPECT_EQ(text_of(sent.back(), "sessionId"), "");
    EXPECT_TRUE(connection->is_unresponsive());
    EXPECT_TRUE(connection->is_closed());
    EXPECT_TRUE(page->is_closed());
    EXPECT_EQ(reason, "it did not answer any more");
}

TEST_F(SilentBrowserTest, KeepsABrowserWhoseMainProcessAnswersForASilentPage) {
    answer_first();
    begin(page, "Runtime.evaluate");
    for (std::size_t asked = 1; asked <= 8; ++asked) {
        fakes::run_until(loop, [&] { return questions() == asked; });
        answer(sent.back());
    }
    EXPECT_FALSE(connection->is_closed());
    EXPECT_EQ(ended.size(), 1u);
}

TEST_F(SilentBrowserTest, NeedsNoTimerWhileNothingIsPending) {
    answer_first();
    begin(page, "Page.enable");
    answer(sent.back());
    loop.restart();
    loop.run();  // ends only when no timer is left
    EXPECT_EQ(questions(), 0u);
    EXPECT_FALSE(connection->is_closed());
}

TEST_F(SilentBrowserTest, GivesABrowserTimeToStart) {
    begin(page, "Browser.start");
    loop.restart();
    loop.run();
    EXPECT_EQ(sent.size(), 1u);
    EXPECT_FALSE(connection->is_closed());
}

TEST_F(CdpConnectionTest, CountsATargetAsCrashedThatDoesNotEnd) {
    bool notified = false;
    auto watch = page->on("Inspector.targetCrashed", [&](const json::object&) { notified = true; });
    begin(page, "Page.crash");

    connection->count_as_crashed("page");
    settle();

    EXPECT_TRUE(notified);
    EXPECT_TRUE(page->is_crashed());
    EXPECT_THAT(ended, ElementsAre("Page.crash: Target crashed"));
}

}  // namespace
