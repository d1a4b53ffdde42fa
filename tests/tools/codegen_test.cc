#include "tools/codegen.h"

#include <gtest/gtest.h>

#include "tools/source_text.h"

namespace {

using engine::Modifier;
using engine::MouseButton;
using session::Codegen;
using tools::Action;
using tools::to_code;
using Kind = Action::Kind;

constexpr Codegen kAll[] = {Codegen::TypeScript, Codegen::Python, Codegen::Java, Codegen::CSharp};

// The action in TypeScript, Python, Java and C#.
std::vector<std::string> in_all(const Action& action) {
    std::vector<std::string> codes;
    for (Codegen language : kAll) codes.push_back(to_code(action, language));
    return codes;
}
using Codes = std::vector<std::string>;

TEST(Codegen, GoesToAnAddress) {
    EXPECT_EQ(in_all({.kind = Kind::Navigate, .text = "http://localhost"}),
              (Codes{
                  "await page.goto('http://localhost');",
                  "page.goto(\"http://localhost\")",
                  "page.navigate(\"http://localhost\");",
                  "await page.GotoAsync(\"http://localhost\");",
              }));
}

TEST(Codegen, Clicks) {
    EXPECT_EQ(in_all({.kind = Kind::Click, .locator = "it"}), (Codes{
                                                                  "await page.it.click();",
                                                                  "page.it.click()",
                                                                  "page.it.click();",
                                                                  "await page.it.ClickAsync();",
                                                              }));
    EXPECT_EQ(in_all({.kind = Kind::Click, .locator = "it", .click = {.count = 2}}),
              (Codes{
                  "await page.it.dblclick();",
                  "page.it.dblclick()",
                  "page.it.dblclick();",
                  "await page.it.DblClickAsync();",
              }));
}

TEST(Codegen, ClicksWithAnotherButtonAndModifiers) {
    Action action{.kind = Kind::Click,
                  .locator = "it",
                  .click = {.button = MouseButton::Right,
                            .modifiers = {Modifier::Shift, Modifier::Alt, Modifier::Control}}};

    EXPECT_EQ(
        in_all(action),
        (Codes{
            "await page.it.click({\n  button: 'right',\n  modifiers: ['Alt', 'ControlOrMeta', 'Shift']\n});",
            "page.it.click(button=\"right\", modifiers=[\"Alt\", \"ControlOrMeta\", \"Shift\"])",
            "page.it.click(new Locator.ClickOptions()\n  .setButton(MouseButton.RIGHT)\n"
            "  .setModifiers(Arrays.asList(KeyboardModifier.ALT, KeyboardModifier.CONTROLORMETA, "
            "KeyboardModifier.SHIFT)));",
            "await page.it.ClickAsync(new()\n{\n    Button = MouseButton.Right,\n"
            "    Modifiers = new[] { KeyboardModifier.Alt, KeyboardModifier.ControlOrMeta, "
            "KeyboardModifier.Shift },\n});",
        }));
}

TEST(Codegen, PrintsOnlyTheOptionsThatAreUnusual) {
    EXPECT_EQ(in_all({.kind = Kind::Click, .locator = "it", .click = {.button = MouseButton::Middle}}),
              (Codes{
                  "await page.it.click({\n  button: 'middle'\n});",
                  "page.it.click(button=\"middle\")",
                  "page.it.click(new Locator.ClickOptions()\n  .setButton(MouseButton.MIDDLE));",
                  "await page.it.ClickAsync(new()\n{\n    Button = MouseButton.Middle,\n});",
              }));
    EXPECT_EQ(in_all({.kind = Kind::Click, .locator = "it", .click = {.modifiers = {Modifier::Meta}}}),
              (Codes{
                  "await page.it.click({\n  modifiers: ['ControlOrMeta']\n});",
                  "page.it.click(modifiers=[\"ControlOrMeta\"])",
                  "page.it.click(new Locator.ClickOptions()\n  "
                  ".setModifiers(Arrays.asList(KeyboardModifier.CONTROLORMETA)));",
                  "await page.it.ClickAsync(new()\n{\n    Modifiers = new[] { KeyboardModifier.ControlOrMeta "
                  "},\n});",
              }));
}

TEST(Codegen, ClicksMoreThanTwiceAndInAPlace) {
    EXPECT_EQ(in_all({.kind = Kind::Click, .locator = "it", .click = {.count = 3}, .position = {{4, 5.5}}}),
              (Codes{
                  "await page.it.click({\n  clickCount: 3,\n  position: {\n    x: 4,\n    y: 5.5\n  }\n});",
                  "page.it.click(click_count=3, position={\"x\": 4, \"y\": 5.5})",
                  "page.it.click(new Locator.ClickOptions()\n  .setClickCount(3)\n  .setPosition(4, 5.5));",
                  "await page.it.ClickAsync(new()\n{\n    ClickCount = 3,\n"
                  "    Position = new() { X = 4, Y = 5.5 },\n});",
              }));
}

TEST(Codegen, PressesWithModifiersOnAnotherPage) {
    EXPECT_EQ(in_all({.kind = Kind::Press,
                      .locator = "it",
                      .text = "a",
                      .click = {.modifiers = {Modifier::Control, Modifier::Shift}},
                      .page = "page1"}),
              (Codes{
                  "await page1.it.press('ControlOrMeta+Shift+a');",
                  "page1.it.press(\"ControlOrMeta+Shift+a\")",
                  "page1.it.press(\"ControlOrMeta+Shift+a\");",
                  "await page1.it.PressAsync(\"ControlOrMeta+Shift+a\");",
              }));
}

TEST(Codegen, SetsNoneOneOrSeveralFiles) {
    EXPECT_EQ(in_all({.kind = Kind::SetFiles, .locator = "it", .options = {"a"}}),
              (Codes{
                  "await page.it.setInputFiles('a');",
                  "page.it.set_input_files(\"a\")",
                  "page.it.setInputFiles(Paths.get(\"a\"));",
                  "await page.it.SetInputFilesAsync(new[] { \"a\" });",
              }));
    EXPECT_EQ(to_code({.kind = Kind::SetFiles, .locator = "it", .options = {"a", "b"}}, Codegen::Java),
              "page.it.setInputFiles(new Path[] {Paths.get(\"a\"), Paths.get(\"b\")});");
    EXPECT_EQ(to_code({.kind = Kind::SetFiles, .locator = "it"}, Codegen::Java),
              "page.it.setInputFiles(new Path[0]);");
}

TEST(Codegen, FillsPressesChecksAndHovers) {
    EXPECT_EQ(in_all({.kind = Kind::Fill, .locator = "it", .text = "a\"b'c\\d\ne"}),
              (Codes{
                  "await page.it.fill('a\"b\\'c\\\\d\\ne');",
                  "page.it.fill(\"a\\\"b'c\\\\d\\ne\")",
                  "page.it.fill(\"a\\\"b'c\\\\d\\ne\");",
                  "await page.it.FillAsync(\"a\\\"b'c\\\\d\\ne\");",
              }));
    EXPECT_EQ(in_all({.kind = Kind::Press, .locator = "it", .text = "Enter"}),
              (Codes{
                  "await page.it.press('Enter');",
                  "page.it.press(\"Enter\")",
                  "page.it.press(\"Enter\");",
                  "await page.it.PressAsync(\"Enter\");",
              }));
    EXPECT_EQ(in_all({.kind = Kind::Check, .locator = "it"}),
              (Codes{"await page.it.check();", "page.it.check()", "page.it.check();",
                     "await page.it.CheckAsync();"}));
    EXPECT_EQ(in_all({.kind = Kind::Uncheck, .locator = "it"}),
              (Codes{"await page.it.uncheck();", "page.it.uncheck()", "page.it.uncheck();",
                     "await page.it.UncheckAsync();"}));
    EXPECT_EQ(in_all({.kind = Kind::Hover, .locator = "it"}),
              (Codes{"await page.it.hover();", "page.it.hover()", "page.it.hover();",
                     "await page.it.HoverAsync();"}));
}

TEST(Codegen, SelectsNoneOneOrSeveralOptions) {
    EXPECT_EQ(in_all({.kind = Kind::Select, .locator = "it", .options = {"a"}}),
              (Codes{
                  "await page.it.selectOption('a');",
                  "page.it.select_option(\"a\")",
                  "page.it.selectOption(\"a\");",
                  "await page.it.SelectOptionAsync(new[] { \"a\" });",
              }));
    EXPECT_EQ(in_all({.kind = Kind::Select, .locator = "it", .options = {"a", "b"}}),
              (Codes{
                  "await page.it.selectOption(['a', 'b']);",
                  "page.it.select_option([\"a\", \"b\"])",
                  "page.it.selectOption(new String[] {\"a\", \"b\"});",
                  "await page.it.SelectOptionAsync(new[] { \"a\", \"b\" });",
              }));
    EXPECT_EQ(in_all({.kind = Kind::Select, .locator = "it"}),
              (Codes{
                  "await page.it.selectOption([]);",
                  "page.it.select_option([])",
                  "page.it.selectOption(new String[0]);",
                  "await page.it.SelectOptionAsync(new[] {  });",
              }));
}

TEST(Codegen, ReadsSecretsFromTheEnvironment) {
    Action action{.kind = Kind::Fill, .locator = "it", .text = tools::secret_mark("X-PASSWORD")};
    Codes codes;
    for (Codegen language : kAll)
        codes.push_back(tools::with_secret_code(to_code(action, language), {"X-PASSWORD"}, language));

    EXPECT_EQ(codes, (Codes{
                         "await page.it.fill(process.env['X-PASSWORD']);",
                         "page.it.fill(os.environ[\"X-PASSWORD\"])",
                         "page.it.fill(System.getenv(\"X-PASSWORD\"));",
                         "await page.it.FillAsync(Environment.GetEnvironmentVariable(\"X-PASSWORD\"));",
                     }));
}

TEST(Quote, EscapesAsJsonDoesAndTheQuoteItself) {
    EXPECT_EQ(tools::quote("it's \"x\" \\ \n\t\x01 é \xE2\x80\xA8"),
              "'it\\'s \"x\" \\\\ \\n\\t\\u0001 é \xE2\x80\xA8'");
    EXPECT_EQ(tools::quote("it's \"x\"", '"'), "\"it's \\\"x\\\"\"");
    EXPECT_EQ(tools::quote("a/b"), "'a/b'");
}

TEST(ToJavascript, SortsKeysAndPrintsListsOnOneLine) {
    json::value value =
        json::parse(R"({"type": "png", "files": ["a", "b"], "n": 1.5, "no": null, "yes": true})").value();

    EXPECT_EQ(tools::to_javascript(value),
              "{\n  files: ['a', 'b'],\n  n: 1.5,\n  no: null,\n  type: 'png',\n  yes: true\n}");
    EXPECT_EQ(tools::to_javascript(value, tools::Layout::OneLine),
              "{ files: ['a', 'b'], n: 1.5, no: null, type: 'png', yes: true }");
    EXPECT_EQ(tools::to_javascript(json::object{}), "{}");
}

TEST(ToJavascript, PrintsNumbersAsJavascriptDoes) {
    EXPECT_EQ(tools::to_javascript(3.0), "3");
    EXPECT_EQ(tools::to_javascript(0.2), "0.2");
    EXPECT_EQ(tools::to_javascript(-1.0), "-1");
}

}  // namespace
