#include "util/strings.h"

#include <gtest/gtest.h>

TEST(Glob, MatchesStarsAndQuestionMarks) {
    EXPECT_TRUE(matches_glob("a.example.com", "*.example.com"));
    EXPECT_TRUE(matches_glob("page-1.yml", "page-?.yml"));
    EXPECT_FALSE(matches_glob("example.org", "*.example.com"));
    EXPECT_TRUE(matches_glob("aaaaaaaaaaaaaaaaaaaaaaaab", "*a*a*a*a*b"));
}

TEST(NearestName, OffersWhatAPersonMeant) {
    EXPECT_EQ(nearest_name("headles", {"host", "headless", "port"}), "headless");
    EXPECT_EQ(nearest_name("zzzzzz", {"host", "headless", "port"}), "");
}

TEST(Base64, RoundTripsEveryLength) {
    std::string bytes;
    for (int length = 0; length < 40; ++length) {
        EXPECT_EQ(base64_decode(base64_encode(bytes)).value(), bytes);
        bytes += static_cast<char>(length * 37);
    }
}

TEST(Base64, RefusesWhatIsNoBase64) {
    EXPECT_FALSE(base64_decode("a").has_value());
    EXPECT_FALSE(base64_decode("ab!d").has_value());
    EXPECT_EQ(base64_decode("-_-_").value(), base64_decode("+/+/").value());
}

TEST(Utf8, KnowsOverlongSurrogateAndTruncatedForms) {
    EXPECT_TRUE(is_valid_utf8("aé€😀"));
    EXPECT_FALSE(is_valid_utf8("\xC0\xAF"));
    EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80"));
    EXPECT_FALSE(is_valid_utf8("\xF0\x9F\x98"));
    EXPECT_FALSE(is_valid_utf8("\xF5\x80\x80\x80"));
}
