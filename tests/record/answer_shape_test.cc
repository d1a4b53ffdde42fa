#include "record/answer_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/answer_text.h"

namespace {

using record::Mode;
using record::shape;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const record::Reference kReference{
    .ref_id = "ref-1", .session_id = "ann", .timestamp = "2026-07-28T12:00:00.000Z", .tool = "browser_click"};

std::string page_of(int items, std::string_view last) {
    std::string text = "- list [ref=e1]:\n";
    for (int i = 0; i < items; ++i)
        text += "  - listitem [ref=e" + std::to_string(i + 2) + "]: Item " + std::to_string(i) + "\n";
    return text + "- paragraph [ref=e999]: " + std::string(last);
}

tools::ToolResult answer(const std::string& snapshot, bool linked = false) {
    std::string shown = linked ? "- [Snapshot](page.yml)" : "```yaml\n" + snapshot + "\n```";
    tools::ToolResult result =
        tools::ToolResult::text("### Page\n- Page URL: http://x/\n### Snapshot\n" + shown +
                                "\n### Events\n- New console entries: a.log#L1");
    result.page = std::make_shared<tools::PageNote>();
    result.page->url = "http://x/";
    result.page->snapshot = snapshot;
    return result;
}

std::string text(const std::optional<tools::ToolResult>& shown) {
    return shown ? record::text_of(*shown) : "";
}

TEST(Answer, IsSentAsItIsUnlessSomethingElseIsWanted) {
    tools::ToolResult result = answer(page_of(50, "end"));
    EXPECT_FALSE(shape({result, kReference}, {}).result);
    EXPECT_FALSE(shape({result, kReference}, {.max_chars = 100'000}).result);
}

TEST(Answer, AsAReferenceSaysEverythingButTheContent) {
    tools::ToolResult result = answer(page_of(3, "end"));
    result.page->console.push_back({.level = tools::NotedMessage::Level::Error, .text = "bad"});
    EXPECT_EQ(
        text(shape({result, kReference}, {.mode = Mode::Ref}).result),
        R"({"ref_id":"ref-1","session_id":"ann","status":"success","timestamp":"2026-07-28T12:00:00.000Z",)"
        R"("tool":"browser_click","has_snapshot":true,"has_console_logs":true,"console_error_count":1,)"
        R"("page_url":"http://x/"})");
}

TEST(Answer, AsADifferenceKeepsItsOtherSections) {
    std::string before = page_of(50, "nothing"), after = page_of(50, "something");
    std::string shown = text(shape({answer(after), kReference, &before}, {.mode = Mode::Delta}).result);
    EXPECT_THAT(shown,
                AllOf(HasSubstr("- Page URL: http://x/\n### Snapshot\n```yaml\n"), HasSubstr("something"),
                      HasSubstr("# 51 lines unchanged"), Not(HasSubstr("Item 7")),
                      HasSubstr("### Events\n- New console entries"),
                      HasSubstr("### Left out\n- What has not changed since the answer before. All of it: "
                                "get_content with ref_id \"ref-1\".")));
}

TEST(Answer, AsADifferenceSaysThatNothingChanged) {
    std::string page = page_of(9, "end");
    EXPECT_THAT(text(shape({answer(page), kReference, &page}, {.mode = Mode::Delta}).result),
                HasSubstr("```yaml\n# 11 lines unchanged\n```"));
}

TEST(Answer, AsADifferenceShowsAFirstOrMostlyNewPageWhole) {
    std::string page = page_of(9, "end"), other = "- heading \"Other\" [ref=e1]";
    EXPECT_FALSE(shape({answer(page), kReference}, {.mode = Mode::Delta}).result);
    EXPECT_FALSE(shape({answer(page), kReference, &other}, {.mode = Mode::Delta}).result);
    EXPECT_THAT(text(shape({answer(page, true), kReference}, {.mode = Mode::Delta}).result),
                AllOf(HasSubstr("Item 8"), Not(HasSubstr("page.yml"))))
        << "in the answer, not in a file";
}

TEST(Answer, OfAPartOfThePageIsNotComparedWithThePage) {
    std::string before = page_of(50, "end");
    tools::ToolResult result = answer("- listitem [ref=e3]: Item 1");
    result.page->whole_page = false;
    EXPECT_FALSE(shape({result, kReference, &before}, {.mode = Mode::Delta}).result);
}

TEST(Answer, ThatIsTooLongStepsDownToWhatFits) {
    std::string before = page_of(100, "nothing"), after = page_of(100, "something");
    tools::ToolResult result = answer(after);
    EXPECT_THAT(text(shape({result, kReference, &before}, {.max_chars = 2'000}).result),
                HasSubstr("unchanged"));
    std::string outline = text(shape({result, kReference}, {.max_chars = 2'000}).result);
    EXPECT_LE(outline.size(), 2'000u);
    EXPECT_THAT(outline, AllOf(HasSubstr("- list [ref=e1]"), HasSubstr("### Left out\n- The lower levels")));
    std::string reference = text(shape({result, kReference}, {.max_chars = 100}).result);
    EXPECT_THAT(reference,
                AllOf(HasSubstr("\"ref_id\":\"ref-1\""), HasSubstr("characters. All of it: get_content")));
}

TEST(Answer, ThatProgramsReadStaysOfItsForm) {
    tools::ToolResult result = tools::ToolResult::text(std::string(500, 'x'));
    result.structured = json::object{{"success", true}, {"data", std::string(500, 'x')}};
    auto shown = shape({result, kReference}, {.max_chars = 100}).result;
    ASSERT_TRUE(shown && shown->structured);
    EXPECT_EQ(shown->structured->at("success"), json::value(true));
    EXPECT_EQ(shown->structured->at("data").at("ref_id"), json::value("ref-1"));
}

TEST(Answer, ThatIsAnErrorForProgramsStaysWhole) {
    tools::ToolResult result = tools::ToolResult::error(std::string(500, 'x'));
    result.structured = json::object{{"error", json::object{{"code", "TIMEOUT"}}}};
    EXPECT_FALSE(shape({result, kReference}, {.mode = Mode::Ref, .max_chars = 100}).result);
}

TEST(AnswerText, FindsTheSnapshotOfEveryDelivery) {
    std::string_view fenced =
        "### Result\n### Snapshot\n### Snapshot\n```yaml\n- a\n- b\n```\n### Events\n- c";
    auto section = record::find_snapshot(fenced);
    ASSERT_TRUE(section);
    EXPECT_EQ(section->snapshot, "- a\n- b");
    EXPECT_EQ(fenced.substr(section->end), "\n### Events\n- c");
    std::string_view both = "### Snapshot\n- [Snapshot](x.yml)\n```yaml\n- a\n```";
    ASSERT_TRUE(record::find_snapshot(both));
    EXPECT_EQ(record::find_snapshot(both)->snapshot, "- a");
    EXPECT_EQ(record::find_snapshot(both)->end, both.size());
    std::string_view linked = "### Snapshot\n- [Snapshot](x.yml)";
    ASSERT_TRUE(record::find_snapshot(linked));
    EXPECT_EQ(record::find_snapshot(linked)->end, linked.size());
    EXPECT_FALSE(record::find_snapshot("### Result\nA ### Snapshot\n```yaml\n- a\n```"));
    EXPECT_FALSE(record::find_snapshot("### Snapshot\n"));
    EXPECT_FALSE(record::find_snapshot(""));
}

TEST(AnswerText, FollowsNoLinkButToASnapshot) {
    auto linked = [](std::string path) {
        return record::linked_snapshot("### Snapshot\n- [Snapshot](" + path + ")");
    };
    EXPECT_EQ(linked(".playwright-mcp/page-2026-07-28T12-00-00-123Z.yml"),
              ".playwright-mcp/page-2026-07-28T12-00-00-123Z.yml");
    for (const char* path :
         {"/etc/passwd", "page-.yml/../x", "../page-x.yml", "page.yml", "", "page-1.yml/x"})
        EXPECT_EQ(linked(path), "") << path;
}

TEST(AnswerText, ReadsWhatAnotherServerSaysOfItsPage) {
    auto result = record::taken_apart(
        R"({"content":[{"type":"text","text":"### Page\n- Page URL: http://x/\n- Page Title: X\n### Snapshot\n```yaml\n- a\n```"},)"
        R"({"type":"image","data":"QUJD","mimeType":"image/png"}],"isError":true})");
    EXPECT_TRUE(result.is_error);
    EXPECT_EQ(result.content.size(), 2u);
    auto page = record::read_page(record::text_of(result));
    ASSERT_TRUE(page);
    EXPECT_EQ(page->url, "http://x/");
    EXPECT_EQ(page->title, "X");
    EXPECT_EQ(page->snapshot, "- a");
    EXPECT_FALSE(record::read_page("### Result\n1"));
}

}  // namespace
