// What a call waits for, as the watchdog learns it.
#include "session/call_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using session::CallProgress;

// The latest that a call told.
struct Reported {
    std::string what;
    Deadline limit = Deadline::never();

    std::shared_ptr<CallProgress> follow() {
        return std::make_shared<CallProgress>([this](const std::string& next, Deadline until) {
            what = next;
            limit = until;
        });
    }
    // Whether its limit is this far away, give or take what a busy machine takes.
    bool is_in(std::chrono::milliseconds span) const {
        auto left = limit.remaining();
        return left <= span && left > span - 5s;
    }
};

class CallProgressTest : public testing::Test {
protected:
    CallProgressTest() {
        tab = fakes::run_task(browser.loop, browser.session->ensure_tab()).value();
        turn.emplace(fakes::run_task(browser.loop, browser.session->take_turn(Deadline::in(10min))));
        browser.session->follow(reported.follow());
        browser.session->progress()->begin_tool();
    }

    Reported reported;
    fakes::FakeBrowser browser{{.action_timeout = 20s, .navigation_timeout = 60s}};
    std::shared_ptr<session::Tab> tab;
    std::optional<Result<session::Turn>> turn;
};

TEST_F(CallProgressTest, GivesATool15SecondsOfItsOwn) {
    EXPECT_EQ(reported.what, "its tool");
    EXPECT_TRUE(reported.is_in(15s));
}

TEST_F(CallProgressTest, GoesByTheLatestDeadlineThatTheCallWasGiven) {
    (void)tab->navigation_deadline();
    EXPECT_EQ(reported.what, "a navigation");
    EXPECT_TRUE(reported.is_in(60s));
    // A shorter wait beside it does not end it.
    (void)tab->action_deadline();
    EXPECT_EQ(reported.what, "an action");
    EXPECT_TRUE(reported.is_in(60s));
}

TEST_F(CallProgressTest, GivesAWaitWithoutALimitTheWholeTimeOfTheCall) {
    (void)tab->deadline_in(0ms, "as long as it takes");
    EXPECT_TRUE(reported.is_in(10min));
}

TEST_F(CallProgressTest, BeginsAnewWithEachStage) {
    (void)tab->deadline();
    EXPECT_TRUE(reported.is_in(10min));
    browser.session->progress()->begin("a browser context", Deadline::in(30s));
    EXPECT_EQ(reported.what, "a browser context");
    EXPECT_TRUE(reported.is_in(30s));
}

TEST_F(CallProgressTest, KnowsThatAnActionSettles) {
    auto acted = fakes::run_task(browser.loop, tab->perform(sleep_for(browser.loop, 0ms)));
    ASSERT_TRUE(acted);
    EXPECT_EQ(reported.what, "the page to settle");
    EXPECT_TRUE(reported.is_in(engine::Page::kMaxSettling));
}

TEST_F(CallProgressTest, IsTheOneOfTheCallThatHasTheTab) {
    Reported own;
    tab->begin_call(Deadline::in(2min));
    auto progress = own.follow();
    progress->begin_tool();
    tab->follow(progress);
    (void)tab->deadline();
    EXPECT_TRUE(own.is_in(2min));
    EXPECT_EQ(reported.what, "its tool");
    tab->end_call();
    (void)tab->navigation_deadline();
    EXPECT_EQ(reported.what, "a navigation");
}

}  // namespace
