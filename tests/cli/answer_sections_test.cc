#include "cli/answer_sections.h"

#include <gmock/gmock.h>

namespace {

using cli::read_sections;
using cli::ResultShows;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(AnswerSections, HasTheCodeTheTabsAndWhatCameUp) {
    auto answer = read_sections(
        "### Ran Playwright code\n```js\nawait page.a();\nawait page.b();\n```\n"
        "### Open tabs\n- 0: [A](http://x/(1))\n- 1: (current) [b](c)](http://y/) [targetId=t2] [read-only]\n"
        "### Page\n- Page URL: http://y/\n"
        "### Modal state\n- [File chooser]: can be handled by browser_file_upload\n- [\"confirm\" dialog "
        "with message \"x\"]: can\n"
        "### Events\n- Downloading file a b.csv ...\n- Downloaded file a b.csv to \"x\"",
        ResultShows::Anything);
    EXPECT_EQ(answer.language, "js");
    EXPECT_EQ(answer.code, "await page.a();\nawait page.b();");
    ASSERT_EQ(answer.tabs.size(), 2U);
    EXPECT_EQ(answer.tabs[0].url, "http://x/(1)");
    EXPECT_EQ(answer.tabs[1].title, "b](c)");
    EXPECT_EQ(answer.tabs[1].id, "t2");
    EXPECT_TRUE(answer.tabs[1].is_current);
    EXPECT_TRUE(answer.has_dialog);
    EXPECT_TRUE(answer.has_file_chooser);
    EXPECT_THAT(answer.downloads, ElementsAre("a b.csv"));
}

TEST(AnswerSections, BelievesAResultThatLooksLikeTabsOnlyOfTheToolThatListsThem) {
    std::string text = "### Result\n- 0: (current) [A](http://x/)";
    EXPECT_THAT(read_sections(text, ResultShows::Anything).tabs, IsEmpty());
    EXPECT_EQ(read_sections(text, ResultShows::Tabs).tabs.size(), 1U);
}

TEST(AnswerSections, TakesNoSectionFromTheMiddleOfALine) {
    EXPECT_EQ(read_sections("x ### Ran Playwright code\n```js\na\n```", ResultShows::Anything).code, "");
    EXPECT_EQ(read_sections("### Ran Playwright code\n```js\na", ResultShows::Anything).code, "");
}

}  // namespace
