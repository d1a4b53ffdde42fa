#include "schema/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using schema::Pattern;
using testing::HasSubstr;
using Outcome = Pattern::Outcome;

namespace {

bool matches(std::string_view pattern, std::string_view text) {
    std::int64_t steps = 1'000'000;
    return Pattern::create(pattern).value().search(text, steps) == Outcome::Match;
}

std::string refusal(std::string_view pattern) {
    auto made = Pattern::create(pattern);
    return made ? "" : made.error().message;
}

}  // namespace

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
    EXPECT_TRUE(matches("b", "abc"));
    EXPECT_TRUE(matches("", ""));
    EXPECT_TRUE(matches("^a", "abc"));
    EXPECT_FALSE(matches("^b", "abc"));
    EXPECT_TRUE(matches("c$", "abc"));
    EXPECT_FALSE(matches("b$", "abc"));
    EXPECT_FALSE(matches("^a$", "a\n"));
}

TEST(Pattern, Repeats) {
    EXPECT_TRUE(matches("^a*$", ""));
    EXPECT_TRUE(matches("^a+$", "aaa"));
    EXPECT_FALSE(matches("^a+$", ""));
    EXPECT_TRUE(matches("^colou?r$", "color"));
    EXPECT_TRUE(matches("^a{2}$", "aa"));
    EXPECT_FALSE(matches("^a{2}$", "aaa"));
    EXPECT_TRUE(matches("^a{2,}$", "aaaa"));
    EXPECT_FALSE(matches("^a{2,}$", "a"));
    EXPECT_TRUE(matches("^a{1,3}$", "aaa"));
    EXPECT_FALSE(matches("^a{1,3}$", "aaaa"));
    EXPECT_TRUE(matches("^a{0}$", ""));
    EXPECT_TRUE(matches("^(ab){2}c*?$", "abab"));
    EXPECT_TRUE(matches("^(a*)*b$", "aab"));
}

TEST(Pattern, ChoosesAndGroups) {
    EXPECT_TRUE(matches("^(cat|dog|)s$", "dogs"));
    EXPECT_TRUE(matches("^(cat|dog|)s$", "s"));
    EXPECT_FALSE(matches("^(?:cat|dog)s$", "cows"));
    EXPECT_TRUE(matches("^(?<year>\\d{4})-(?<month>\\d\\d)$", "2026-08"));
    EXPECT_TRUE(matches("a|^b$|c", "xcx"));
}

TEST(Pattern, KnowsClasses) {
    EXPECT_TRUE(matches("^[a-c_x-]+$", "ab-_x"));
    EXPECT_FALSE(matches("^[^a-c]$", "b"));
    EXPECT_TRUE(matches("^[^a-c]$", "é"));
    EXPECT_TRUE(matches("^[\\w.-]+@[\\w-]+\\.\\w{2,}$", "first.last@example.org"));
    EXPECT_TRUE(matches("^[\\]\\\\\\b]$", "]"));
    EXPECT_TRUE(matches("^\\d\\D\\w\\W\\s\\S$", "1a_- x"));
    EXPECT_FALSE(matches("^\\d$", "٣"));
    EXPECT_TRUE(matches("^\\s$", "\u00A0"));
    EXPECT_FALSE(matches("^[]$", "a"));
    EXPECT_TRUE(matches("^[^]$", "\n"));
    EXPECT_TRUE(matches("^.$", "x"));
    EXPECT_FALSE(matches("^.$", "\n"));
}

TEST(Pattern, CountsCodePointsNotBytes) {
    EXPECT_TRUE(matches("^.{2}$", "é😀"));
    EXPECT_TRUE(matches("^[😀-😂]$", "😁"));
    EXPECT_TRUE(matches("^\\u00e9$", "é"));
    EXPECT_TRUE(matches("^\\uD83D\\uDE00$", "😀"));
    EXPECT_TRUE(matches("^\\u{1F600}$", "😀"));
    EXPECT_TRUE(matches("^.$", "\xFF")) << "a stray byte is one character";
}

