#include "tests/tools/support.h"
#include "tools/assertions.h"

namespace {

using session::Codegen;
using testing::HasSubstr;

class BrowserVerify : public fakes::ToolTest {
protected:
    void SetUp() override { show_page(); }
};

TEST_F(BrowserVerify, FindsAnElementByRoleAndName) {
    page().add_element("getByRole('button', { name: 'It\\'s' })", "getByRole('button').first()");

    auto outcome = call("browser_verify_element_visible", R"({"role": "button", "accessibleName": "It's"})");

    EXPECT_FALSE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("### Result\nDone\n"));
    EXPECT_THAT(outcome.text, HasSubstr("await expect(page.getByRole('button').first()).toBeVisible();"));
}

TEST_F(BrowserVerify, SaysWhichElementIsMissing) {
    auto outcome = call("browser_verify_element_visible", R"({"role": "button", "accessibleName": "No"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("Element with role \"button\" and accessible name \"No\" not found"));
}

TEST_F(BrowserVerify, FindsVisibleText) {
    page().add_element("getByText('Hello').filter({ visible: true })", "getByText('Hello')");

    EXPECT_THAT(call("browser_verify_text_visible", R"({"text": "Hello"})").text,
                HasSubstr("await expect(page.getByText('Hello')).toBeVisible();"));
    EXPECT_THAT(call("browser_verify_text_visible", R"({"text": "Bye"})").text,
                HasSubstr("### Error\nText not found"));
}

TEST_F(BrowserVerify, FindsTheItemsOfAList) {
    page().texts = {{"Apple", "Apple"}, {"Banana", "Banana \"x\""}};

    EXPECT_THAT(call("browser_verify_list_visible",
                     R"({"element": "fruit", "target": "e2", "items": ["Apple", "Banana"]})")
                    .text,
                HasSubstr("await expect(page.locator('body')).toMatchAriaSnapshot(`\n"
                          "  - list:\n"
                          "    - listitem: \"Apple\"\n"
                          "    - listitem: \"Banana \\\\\"x\\\\\"\"\n"
                          "  `);"));
    auto missing =
        call("browser_verify_list_visible", R"({"element": "fruit", "target": "e2", "items": ["Cherry"]})");
    EXPECT_TRUE(missing.is_error);
    EXPECT_THAT(missing.text, HasSubstr("Item \"Cherry\" not found"));
}

TEST_F(BrowserVerify, ComparesTheValueOfAField) {
    page().field_value = "John";
    auto verify = [this](const std::string& value) {
        return call("browser_verify_value",
                    R"({"type": "textbox", "element": "name", "target": "e2", "value": ")" + value + "\"}");
    };

    EXPECT_THAT(verify("John").text, HasSubstr(".toHaveValue('John');"));
    EXPECT_TRUE(verify("Jane").is_error);
    EXPECT_THAT(verify("Jane").text, HasSubstr("Expected value \"Jane\", but got \"John\""));
    page().field_value = "";
    EXPECT_THAT(verify("").text, HasSubstr(".toBeEmpty();"));
}

TEST_F(BrowserVerify, ComparesTheStateOfACheckbox) {
    page().field_value = "true";
    auto verify = [this](const std::string& value) {
        return call("browser_verify_value",
                    R"({"type": "checkbox", "element": "box", "target": "e2", "value": ")" + value + "\"}");
    };

    EXPECT_THAT(verify("true").text, HasSubstr("getByRole('button', { name: 'Submit' })).toBeChecked();"));
    EXPECT_THAT(verify("false").text, HasSubstr("Expected value \"false\", but got \"true\""));
    page().field_value = "false";
    EXPECT_THAT(verify("false").text, HasSubstr(").not.toBeChecked();"));
}

TEST_F(BrowserVerify, SaysWhenThereIsNoSuchElement) {
    EXPECT_THAT(call("browser_verify_value",
                     R"({"type": "textbox", "element": "name", "target": "e9", "value": "x"})")
                    .text,
                HasSubstr("Ref e9 not found in the current page snapshot."));
    EXPECT_TRUE(
        call("browser_verify_value", R"({"type": "button", "element": "name", "target": "e2", "value": "x"})")
            .is_error);
}

TEST_F(BrowserVerify, GeneratesALocator) {
    EXPECT_EQ(call("browser_generate_locator", R"({"target": "e2"})")
                  .text.find("### Result\ngetByRole('button', { name: 'Submit' })"),
              0);
    EXPECT_TRUE(call("browser_generate_locator", R"({"target": "e9"})").is_error);
}

TEST(Assertions, AreWrittenInEveryLanguage) {
    using Kind = tools::Assertion::Kind;
    auto code = [](Kind kind, std::string text, Codegen language) {
        return to_code(tools::Assertion{kind, "it", std::move(text)}, language);
    };
    EXPECT_EQ(code(Kind::Visible, "", Codegen::Python), "expect(page.it).to_be_visible()");
    EXPECT_EQ(code(Kind::Visible, "", Codegen::Java), "assertThat(page.it).isVisible();");
    EXPECT_EQ(code(Kind::Visible, "", Codegen::CSharp), "await Expect(page.it).ToBeVisibleAsync();");
    EXPECT_EQ(code(Kind::Unchecked, "", Codegen::Python), "expect(page.it).not_to_be_checked()");
    EXPECT_EQ(code(Kind::Unchecked, "", Codegen::Java), "assertThat(page.it).not().isChecked();");
    EXPECT_EQ(code(Kind::Unchecked, "", Codegen::CSharp), "await Expect(page.it).Not.ToBeCheckedAsync();");
    EXPECT_EQ(code(Kind::Value, "v", Codegen::Python), "expect(page.it).to_have_value(\"v\")");
    EXPECT_EQ(code(Kind::Value, "", Codegen::Java), "assertThat(page.it).isEmpty();");
    EXPECT_EQ(code(Kind::Snapshot, "- a:\n  - b", Codegen::CSharp),
              "await Expect(page.it).ToMatchAriaSnapshotAsync(\"- a:\\n  - b\");");
    EXPECT_EQ(code(Kind::Snapshot, "- `${x}", Codegen::TypeScript),
              "await expect(page.it).toMatchAriaSnapshot(`\n  - \\`\\${x}\n  `);");
}

class ShortExpectation : public fakes::ToolTest {
protected:
    ShortExpectation()
        : ToolTest({.action_timeout = std::chrono::seconds(20),
                    .expect_timeout = std::chrono::milliseconds(300)}) {}
    void SetUp() override { show_page(); }
};

TEST_F(ShortExpectation, LimitsTheChecks) {
    Error late{.code = ErrorCode::Timeout, .message = "too slow"};
    for (auto [operation, type] :
         {std::pair("input_value", "textbox"), std::pair("is_checked", "checkbox")}) {
        page().fail(operation, late);
        auto outcome =
            call("browser_verify_value",
                 R"({"element": "x", "target": "e2", "value": "1", "type": ")" + std::string(type) + "\"}");
        EXPECT_TRUE(outcome.is_error);
        EXPECT_THAT(outcome.text, HasSubstr("Timeout 300ms exceeded")) << operation;
    }
}

}  // namespace
