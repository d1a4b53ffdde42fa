#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

session::SessionOptions with_secret(session::Codegen language = session::Codegen::TypeScript) {
    return {.codegen = language, .secrets = {{"X-PASSWORD", "password123"}, {"EMPTY", ""}}};
}

class SecretsTest : public fakes::ToolTest {
protected:
    SecretsTest() : ToolTest(with_secret()) {
        show_page();
        page().add_element("e3", "getByRole('textbox')", "get_by_role(\"textbox\")");
    }
};

TEST_F(SecretsTest, AreTypedByName) {
    auto outcome = call("browser_type", R"({"target": "e3", "text": "X-PASSWORD", "submit": true})");

    EXPECT_THAT(outcome.text, HasSubstr("await page.getByRole('textbox').fill(process.env['X-PASSWORD']);\n"
                                        "await page.getByRole('textbox').press('Enter');\n"));
    EXPECT_THAT(page().done, ElementsAre("fill e3 password123", "press e3 Enter", "snapshot -"));
}

TEST_F(SecretsTest, AreTypedSlowlyByName) {
    auto outcome = call("browser_type", R"({"target": "e3", "text": "X-PASSWORD", "slowly": true})");

    EXPECT_THAT(outcome.text,
                HasSubstr("await page.getByRole('textbox').pressSequentially(process.env['X-PASSWORD']);\n"));
    EXPECT_EQ(page().done.front(), "type e3 password123");
}

TEST_F(SecretsTest, AreFilledIntoFormsByName) {
    auto outcome = call(
        "browser_fill_form",
        R"({"fields": [{"target": "e3", "name": "Password", "type": "textbox", "value": "X-PASSWORD"}]})");

    EXPECT_THAT(outcome.text, HasSubstr("await page.getByRole('textbox').fill(process.env['X-PASSWORD']);"));
    EXPECT_EQ(page().done.front(), "fill e3 password123");
}

TEST_F(SecretsTest, AreTypedIntoTheirElementAndNowhereElse) {
    for (auto [tool, arguments] : {
             std::pair("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})"),
             std::pair("browser_type", R"({"target": "e3", "text": "X-PASSWORD", "slowly": true})"),
             std::pair(
                 "browser_fill_form",
                 R"({"fields": [{"target": "e3", "name": "P", "type": "textbox", "value": "X-PASSWORD"}]})"),
             std::pair("type", R"({"selector": "e3", "text": "X-PASSWORD"})"),
             std::pair("type", R"({"selector": "e3", "text": "X-PASSWORD", "delay": 1})"),
             std::pair("fill", R"({"selector": "e3", "value": "X-PASSWORD"})"),
         }) {
        int before = page().confined;
        EXPECT_FALSE(call(tool, arguments).is_error) << tool;
        EXPECT_EQ(page().confined, before + 1) << tool << arguments;
    }
    (void)call("browser_type", R"({"target": "e3", "text": "no secret"})");
    EXPECT_EQ(page().confined, 6);
}

TEST_F(SecretsTest, AreHiddenWhereverTheyShowUp) {
    page().page_title = "password123";
    page().tree = "- textbox: password123";
    page().log("log", "Text: password123");
    page().evaluated = {.value = "password123", .is_function = true};

    EXPECT_THAT(call("browser_hover", R"({"target": "e2"})").text,
                HasSubstr("- Page Title: <secret>X-PASSWORD</secret>"));
    EXPECT_EQ(directory.read(".playwright-mcp/page-2026-03-04T05-06-07-089Z.yml"),
              "- textbox: <secret>X-PASSWORD</secret>");
    EXPECT_THAT(directory.read(".playwright-mcp/console-2026-03-04T05-06-07-089Z.log"),
                HasSubstr("Text: <secret>X-PASSWORD</secret>"));
    EXPECT_THAT(call("browser_snapshot").text, HasSubstr("- textbox: <secret>X-PASSWORD</secret>"));
    EXPECT_THAT(call("browser_console_messages").text, HasSubstr("[LOG] Text: <secret>X-PASSWORD</secret>"));
    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => x"})").text,
                HasSubstr("\"<secret>X-PASSWORD</secret>\""));
    EXPECT_THAT(call("browser_evaluate", R"({"function": "() => x", "filename": "x.json"})").text,
                Not(HasSubstr("password123")));
    EXPECT_EQ(directory.read("x.json"), "\"<secret>X-PASSWORD</secret>\"");
}

TEST_F(SecretsTest, AreHiddenInErrors) {
    page().fail("hover", {.code = ErrorCode::ElementNotInteractive,
                          .message = "<input value=password123> is not visible"});

    EXPECT_EQ(call("browser_hover", R"({"target": "e2"})").text,
              "### Error\nError: locator.hover: <input value=<secret>X-PASSWORD</secret>> is not visible");
}

