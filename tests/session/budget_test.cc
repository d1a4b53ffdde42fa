// What a session may use, and what happens when it uses more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/page_watch.h"
#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"

namespace {

using namespace std::chrono_literals;
using session::Budget;
using testing::HasSubstr;

session::SessionOptions with(Budget budget) {
    session::SessionOptions options;
    options.budget = budget;
    return options;
}

TEST(Budget, LimitsTabs) {
    fakes::FakeBrowser browser(with({.tabs = 2}));
    ASSERT_TRUE(fakes::run_task(browser.loop, browser.session->ensure_tab()));
    ASSERT_TRUE(fakes::run_task(browser.loop, browser.session->new_tab()));

    auto third = fakes::run_task(browser.loop, browser.session->new_tab());

    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(third.error().message, AllOf(HasSubstr("2 tabs"), HasSubstr("session.maxTabs")));
    EXPECT_EQ(browser.session->tabs().size(), 2u);
}

TEST(Budget, ClosesWhatAPageOpensBeyondIt) {
    fakes::FakeBrowser browser(with({.tabs = 1}));
    auto tab = fakes::run_task(browser.loop, browser.session->ensure_tab()).value();

    auto popup = browser.context().open_page(tab->page().id());
    fakes::run_until(browser.loop, [&] { return popup->is_closed(); });

    EXPECT_EQ(browser.session->tabs().size(), 1u);
    ASSERT_FALSE(tab->page().console().empty());
    EXPECT_THAT(tab->page().console().back().stack, HasSubstr("as many as it may"));
    EXPECT_THAT(browser.session->take_notes(),
                testing::ElementsAre(HasSubstr("1 tab that pages opened was closed")));
}

TEST(Budget, ShortensTheTimeOfACall) {
    fakes::FakeBrowser browser(with({.call_time = 50ms}));
    auto turn = fakes::run_task(browser.loop, browser.session->take_turn(Deadline::in(10min)));
    ASSERT_TRUE(turn);
    EXPECT_LE(browser.session->deadline().remaining(), 50ms);
}

TEST(Budget, FindsNothingInAPageThatCannotBeLookedInto) {
    fakes::FakeBrowser browser(with({.heap = 1 << 20, .script_time = 1ms}));
    ASSERT_TRUE(fakes::run_task(browser.loop, browser.session->ensure_tab()));
    session::PageWatch watch(browser.session);
    ASSERT_TRUE(
        fakes::run_task(browser.loop, watch.look_again(Deadline::in(session::PageWatch::kLookLimit))));
    EXPECT_FALSE(watch.found());
}

}  // namespace
