// The small readers: INI lines, dotenv files, positions in JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/dotenv.h"
#include "config/ini.h"
#include "config/json_lines.h"

namespace config {
namespace {

using testing::HasSubstr;

std::string value_of(std::string_view line) {
    auto entries = parse_ini(line);
    return entries && entries->size() == 1 ? (*entries)[0].value : "not one entry";
}

TEST(Ini, CountsLinesAndPutsTheSectionInFront) {
    auto entries = parse_ini("# comment\n\na = 1\r\n[x.y]\r\n b= 2\n[]\nc =3").value();

    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].key, "a");
    EXPECT_EQ(entries[0].value, "1");
    EXPECT_EQ(entries[0].line, 3);
    EXPECT_EQ(entries[1].key, "x.y.b");
    EXPECT_EQ(entries[1].line, 5);
    EXPECT_EQ(entries[2].key, "c");
}

TEST(Ini, EndsAValueAtACommentOnlyBehindASpace) {
    EXPECT_EQ(value_of("a = b # c"), "b");
    EXPECT_EQ(value_of("a = b\t; c"), "b");
    EXPECT_EQ(value_of("a = http://x/#frag;1"), "http://x/#frag;1");
    EXPECT_EQ(value_of("a = # nothing"), "");
    EXPECT_EQ(value_of("a = b = c"), "b = c");
}

TEST(Ini, TakesQuotedValuesAsTheyAre) {
    EXPECT_EQ(value_of(R"(a = "b # c")"), "b # c");
    EXPECT_EQ(value_of(R"(a = "tab\tand \"quote\"" ; c)"), "tab\tand \"quote\"");
    EXPECT_EQ(value_of(R"(a = 'no\tescape')"), R"(no\tescape)");
    EXPECT_EQ(value_of(R"(a = "C:\windows\system32")"), R"(C:\windows\system32)");
    EXPECT_EQ(value_of("a = \"\""), "");
}

TEST(Ini, RefusesLinesThatSayNothing) {
    EXPECT_THAT(parse_ini("a = 1\njust words").error().message, HasSubstr("2: expected key = value."));
    EXPECT_THAT(parse_ini("= 1").error().message, HasSubstr("1: expected"));
    EXPECT_THAT(parse_ini("[open").error().message, HasSubstr("closing bracket"));
    EXPECT_THAT(parse_ini("a = \"open").error().message, HasSubstr("does not end"));
    EXPECT_THAT(parse_ini("a = 'b' c").error().message, HasSubstr("behind the closing quote"));
}

std::string dotenv(std::string_view text) { return json::serialize(parse_dotenv(text)); }

TEST(Dotenv, ReadsNamesAndValues) {
    EXPECT_EQ(dotenv("X-PASSWORD=password123"), R"({"X-PASSWORD":"password123"})");
    EXPECT_EQ(dotenv("# comment\n\nexport A = 1 # one\r\nB=\nnot a line\nC=x=y"),
              R"({"A":"1","B":"","C":"x=y"})");
    EXPECT_EQ(dotenv("A=1\nA=2"), R"({"A":"2"})");
}

TEST(Dotenv, KnowsQuotesThatMaySpanLines) {
    EXPECT_EQ(dotenv("A=\"a # b\\nc\" # d\nB='a\\nb'\nC=`it's`"),
              R"({"A":"a # b\nc","B":"a\\nb","C":"it's"})");
    EXPECT_EQ(dotenv("A=\"one\ntwo\"\nB=3"), R"({"A":"one\ntwo","B":"3"})");
    EXPECT_EQ(dotenv("A=\"open\nB=2"), R"({"A":"\"open","B":"2"})");
}

TEST(JsonLines, FindTheMemberAtAPath) {
    std::string_view text =
        "{\n \"a\": {\"x\": [1, {\"y\": \"}\\\"\"}],\n  \"y\": 2},\n \"b\": \"a.y\",\n \"c\": {}}";

    EXPECT_EQ(line_of_key(text, "a"), 2);
    EXPECT_EQ(line_of_key(text, "a.y"), 3);
    EXPECT_EQ(line_of_key(text, "b"), 4);
    EXPECT_EQ(line_of_key(text, "c"), 5);
    EXPECT_EQ(line_of_key(text, "c.nothing"), 0);
    EXPECT_EQ(line_of_key(text, "nothing"), 0);
    EXPECT_EQ(line_of_key("[]", "a"), 0);
}

}  // namespace
}  // namespace config
