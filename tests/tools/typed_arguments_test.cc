#include "tools/typed_arguments.h"

#include "tests/tools/support.h"

namespace {

json::value parsed(std::string_view text) { return json::parse(text).value(); }

TEST(TypedArguments, AreWithheldUntilTheCallHasEnded) {
    EXPECT_EQ(tools::without_typed("browser_type", parsed(R"({"target": "e1", "text": "x"})")),
              parsed(R"({"target": "e1", "text": "<withheld>"})"));
    EXPECT_EQ(
        tools::without_typed("browser_fill_form", parsed(R"({"fields": [{"value": "x"}, 5, {"value": 7}]})")),
        parsed(R"({"fields": [{"value": "<withheld>"}, 5, {"value": 7}]})"));
    EXPECT_EQ(tools::without_typed("browser_press_key", parsed(R"({"key": "Enter"})")),
              parsed(R"({"key": "Enter"})"));
    EXPECT_EQ(tools::without_typed("browser_press_key", parsed(R"({"key": "a"})")),
              parsed(R"({"key": "<withheld>"})"));
    EXPECT_EQ(tools::without_typed("browser_click", parsed(R"({"text": "x"})")), parsed(R"({"text": "x"})"));
    EXPECT_EQ(tools::without_typed("browser_type", parsed("5")), parsed("5"));
}

TEST(TypedArguments, AreKeptUnlessTheyArePasswords) {
    session::TypedPasswords passwords;
    passwords.add("hunter2");
    auto kept = [&](std::string_view arguments) {
        return json::serialize(tools::without_passwords("browser_type", parsed(arguments), passwords));
    };

    EXPECT_EQ(kept(R"({"target": "e1", "text": "hunter2"})"),
              R"({"target":"e1","text":"<secret>password</secret>"})");
    EXPECT_EQ(kept(R"({"target": "e1", "text": "hello"})"), R"({"target":"e1","text":"hello"})");
    for (const char* field : {"Password field", "#user-pwd", "PIN", "[name=otp]", "API key"}) {
        EXPECT_EQ(json::find_string(
                      parsed(kept(json::serialize(json::object{{"element", field}, {"text", "named"}})))
                          .as_object(),
                      "text"),
                  "<secret>password</secret>")
            << field;
    }
    EXPECT_TRUE(passwords.holds("named"));
    EXPECT_EQ(kept(R"({"element": "Spinning pinch", "text": "hello"})"),
              R"({"element":"Spinning pinch","text":"hello"})");
}

class PasswordsTest : public fakes::ToolTest {
protected:
    PasswordsTest() {
        show_page();
        page().add_element("e3", "getByRole('textbox')");
        page().password_fields = {"e3"};
    }
};

TEST_F(PasswordsTest, AreNotedWhenTheyAreTyped) {
    page().add_element("e4", "getByRole('textbox')");
    for (auto [tool, arguments] :
         {std::pair("browser_type", R"({"target": "e3", "text": "typed-0"})"),
          std::pair("browser_type", R"({"target": "e3", "text": "typed-1", "slowly": true})"),
          std::pair("browser_fill_form",
                    R"({"fields": [{"target": "e3", "name": "x", "type": "textbox", "value": "typed-2"}]})"),
          std::pair("type", R"({"selector": "e3", "text": "typed-3"})"),
          std::pair("fill", R"({"selector": "e3", "value": "typed-4"})"),
          std::pair("browser_type", R"({"target": "e4", "text": "no password"})")})
        EXPECT_FALSE(call(tool, arguments).is_error) << tool;
    page().focused_password_text = "typed-5";
    (void)call("browser_press_key", R"({"key": "k"})");
    (void)call("browser_press_key", R"({"key": "Enter"})");
    page().focused_password_text.reset();
    page().shown_passwords = {"shown-6"};
    (void)call("browser_snapshot", "{}");
    (void)call("browser_verify_value",
               R"({"type": "textbox", "element": "x", "target": "e3", "value": "asked-7"})");

    const session::TypedPasswords& passwords = *session->passwords();
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(passwords.holds("typed-" + std::to_string(i))) << i;
    for (std::string_view text : {"typed-5k", "shown-6", "asked-7"})
        EXPECT_TRUE(passwords.holds(text)) << text;
    EXPECT_TRUE(passwords.holds("k"));
    EXPECT_FALSE(passwords.holds("Enter"));
    EXPECT_FALSE(passwords.holds("no password"));
    EXPECT_EQ(passwords.redactor().redact("a typed-3 k"), "a <secret>password</secret> k");
}

TEST(TypedArguments, AreMarkedWhenTheyNameASecret) {
    session::Secrets secrets({{"TOKEN", "s3cret-value"}});
    EXPECT_EQ(tools::with_secret_marks("fill", parsed(R"({"selector": "#pass", "value": "TOKEN"})"), secrets),
              parsed(R"({"selector": "#pass", "value": "<secret>TOKEN</secret>"})"));
    EXPECT_EQ(tools::with_secret_marks("browser_type", parsed(R"({"text": "A TOKEN"})"), secrets),
              parsed(R"({"text": "A TOKEN"})"));
    EXPECT_EQ(tools::with_secret_marks("press", parsed(R"({"key": "TOKEN"})"), secrets),
              parsed(R"({"key": "TOKEN"})"));

    session::TypedPasswords passwords;
    json::value marked = parsed(R"({"selector": "#password", "value": "<secret>TOKEN</secret>"})");
    EXPECT_EQ(tools::without_passwords("fill", marked, passwords), marked);
    EXPECT_TRUE(passwords.redactor().empty());
}

}  // namespace