// What was denied, from before the session is made.
struct Denials {
    std::vector<std::string> reported;
};

class BoundSecretsTest : protected Denials, public fakes::ToolTest {
protected:
    BoundSecretsTest() : ToolTest(bound(reported)) {
        show_page("https://bank.example.com/login");
        page().add_element("e3", "getByRole('textbox')");
    }
    static session::SessionOptions bound(std::vector<std::string>& reported) {
        session::SessionOptions options = with_secret();
        options.secret_origins = {{"X-PASSWORD", {"https://*.example.com", "http://localhost:*"}}};
        options.denied = [&reported](const std::string& what, const std::string& rule) {
            reported.push_back(what + ", " + rule);
        };
        return options;
    }
};

TEST_F(BoundSecretsTest, AreTypedWhereTheyBelong) {
    EXPECT_FALSE(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").is_error);
    page().page_url = "http://localhost:8080/login";
    EXPECT_FALSE(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").is_error);

    EXPECT_THAT(page().done, ElementsAre("fill e3 password123", "fill e3 password123"));
    EXPECT_TRUE(reported.empty());
}

TEST_F(BoundSecretsTest, AreTypedNowhereElse) {
    page().page_url = "https://evil.test/login?as=bank.example.com";

    for (auto [tool, arguments] : {
             std::pair("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})"),
             std::pair("browser_type", R"({"target": "e3", "text": "X-PASSWORD", "slowly": true})"),
             std::pair(
                 "browser_fill_form",
                 R"({"fields": [{"target": "e3", "name": "P", "type": "textbox", "value": "X-PASSWORD"}]})"),
             std::pair("type", R"({"selector": "e3", "text": "X-PASSWORD"})"),
             std::pair("fill", R"({"selector": "e3", "value": "X-PASSWORD"})"),
         }) {
        auto outcome = call(tool, arguments);
        EXPECT_TRUE(outcome.is_error) << tool;
        EXPECT_THAT(outcome.text, HasSubstr("is denied by security.secretOrigins: it is not for "
                                            "https://evil.test."))
            << tool;
    }
    EXPECT_THAT(page().done, testing::Each(Not(HasSubstr("password123"))));
    EXPECT_THAT(reported, testing::SizeIs(5));
    EXPECT_THAT(reported, testing::Each("secret X-PASSWORD at https://evil.test, security.secretOrigins"));
}

TEST_F(BoundSecretsTest, AreNotTypedIntoAForeignFrame) {
    page().frame_origin = "https://ads.test";
    EXPECT_THAT(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").text,
                HasSubstr("it is not for https://ads.test."));
    // A sandbox has no origin.
    page().frame_origin = "null";
    EXPECT_TRUE(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").is_error);
    // Their own frame, in a page that is not theirs.
    page().frame_origin = "https://bank.example.com";
    page().page_url = "https://evil.test/";
    EXPECT_TRUE(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").is_error);

    EXPECT_TRUE(page().done.empty());
}

TEST_F(SecretsTest, WithoutAValueAreJustText) {
    call("browser_type", R"({"target": "e3", "text": "EMPTY"})");

    EXPECT_EQ(page().done.front(), "fill e3 EMPTY");
}

class SecretsInPython : public fakes::ToolTest {
protected:
    SecretsInPython() : ToolTest(with_secret(session::Codegen::Python)) {
        page().add_element("e3", "getByRole('textbox')", "get_by_role(\"textbox\")");
    }
};

TEST_F(SecretsInPython, AreLookedUpAsPythonDoes) {
    EXPECT_THAT(call("browser_type", R"({"target": "e3", "text": "X-PASSWORD"})").text,
                HasSubstr("```python\npage.get_by_role(\"textbox\").fill(os.environ[\"X-PASSWORD\"])\n```"));
}

TEST_F(SecretsInPython, StayJavascriptWhereTheLineIs) {
    EXPECT_THAT(call("browser_type", R"({"target": "e3", "text": "a", "slowly": true, "submit": true})").text,
                HasSubstr("```python\nawait page.getByRole('textbox').pressSequentially('a');\n"
                          "page.get_by_role(\"textbox\").press(\"Enter\")\n```"));
}

class NoCode : public fakes::ToolTest {
protected:
    NoCode() : ToolTest(with_secret(session::Codegen::None)) { show_page(); }
};

TEST_F(NoCode, ShowsNone) {
    EXPECT_EQ(call("browser_hover", R"({"target": "e2"})").text, fakes::kPageAndSnapshot);
}

}  // namespace
