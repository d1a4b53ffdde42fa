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
    // Two changes make any other word of a very short one.
    EXPECT_EQ(nearest_name("cdp", {"caps"}), "");
    EXPECT_EQ(nearest_name("cap", {"caps"}), "caps");
    EXPECT_EQ(nearest_name("ulr", {"url"}), "url");
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

TEST(PercentEncoding, MakesAnyTextOnePartOfAPath) {
    EXPECT_EQ(percent_encode("a-Z_0.~"), "a-Z_0.~");
    EXPECT_EQ(percent_encode("a/b c%\xC3\xA4"), "a%2Fb%20c%25%C3%A4");
    EXPECT_EQ(percent_decode("a%2Fb%20c%25%c3%A4"), "a/b c%\xC3\xA4");
    EXPECT_EQ(percent_decode("100%, %4, %zz"), "100%, %4, %zz");
}

TEST(Utf8, ReplacesWhatIsNoCharacter) {
    EXPECT_EQ(well_formed("a\xC3\xA4"), "a\xC3\xA4");
    EXPECT_EQ(well_formed("a\xED\xA0\x80z\xFF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}
