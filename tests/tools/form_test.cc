#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BrowserFillForm : public fakes::ToolTest {
protected:
    BrowserFillForm() {
        for (std::string id : {"#t", "#c", "#s", "#r"}) page().add_element(id, "locator('" + id + "')");
        call("browser_tabs", R"({"action": "list"})");
    }
};

TEST_F(BrowserFillForm, FillsEachFieldAsItsKindWants) {
    auto outcome = call("browser_fill_form", R"({"fields": [
        {"target": "#t", "name": "T", "type": "textbox", "value": "v\"1'"},
        {"target": "#c", "name": "C", "type": "checkbox", "value": "true"},
        {"target": "#c", "name": "C", "type": "radio", "value": "no"},
        {"target": "#s", "name": "S", "type": "combobox", "value": "Two"},
        {"target": "#r", "name": "R", "type": "slider", "value": "20"}]})");

    EXPECT_EQ(outcome.text,
              "### Ran Playwright code\n```js\n"
              "await page.locator('#t').fill('v\"1\\'');\n"
              "await page.locator('#c').check();\n"
              "await page.locator('#c').uncheck();\n"
              "await page.locator('#s').selectOption('Two');\n"
              "await page.locator('#r').fill('20');\n```");
    EXPECT_THAT(page().done, ElementsAre("fill #t v\"1'", "set_checked #c yes", "set_checked #c no",
                                         "select_options #s Two", "fill #r 20"));
}

TEST_F(BrowserFillForm, StopsAtTheFirstFieldThatFails) {
    page().fail("select_options", {.code = ErrorCode::Timeout, .message = "did not find some options"});

    auto outcome = call("browser_fill_form", R"({"fields": [
        {"target": "#s", "name": "S", "type": "combobox", "value": "Three"},
        {"target": "#t", "name": "T", "type": "textbox", "value": "x"}]})");

    EXPECT_EQ(outcome.text,
              "### Error\nTimeoutError: locator.selectOption: Timeout 5000ms exceeded.\nCall log:\n  - did "
              "not find some options");
    EXPECT_THAT(page().done, ElementsAre("select_options #s Three"));
}

TEST_F(BrowserFillForm, StopsWhenADialogOpens) {
    page().during("fill", [this] { page().open_dialog("alert", "Hi"); });

    auto outcome = call("browser_fill_form", R"({"fields": [
        {"target": "#t", "name": "T", "type": "textbox", "value": "a"},
        {"target": "#r", "name": "R", "type": "slider", "value": "2"}]})");

    EXPECT_THAT(outcome.text, HasSubstr("### Modal state\n- [\"alert\" dialog"));
    EXPECT_THAT(page().done, ElementsAre("fill #t a"));
}

TEST_F(BrowserFillForm, SaysWhichFieldIsWrong) {
    EXPECT_THAT(call("browser_fill_form",
                     R"({"fields": [{"target": "#t", "name": "T", "type": "field", "value": "a"}]})")
                    .text,
                HasSubstr("→ at fields[0].type"));
}

TEST_F(BrowserFillForm, TakesTheFormerNameOfATarget) {
    call("browser_fill_form", R"({"fields": [{"ref": "#t", "name": "T", "type": "textbox", "value": "a"}]})");

    EXPECT_THAT(page().done, ElementsAre("fill #t a"));
}

class BrowserSelectOption : public fakes::ToolTest {};

TEST_F(BrowserSelectOption, SelectsAndShowsThePage) {
    show_page();
    page().add_element("#s", "locator('#s')");

    EXPECT_EQ(call("browser_select_option", R"({"target": "#s", "values": ["b", "a"]})").text,
              "### Ran Playwright code\n```js\nawait page.locator('#s').selectOption(['b', 'a']);\n```\n" +
                  std::string(fakes::kPageAndSnapshot));
    EXPECT_EQ(page().done.front(), "select_options #s b,a");
}

TEST_F(BrowserSelectOption, SaysWhyItCouldNotSelect) {
    page().add_element("#s", "locator('#s')");
    page().fail("select_options", {.code = ErrorCode::ElementNotInteractive,
                                   .message = "Error: Element is not a <select> element"});

    EXPECT_EQ(call("browser_select_option", R"({"target": "#s", "values": ["b"]})").text,
              "### Error\nError: locator.selectOption: Error: Element is not a <select> element");
}

}  // namespace
