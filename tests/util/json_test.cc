#include "util/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;

TEST(Json, NamesLineAndColumnOfASyntaxError) {
    auto parsed = json::parse("{\n  \"a\": nope\n}");

    ASSERT_FALSE(parsed.has_value());
    EXPECT_THAT(parsed.error().message, HasSubstr("line 2"));
}

TEST(Json, RefusesWhatIsNestedTooDeep) {
    std::string deep(200, '[');
    deep.append(200, ']');

    EXPECT_FALSE(json::parse(deep).has_value());
    EXPECT_TRUE(json::parse("[[[[]]]]").has_value());
}

TEST(Json, RefusesTextBehindTheValue) { EXPECT_FALSE(json::parse("{} {}").has_value()); }

TEST(Json, ReadsHalfASurrogatePairAsAReplacementCharacter) {
    // Alone, before a character, before an escape, before another half, the second half only, twice, as a
    // key.
    auto parsed = json::parse(
        R"({"\ud83d":["\ud83d","\uD83Dx","\ud83d\n","\ud83d\u0041","\ude00","\ud83d\ud83d\ude00","\\ud83d"]})");

    ASSERT_TRUE(parsed) << parsed.error().to_string();
    EXPECT_EQ(json::serialize(*parsed),
              "{\"\xEF\xBF\xBD\":[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBDx\",\"\xEF\xBF\xBD\\n\",\"\xEF\xBF\xBD"
              "A\",\"\xEF\xBF\xBD\",\"\xEF\xBF\xBD\xF0\x9F\x98\x80\",\"\\\\ud83d\"]}");
}

TEST(Json, StillRefusesWhatIsWrongBesideASurrogate) {
    EXPECT_FALSE(json::parse(R"(["\ud83d", nope])"));
    EXPECT_FALSE(json::parse(R"(["\ud83)"));
    EXPECT_FALSE(json::parse(R"(["\ud83d)"));
}

TEST(Json, PrintsNumbersAsJavaScriptDoes) {
    EXPECT_EQ(json::serialize(json::parse("[1.0, 2.5, -0.25, 1e3, 0.0001, 1e-7, 1e21, -0.0]").value()),
              "[1,2.5,-0.25,1000,0.0001,1e-7,1e+21,0]");
}

TEST(Json, ReplacesInvalidUtf8) {
    std::string out;
    json::append_string(out, "a\xFF\"\n\x01é");

    EXPECT_EQ(out, "\"a\xEF\xBF\xBD\\\"\\n\\u0001é\"");
}

TEST(Json, PrettyPrintsAsJavaScriptDoes) {
    EXPECT_EQ(json::pretty(json::parse(R"({"a":[1,{}],"b":[]})").value()),
              "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
}

TEST(Json, WalksPathsWithoutThrowing) {
    json::value config = json::parse(R"({"server":{"port":3.0}})").value();

    EXPECT_EQ(json::as_integer(*json::find_path(config, {"server", "port"})), 3);
    EXPECT_EQ(json::find_path(config, {"server", "port", "deeper"}), nullptr);
}

TEST(Json, CountsUnsignedNumbersAsIntegers) { EXPECT_EQ(json::as_integer(json::value(std::uint64_t{7})), 7); }
