#include "store/time_text.h"

#include <gtest/gtest.h>

namespace {

using store::parse_time;
using store::Time;
using store::to_text;

constexpr Time kNoon = std::chrono::sys_days(std::chrono::year(2026) / 7 / 28) + std::chrono::hours(12);

TEST(TimeText, IsWrittenAndReadBack) {
    Time moment = kNoon + std::chrono::milliseconds(3'045);
    EXPECT_EQ(to_text(moment), "2026-07-28T12:00:03.045Z");
    EXPECT_EQ(parse_time(to_text(moment), kNoon), moment);
    EXPECT_EQ(parse_time("2026-07-28T12:00Z", {}), kNoon);
    EXPECT_EQ(parse_time("2026-07-28 12:00:00.5", {}), kNoon + std::chrono::milliseconds(500));
    EXPECT_EQ(parse_time("2026-07-28", {}), kNoon - std::chrono::hours(12));
    EXPECT_EQ(parse_time("1000", {}), Time(std::chrono::milliseconds(1000)));
}

TEST(TimeText, CountsBackFromNow) {
    EXPECT_EQ(parse_time("90s", kNoon), kNoon - std::chrono::seconds(90));
    EXPECT_EQ(parse_time("2h", kNoon), kNoon - std::chrono::hours(2));
    EXPECT_EQ(parse_time("7d", kNoon), kNoon - std::chrono::days(7));
}

TEST(TimeText, RefusesWhatIsNoMoment) {
    for (const char* text : {"", "yesterday", "-5m", "5 minutes", "2026-13-01", "2026-02-30",
                             "2026-07-28T25:00", "2026-07-28T12:00:00Zulu", "99999999999h"})
        EXPECT_FALSE(parse_time(text, kNoon)) << text;
}

}  // namespace
