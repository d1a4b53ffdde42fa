#include "tests/tools/support.h"

namespace {

using testing::Contains;
using testing::HasSubstr;

class BrowserHighlight : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserHighlight, NamesTheElementInTheCallersWords) {
    auto outcome = call("browser_highlight", R"({"element": "Submit button", "target": "e2"})");

    EXPECT_THAT(outcome.text, HasSubstr("### Result\nHighlighted Submit button"));
    EXPECT_THAT(page().done, Contains("highlight e2 getByRole('button', { name: 'Submit' }) {}"));
}

TEST_F(BrowserHighlight, NamesTheElementByItsTarget) {
    page().add_element("#it", "locator('#it')");

    EXPECT_THAT(call("browser_highlight", R"({"target": "e2", "style": "outline: none"})").text,
                HasSubstr("Highlighted locator('aria-ref=e2')"));
    EXPECT_THAT(call("browser_highlight", R"({"target": "#it"})").text,
                HasSubstr("Highlighted locator('#it')"));
    EXPECT_THAT(page().done, Contains(HasSubstr("{outline: none}")));
    EXPECT_TRUE(call("browser_highlight", R"({"target": "#none"})").is_error);
}

TEST_F(BrowserHighlight, HidesOneOrAll) {
    EXPECT_THAT(call("browser_hide_highlight", R"({"element": "it", "target": "e2"})").text,
                HasSubstr("Hid highlight for it"));
    EXPECT_THAT(call("browser_hide_highlight").text, HasSubstr("Hid page highlight"));
    EXPECT_THAT(page().done, testing::ElementsAre("hide_highlight e2", "hide_highlight -"));
}

}  // namespace
