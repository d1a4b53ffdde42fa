// Answers that are longer than they may be.
#include "tools/result_limit.h"

#include "tests/tools/support.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tools::ToolResult;

session::SessionOptions within(std::size_t bytes) {
    session::SessionOptions options;
    options.budget.result_bytes = bytes;
    return options;
}

class AnswerLimit : public fakes::ToolTest {
protected:
    AnswerLimit() : ToolTest(within(10'000)) { show_page(); }
};

TEST_F(AnswerLimit, PutsALongResultIntoAFileAndSaysWhere) {
    page().evaluated = {.value = json::value(std::string(20'000, 'x')), .is_function = true, .bytes = 20'002};

    auto answer = call("browser_evaluate", R"({"function": "() => long"})");

    EXPECT_FALSE(answer.is_error);
    EXPECT_LT(answer.text.size(), 2'000u);
    EXPECT_THAT(answer.text, AllOf(HasSubstr("an answer may have 10000 (session.maxResultBytes)"),
                                   HasSubstr("All of it: [Result](.playwright-mcp/result-"),
                                   HasSubstr("### Ran Playwright code")));
}

TEST_F(AnswerLimit, LeavesAnswersThatFitAsTheyAre) {
    page().evaluated = {.value = json::value(std::string(9'000, 'x')), .is_function = true, .bytes = 9'002};

    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => long"})").text,
                AllOf(HasSubstr(std::string(9'000, 'x')), Not(HasSubstr("session.maxResultBytes"))));
}

// A message is longer than the texts in it.
TEST_F(AnswerLimit, CountsWhatAQuoteTakesInAMessage) {
    page().evaluated = {.value = json::value(std::string(4'000, '"')), .is_function = true, .bytes = 8'002};

    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => quotes"})").text,
                AllOf(HasSubstr("session.maxResultBytes"), HasSubstr("All of it: [Result](")));
}

TEST(ResultLimit, KnowsTheSizeOfATextInAMessage) {
    for (std::string text : {"plain ä", "a \"quote\" \\", "line\nline\t\r\b\f", "\x01\x1F", ""}) {
        std::string written;
        json::append_string(written, text);
        EXPECT_EQ(tools::wire_size(text), written.size() - 2) << written;
    }
}

TEST(ResultLimit, CutsATextToWhatItTakesInAMessage) {
    ToolResult result = ToolResult::text(std::string(1'000, '\x01'));
    tools::keep_within(600, result);
    EXPECT_EQ(std::get<tools::Text>(result.content[0]).text.size(), 100u);
}

TEST(ResultLimit, CutsBetweenCharactersAndSaysHowMuchThereWas) {
    ToolResult result = ToolResult::text(std::string(99, 'x') + "\xC3\xA4\xC3\xA4");
    tools::keep_within(100, result);

    ASSERT_EQ(result.content.size(), 2u);
    EXPECT_EQ(std::get<tools::Text>(result.content[0]).text, std::string(99, 'x'));
    EXPECT_THAT(std::get<tools::Text>(result.content[1]).text,
                AllOf(HasSubstr("It has 103 bytes"), HasSubstr("100 (session.maxResultBytes)")));
}

TEST(ResultLimit, LeavesOutAPictureAndKeepsTheWords) {
    ToolResult result = ToolResult::text("words");
    result.content.emplace_back(tools::Image{std::string(200, 'A'), "image/png"});
    tools::keep_within(100, result);

    ASSERT_EQ(result.content.size(), 2u);
    EXPECT_EQ(std::get<tools::Text>(result.content[0]).text, "words");
    EXPECT_THAT(std::get<tools::Text>(result.content[1]).text, HasSubstr("### Left out"));
}

TEST(ResultLimit, AnswersProgramsWithAnErrorOfTheirForm) {
    ToolResult result = ToolResult::text(std::string(200, 'x'));
    result.structured = json::object{{"success", true}, {"data", std::string(200, 'x')}};
    tools::keep_within(300, result);

    EXPECT_TRUE(result.is_error);
    EXPECT_THAT(json::serialize(*result.structured), HasSubstr("session.maxResultBytes"));
}

TEST(ResultLimit, CountsTheTextAndTheStructuredContentOfAnAnswerOnceEachAndAPictureOnce) {
    ToolResult result = ToolResult::text(R"({"a":"b"})");
    result.structured = json::object{{"a", "b"}};
    result.content.emplace_back(tools::Image{std::string(200, 'A'), "image/png"});
    EXPECT_EQ(tools::size_of(result), 9u + 13u + 200u);

    tools::keep_within(200, result);
    EXPECT_THAT(
        json::serialize(*result.structured),
        HasSubstr("It has 222 bytes, as text and as structured content together; an answer may have 200"));
}

TEST(ResultLimit, HoldsForOtherServersResults) {
    ToolResult result{.raw_json = R"({"content":[{"type":"text","text":")" + std::string(200, 'x') + "\"}]}"};
    tools::keep_within(100, result);

    EXPECT_TRUE(result.raw_json.empty());
    EXPECT_LT(tools::size_of(result), 400u);
}

TEST(ResultLimit, ChangesNothingThatFits) {
    ToolResult result = ToolResult::text("short");
    tools::keep_within(5, result);
    ASSERT_EQ(result.content.size(), 1u);
}

}  // namespace
