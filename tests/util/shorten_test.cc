#include "util/shorten.h"

#include <gtest/gtest.h>

namespace {

TEST(Shorten, LeavesWhatIsShortEnough) {
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("", 0), "");
}

TEST(Shorten, SaysHowMuchThereIsMore) { EXPECT_EQ(shortened("abcdef", 4), "abcd... (2 more bytes)"); }

TEST(Shorten, NeverCutsACharacterInTwo) {
    EXPECT_EQ(beginning("a\xC3\xA4", 2), "a");
    EXPECT_EQ(beginning("\xF0\x9F\x98\x80z", 3), "");
    EXPECT_EQ(beginning("\xF0\x9F\x98\x80z", 4), "\xF0\x9F\x98\x80");
}

}  // namespace
