#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;

class BrowserEvaluate : public fakes::ToolTest {
protected:
    BrowserEvaluate() {
        show_page();
        call("browser_snapshot");
        page().done.clear();
    }
    void evaluates_to(std::string_view json, bool is_function = true) {
        page().evaluated = {.value = json::parse(json).value(), .is_function = is_function};
    }
};

TEST_F(BrowserEvaluate, ShowsTheValueAndNoPage) {
    evaluates_to(R"("Title")");

    EXPECT_EQ(call("browser_evaluate", R"({"function": "() => document.title"})").text,
              "### Result\n\"Title\"\n### Ran Playwright code\n```js\nawait page.evaluate('() => "
              "document.title');\n```");
    EXPECT_THAT(page().done, testing::ElementsAre("evaluate () => document.title on -"));
}

TEST_F(BrowserEvaluate, WrapsAnExpression) {
    evaluates_to("2", false);

    EXPECT_THAT(
        call("browser_evaluate", R"js({"function": "(1+1)"})js").text,
        HasSubstr(
            "### Result\n2\n### Ran Playwright code\n```js\nawait page.evaluate('() => ((1+1))');\n```"));
}

TEST_F(BrowserEvaluate, PrintsJsonWithIndent) {
    evaluates_to(R"({"a": [1, {"b": null}], "n": 1e21, "e": []})");

    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => x"})").text,
                HasSubstr("### Result\n{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  "
                          "\"n\": 1e+21,\n  \"e\": []\n}\n###"));
}

TEST_F(BrowserEvaluate, SaysUndefined) {
    page().evaluated = {.is_function = true};

    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => {}"})").text,
                HasSubstr("### Result\nundefined\n"));
}

TEST_F(BrowserEvaluate, PassesAnElement) {
    evaluates_to(R"("red")");

    EXPECT_THAT(
        call("browser_evaluate", R"({"function": "e => e.style.color", "target": "e2"})").text,
        HasSubstr("await page.getByRole('button', { name: 'Submit' }).evaluate('e => e.style.color');"));
    EXPECT_EQ(page().done.front(), "evaluate e => e.style.color on e2");
}

TEST_F(BrowserEvaluate, ShowsWhatTheScriptThrew) {
    page().fail("evaluate", {.code = ErrorCode::InvalidArgument,
                             .message = "ReferenceError: nope is not defined\n    at <anonymous>:1:8"});

    auto outcome = call("browser_evaluate", R"({"function": "() => nope"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_EQ(outcome.text, "### Error\nReferenceError: nope is not defined\n    at <anonymous>:1:8");
}

TEST_F(BrowserEvaluate, ShowsTheCodeOfAValueThatHasNoJson) {
    page().evaluated = {.is_function = true, .no_json = "Do not know how to serialize a BigInt"};

    auto outcome = call("browser_evaluate", R"({"function": "() => 10n"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text,
                testing::StartsWith("### Error\nDo not know how to serialize a BigInt\n"
                                    "### Ran Playwright code\n```js\nawait page.evaluate('() => 10n');"));
}

TEST_F(BrowserEvaluate, SavesTheValue) {
    evaluates_to("[1]");

    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => x", "filename": "x.json"})").text,
                HasSubstr("### Result\n- [Evaluation result](./x.json)\n"));
    EXPECT_EQ(directory.read("x.json"), "[\n  1\n]");
}

TEST_F(BrowserEvaluate, ShowsTheCodeEvenWhenTheFileIsRefused) {
    evaluates_to("1");

    auto outcome = call("browser_evaluate", R"({"function": "() => 1", "filename": "../x.json"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, testing::MatchesRegex(
                                  "### Error\nFile access denied: .*\n### Ran Playwright code\n```js\n.*"));
}

TEST_F(BrowserEvaluate, ShowsADialogInPlaceOfTheValue) {
    page().during("evaluate", [this] { page().open_dialog("alert", "1"); });
    page().hold("evaluate");
    page().page_title = "";

    EXPECT_THAT(call("browser_evaluate", R"js({"function": "() => alert(1)"})js").text,
                HasSubstr("### Modal state\n- [\"alert\" dialog with message \"1\"]: can be handled by "
                          "browser_handle_dialog"));
}

}  // namespace
