#include "upstream/restart_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using upstream::RestartBudget;

constexpr RestartBudget::Time kStart{1h};

TEST(RestartBudget, LetsTheFirstStartHappenAtOnce) {
    RestartBudget budget({});
    EXPECT_EQ(*budget.next_start(kStart), kStart);
}

TEST(RestartBudget, PausesLongerAfterEveryEnd) {
    RestartBudget budget({});
    budget.note_end(kStart);
    EXPECT_EQ(*budget.next_start(kStart), kStart + 1s);
    EXPECT_EQ(*budget.next_start(kStart + 10s), kStart + 10s);  // the pause is over already
    budget.note_end(kStart + 10s);
    EXPECT_EQ(*budget.next_start(kStart + 10s), kStart + 12s);
    budget.note_end(kStart + 20s);
    EXPECT_EQ(*budget.next_start(kStart + 20s), kStart + 24s);
}

TEST(RestartBudget, GivesUpAfterThreeRestartsUntilTheWindowHasMovedOn) {
    RestartBudget budget({});
    for (auto at : {0s, 10s, 20s, 30s}) budget.note_end(kStart + at);

    auto refused = budget.next_start(kStart + 60s);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::ResourceExhausted);
    EXPECT_THAT(refused.error().message, HasSubstr("degraded: it ended 4 times"));
    EXPECT_THAT(refused.error().hint, HasSubstr("in 240 seconds"));
    EXPECT_EQ(budget.closed_until(kStart + 1min), kStart + 5min);
    EXPECT_EQ(*budget.next_start(kStart + 5min), kStart + 5min);
    EXPECT_EQ(budget.closed_until(kStart + 5min), std::nullopt);
}

TEST(RestartBudget, ForgetsWhatIsLongAgo) {
    RestartBudget budget({});
    budget.note_end(kStart);
    budget.note_end(kStart + 1s);
    budget.note_end(kStart + 10min);
    EXPECT_EQ(*budget.next_start(kStart + 10min), kStart + 10min + 1s);
}

}  // namespace
