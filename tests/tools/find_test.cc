#include "tests/tools/support.h"
#include "tools/regex.h"
#include "tools/snippets.h"

namespace {

using testing::HasSubstr;

class BrowserFind : public fakes::ToolTest {
protected:
    BrowserFind() {
        call("browser_snapshot");
        page().tree =
            "- main [ref=e2]:\n"
            "  - group \"Toolbar\" [ref=e3]:\n"
            "    - button \"One\" [ref=e4]\n"
            "    - button \"Two\" [ref=e5]\n"
            "    - button \"Three\" [ref=e6]\n"
            "    - button \"Four\" [ref=e7]\n"
            "  - group \"Content\" [ref=e8]:\n"
            "    - button \"Target Button\" [ref=e9]";
    }
};

TEST_F(BrowserFind, ShowsAMatchUnderItsAncestorsWithSomeContext) {
    EXPECT_EQ(call("browser_find", R"({"text": "target button"})").text,
              "### Result\nFound 1 match for \"target button\":\n\n"
              "- main [ref=e2]:\n"
              "  - group \"Toolbar\" [ref=e3]:\n"
              "    ...\n"
              "    - button \"Three\" [ref=e6]\n"
              "    - button \"Four\" [ref=e7]\n"
              "  - group \"Content\" [ref=e8]:\n"
              "    - button \"Target Button\" [ref=e9]");
}

TEST_F(BrowserFind, FindsByExpression) {
    EXPECT_THAT(call("browser_find", R"({"regex": "One|Four"})").text,
                HasSubstr("Found 2 matches for /One|Four/:\n\n- main"));
    EXPECT_EQ(call("browser_find", R"({"regex": "one"})").text, "### Result\nNo matches found for /one/.");
    EXPECT_THAT(call("browser_find", R"({"regex": "/one/i"})").text,
                HasSubstr("Found 1 match for /one/i:\n\n"));
}

TEST_F(BrowserFind, ShowsNoMoreThanMaxResults) {
    auto outcome = call("browser_find", R"({"text": "button", "maxResults": 1})");

    EXPECT_THAT(outcome.text, HasSubstr("Found 5 matches for \"button\" (showing first 1):\n\n- main"));
    EXPECT_THAT(outcome.text, testing::Not(HasSubstr("Target Button")));
    EXPECT_THAT(call("browser_find", R"({"text": "button", "maxResults": 5})").text,
                HasSubstr("Found 5 matches for \"button\":\n"));
    for (const char* wrong : {"0", "-1", "1.5"}) {
        auto refused =
            call("browser_find", R"({"text": "button", "maxResults": )" + std::string(wrong) + "}");
        EXPECT_TRUE(refused.is_error) << wrong;
        EXPECT_THAT(refused.text, HasSubstr("\"maxResults\" must be a positive integer."));
    }
}

TEST_F(BrowserFind, SaysThatThereIsNone) {
    EXPECT_EQ(call("browser_find", R"({"text": "Zebra"})").text,
              "### Result\nNo matches found for \"Zebra\".");
}

TEST_F(BrowserFind, WritesToAFile) {
    EXPECT_EQ(call("browser_find", R"({"text": "Zebra", "filename": "f.md"})").text,
              "### Result\n- [Find results](./f.md)");
    EXPECT_EQ(directory.read("f.md"), "No matches found for \"Zebra\".");
}

TEST_F(BrowserFind, NeedsOneThingToLookFor) {
    EXPECT_EQ(call("browser_find").text, "### Error\nProvide either \"text\" or \"regex\" to search for.");
    EXPECT_EQ(call("browser_find", R"({"text": "a", "regex": "b"})").text,
              "### Error\nProvide only one of \"text\" or \"regex\", not both.");
}

TEST_F(BrowserFind, RefusesWhatIsNoExpression) {
    EXPECT_THAT(call("browser_find", R"({"regex": "["})").text,
                HasSubstr("### Error\nInvalid arguments for tool \"browser_find\":\n✖ Invalid regular "
                          "expression\n  → at regex"));
}

TEST(Snippets, JoinMatchesThatAreNear) {
    std::vector<std::string> lines;
    for (int i = 0; i < 30; ++i) lines.push_back(std::to_string(i));

    EXPECT_EQ(
        tools::snippets(lines, {5, 10, 20}),
        (std::vector<std::string>{"2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13", "17\n18\n19\n20\n21\n22\n23"}));
    EXPECT_EQ(tools::snippets(lines, {0, 29}), (std::vector<std::string>{"0\n1\n2\n3", "26\n27\n28\n29"}));
}

TEST(Lowered, KnowsMoreThanAscii) { EXPECT_EQ(tools::lowered("ÄÖÜ ΣΩ ЖЯ X 😀\xFF"), "äöü σω жя x 😀\xFF"); }

bool matches(std::string_view expression, std::string_view text) {
    return tools::Regex::parse(expression).value().matches(text);
}

TEST(Regex, MatchesAnywhere) {
    EXPECT_TRUE(matches("b+", "abbc"));
    EXPECT_FALSE(matches("^b", "abbc"));
}

TEST(Regex, IgnoresCaseWhenToldTo) {
    EXPECT_TRUE(matches("/^ab[c-e]\\d\\x41$/i", "aBD5A"));
    EXPECT_FALSE(matches("/^\\S$/i", " "));
    EXPECT_TRUE(matches("/[^a]/i", "b"));
    EXPECT_FALSE(matches("/[^a]/i", "A"));
    EXPECT_TRUE(matches("/a|B/i", "b"));
    EXPECT_FALSE(matches("/a/", "A"));
}

TEST(Regex, TakesAPathForAnExpressionUnlessItEndsLikeOne) {
    EXPECT_TRUE(matches("/api/.*user", "/api/my/user"));
    EXPECT_FALSE(matches("/api/.*user", "api my user"));
}

TEST(Regex, PrintsAsJavascriptDoes) {
    auto text = [](std::string_view expression) { return tools::Regex::parse(expression).value().text(); };
    EXPECT_EQ(text("a/b"), "/a\\/b/");
    EXPECT_EQ(text("a\\/b[/]"), "/a\\/b[/]/");
    EXPECT_EQ(text("/x/mgi"), "/x/im");
    EXPECT_EQ(text("//"), "/(?:)/");
}

TEST(Regex, RefusesUnknownFlagsAndWhatItCannotDo) {
    EXPECT_FALSE(tools::Regex::parse("/x/q"));
    EXPECT_FALSE(tools::Regex::parse("/x/ii"));
    EXPECT_FALSE(tools::Regex::parse("("));
    EXPECT_FALSE(tools::Regex::parse("(a)\\1"));
}

TEST(Regex, IsNotSlowedDownByEvilExpressions) {
    EXPECT_FALSE(matches("(a+)+$", std::string(5000, 'a') + "b"));
}

}  // namespace
