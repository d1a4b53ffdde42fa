#include "cli/page_assertions.h"

#include <gmock/gmock.h>

namespace {

using cli::SnapshotAssertions;
using cli::stable_length;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PageAssertions, ExpectTheAddressAsFarAsItIsTheSameAgain) {
    EXPECT_EQ(cli::url_assertion("page", "http://x:45123/it's"),
              "await expect(page).toHaveURL('http://x:45123/it\\'s');");
    EXPECT_EQ(cli::url_assertion("page1", "http://x/a?id=4d3f8a0e-1c2b-4a5d-9e8f-0a1b2c3d4e5f"),
              "await expect(page1).toHaveURL(url => "
              "url.href.startsWith('http://x/a?id=4d3f8a0e-1c2b-4a5d-9e8f-'));");
    EXPECT_EQ(cli::url_assertion("page", "http://x/?q=<secret>A</secret>"),
              "await expect(page).toHaveURL(url => url.href.startsWith('http://x/?q='));");
    EXPECT_EQ(cli::url_assertion("page", "about:blank"), "");
    EXPECT_EQ(cli::url_assertion("page", "chrome-error://chromewebdata/"), "");
}

TEST(PageAssertions, LeaveOutTitlesWithTimes) {
    EXPECT_EQ(cli::title_assertion("page", "Order 12"), "await expect(page).toHaveTitle('Order 12');");
    EXPECT_EQ(cli::title_assertion("page", "It is 12:30"), "");
    EXPECT_EQ(cli::title_assertion("page", "Of 2026-11-18"), "");
}

TEST(PageAssertions, KnowNumbersThatAreNotIds) {
    EXPECT_EQ(stable_length("3 of 250 rows, v1.2"), 19U);
    EXPECT_EQ(stable_length("id 1763500000000"), 3U);
    EXPECT_EQ(stable_length("sha 0f3a9c1b2d4e"), 4U);
}

TEST(PageAssertions, ExpectWhatTheSnapshotShowsAndTheOneBeforeDidNot) {
    SnapshotAssertions snapshots;
    EXPECT_THAT(
        snapshots.of("page",
                     "- heading \"Order\" [level=1] [ref=e2]\n- textbox \"Name\" [ref=e3]: ann\n- status "
                     "[ref=e4]: \"Thanks: 1\"",
                     {}),
        ElementsAre(
            "await expect(page.locator('body')).toMatchAriaSnapshot('- status: \"Thanks: 1\"');",
            "await expect(page.locator('body')).toMatchAriaSnapshot('- heading \"Order\" [level=1]');"));
    EXPECT_THAT(
        snapshots.of("page",
                     "- heading \"Order\" [level=1] [ref=e9]\n- 'link \"a: b\" [ref=e8] [cursor=pointer]':\n "
                     " - /url: /x",
                     {}),
        ElementsAre("await expect(page.locator('body')).toMatchAriaSnapshot('- \\'link \"a: b\"\\'');"));
}

TEST(PageAssertions, FindTextWithoutARoleWhereverItsLinesBreak) {
    EXPECT_THAT(
        SnapshotAssertions().of("page",
                                "- generic [ref=e1]:\n  - text: Sum (all)\n  - generic [ref=e2]: Ready", {}),
        ElementsAre(
            "await expect(page.getByText(/Sum\\s*\\(all\\)/).filter({ visible: true "
            "}).first()).toBeVisible();",
            "await expect(page.getByText('Ready').filter({ visible: true }).first()).toBeVisible();"));
}

TEST(PageAssertions, LookIntoFramesThatCodeHasNamed) {
    std::string snapshot =
        "- iframe [ref=e1]:\n  - text: loose\n  - paragraph [ref=f1e2]: inside\n  - generic [ref=f1e3]:\n    "
        "- text: deep";
    EXPECT_THAT(SnapshotAssertions().of("page", snapshot, {}), IsEmpty());
    EXPECT_THAT(
        SnapshotAssertions().of("page", snapshot, {{"f1", "locator('iframe').contentFrame()"}}),
        ElementsAre(
            "await expect(page.locator('iframe').contentFrame().locator('body')).toMatchAriaSnapshot('- "
            "paragraph: inside');",
            "await expect(page.locator('iframe').contentFrame().getByText('deep').filter({ visible: true "
            "}).first()).toBeVisible();"));
}

TEST(PageAssertions, LeaveOutSecretsFieldsAndWhatChanges) {
    EXPECT_THAT(SnapshotAssertions().of("page",
                                        "- paragraph [ref=e1]: of <secret>A</secret>\n- paragraph [ref=e2]: "
                                        "at 12:30\n- combobox [ref=e3]: x\n- paragraph [ref=e4]: /x/",
                                        {}),
                IsEmpty());
}

TEST(ElementLocators, NameElementsByTheirRoleAndName) {
    auto locators = cli::locators_in(
        "- generic [ref=e1]:\n"
        "  - button \"Go\" [ref=e2]\n"
        "  - button \"Go\" [ref=e3]\n"
        "  - button [ref=e4]\n"
        "  - iframe [ref=e5]:\n"
        "    - link \"it's\" [ref=f1e2]\n"
        "  - iframe [ref=e6]:\n"
        "    - link \"Other\" [ref=f2e2]\n",
        {{"f1", "locator('iframe').contentFrame()"}});

    EXPECT_EQ(
        locators,
        (cli::ElementLocators{
            {"e2", "getByRole('button', { name: 'Go', exact: true }).nth(0)"},
            {"e3", "getByRole('button', { name: 'Go', exact: true }).nth(1)"},
            {"f1e2",
             "locator('iframe').contentFrame().getByRole('link', { name: 'it\\'s', exact: true }).nth(0)"},
        }));
}

}  // namespace