TEST(Pattern, KnowsEscapes) {
    EXPECT_TRUE(matches("^\\t\\n\\r\\f\\v\\x41\\cA\\.\\/\\-$", "\t\n\r\f\vA\x01./-"));
    EXPECT_TRUE(matches("\\bfoo\\b", "a foo!"));
    EXPECT_FALSE(matches("\\bfoo\\b", "food"));
    EXPECT_TRUE(matches("\\Boo", "foo"));
}

TEST(Pattern, TakesBracesThatCountNothingAsThemselves) {
    EXPECT_TRUE(matches("^{a}$", "{a}"));
    EXPECT_TRUE(matches("^a{,2}$", "a{,2}"));
    EXPECT_TRUE(matches("^x]$", "x]"));
}

TEST(Pattern, LooksAhead) {
    std::string password = "^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$";

    EXPECT_TRUE(matches(password, "Passw0rdX"));
    EXPECT_FALSE(matches(password, "password1"));
    EXPECT_FALSE(matches(password, "Pass w0rd"));
    EXPECT_TRUE(matches("^(?!(?=a)ab)a", "ac"));
    EXPECT_FALSE(matches("^(?!(?=a)ab)a", "ab"));
}

TEST(Pattern, RefusesWhatIsWrongOrNotSupported) {
    EXPECT_EQ(refusal("a("), "The pattern /a(/ cannot be used: unmatched (.");
    EXPECT_THAT(refusal("a)"), HasSubstr("unmatched )"));
    EXPECT_THAT(refusal("[a"), HasSubstr("unmatched ["));
    EXPECT_THAT(refusal("*a"), HasSubstr("nothing to repeat"));
    EXPECT_THAT(refusal("a**"), HasSubstr("nothing to repeat"));
    EXPECT_THAT(refusal("^*"), HasSubstr("nothing to repeat"));
    EXPECT_THAT(refusal("[z-a]"), HasSubstr("range out of order"));
    EXPECT_THAT(refusal("a{3,2}"), HasSubstr("out of order"));
    EXPECT_THAT(refusal("a\\"), HasSubstr("ends with a backslash"));
    EXPECT_THAT(refusal("\\a"), HasSubstr("unknown escape"));
    EXPECT_THAT(refusal("\\u12"), HasSubstr("hexadecimal"));
    EXPECT_THAT(refusal("(?<=a)b"), HasSubstr("lookbehind is not supported"));
    EXPECT_THAT(refusal("(a)\\1"), HasSubstr("backreferences are not supported"));
    EXPECT_THAT(refusal("\\p{L}"), HasSubstr("is not supported"));
    EXPECT_THAT(refusal("(?i)a"), HasSubstr("unknown kind of group"));
}

TEST(Pattern, RefusesWhatIsTooLarge) {
    EXPECT_THAT(refusal(std::string(5000, 'a')), HasSubstr("longer than 4096 bytes"));
    EXPECT_THAT(refusal("((a{100}){100}){100}"), HasSubstr("too large"));
    EXPECT_THAT(refusal("a{99999999999999999999}"), HasSubstr("too large"));
    EXPECT_THAT(refusal(std::string(1000, '(') + std::string(1000, ')')), HasSubstr("nested too deep"));
}

TEST(Pattern, TakesNoLongerForPatternsThatBacktrack) {
    std::string text(20'000, 'a');
    std::int64_t steps = 2'000'000;

    EXPECT_EQ(Pattern::create("^(a+)+$").value().search(text + "!", steps), Outcome::NoMatch);
    EXPECT_GT(steps, 1'000'000);
    EXPECT_EQ(Pattern::create("(a|aa)+$").value().search(text, steps), Outcome::Match);
}

TEST(Pattern, GivesUpOnWhatCostsTooMuch) {
    std::int64_t steps = 1000;
    EXPECT_EQ(Pattern::create("^(a|b)*$").value().search(std::string(5000, 'a'), steps), Outcome::TooCostly);

    steps = 1'000'000;
    EXPECT_EQ(Pattern::create("a").value().search(std::string(70'000, 'b'), steps), Outcome::TooCostly);
    EXPECT_EQ(Pattern::create("(?=(?=(?=.*x).*x).*x)y").value().search(std::string(3000, 'x'), steps),
              Outcome::TooCostly);
}
