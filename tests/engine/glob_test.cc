#include "engine/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using engine::Glob;
using testing::HasSubstr;

bool matches(std::string_view pattern, std::string_view text) {
    auto glob = Glob::create(pattern);
    EXPECT_TRUE(glob) << pattern;
    return glob && glob->matches(text);
}

TEST(Glob, MatchesTheWholeText) {
    EXPECT_TRUE(matches("http://a/b", "http://a/b"));
    EXPECT_FALSE(matches("http://a/b", "http://a/bc"));
    EXPECT_FALSE(matches("", "x"));
    EXPECT_TRUE(matches("a.c?d", "a.c?d"));
    EXPECT_FALSE(matches("a.c", "abc"));
}

TEST(Glob, AStarStaysWithinAPart) {
    EXPECT_TRUE(matches("http://a/*.png", "http://a/b.png"));
    EXPECT_TRUE(matches("http://a/*", "http://a/"));
    EXPECT_FALSE(matches("http://a/*", "http://a/b/c"));
}

TEST(Glob, TwoStarsGoAcrossParts) {
    EXPECT_TRUE(matches("**/api/users", "http://a/v1/api/users"));
    EXPECT_TRUE(matches("**/api/users", "http://a/api/users"));
    EXPECT_FALSE(matches("**/api/users", "http://a/xapi/users"));
    EXPECT_FALSE(matches("**/api/users", "http://a/api/users?x=1"));
    EXPECT_TRUE(matches("**/a/**/b", "http://h/a/b"));
    EXPECT_TRUE(matches("**/a/**/b", "http://h/a/x/y/b"));
    EXPECT_FALSE(matches("**/a/**/b", "http://h/a//b"));
    EXPECT_TRUE(matches("http://h/**", "http://h/a/b?c"));
    EXPECT_TRUE(matches("**", "anything/at all"));
    EXPECT_TRUE(matches("**b**", "a/b/c"));
}

TEST(Glob, BracesStandForEither) {
    EXPECT_TRUE(matches("**/*.{png,jpg}", "http://a/b.png"));
    EXPECT_TRUE(matches("**/*.{png,jpg}", "http://a/b.jpg"));
    EXPECT_FALSE(matches("**/*.{png,jpg}", "http://a/b.gif"));
    EXPECT_TRUE(matches("{a,b}{c,}", "b"));
    EXPECT_TRUE(matches("a,b", "a,b"));
}

TEST(Glob, ABackslashTakesTheNextAsItIs) {
    EXPECT_TRUE(matches("a\\*", "a*"));
    EXPECT_FALSE(matches("a\\*", "ab"));
    EXPECT_TRUE(matches("\\{a\\}", "{a}"));
}

TEST(Glob, SaysWhatIsNoPattern) {
    EXPECT_THAT(Glob::create("{a{b}").error().message,
                HasSubstr("Invalid glob pattern \"{a{b}\": nested '{' is not supported"));
    EXPECT_THAT(Glob::create("{a").error().message, HasSubstr("unmatched '{'"));
    EXPECT_THAT(Glob::create("a}").error().message, HasSubstr("unmatched '}'"));
    std::string many;
    for (int i = 0; i < 20; ++i) many += "{a,b}";
    EXPECT_THAT(Glob::create(many).error().message, HasSubstr("too many alternatives"));
}

TEST(Glob, TakesTimeInProportion) {
    std::string stars;
    for (int i = 0; i < 50; ++i) stars += "**a";
    EXPECT_FALSE(matches(stars + "b", std::string(10'000, 'a')));
}

}  // namespace
