#include "cli/javascript.h"

#include <gmock/gmock.h>

namespace {

using cli::strings_of;
using cli::with_environment;
using cli::with_last_string;
using cli::with_variable_renamed;
using testing::ElementsAre;

TEST(JavaScript, RenamesAVariableAndNothingElseOfThatName) {
    EXPECT_EQ(with_variable_renamed("await page.getByText('page').dragTo(page.locator(\"page\"));", "page",
                                    "page1"),
              "await page1.getByText('page').dragTo(page1.locator(\"page\"));");
    EXPECT_EQ(with_variable_renamed("f(a.page, { page: page }); // page", "page", "p"),
              "f(a.page, { page: p }); // page");
    EXPECT_EQ(with_variable_renamed("`page ${page.url() + `${page}`} page`", "page", "p"),
              "`page ${p.url() + `${p}`} page`");
    EXPECT_EQ(with_variable_renamed("page.getByText(/it's page/); page", "page", "p"),
              "p.getByText(/it's page/); p");
    EXPECT_EQ(with_variable_renamed("f(...page, pages, mypage)", "page", "p"), "f(...p, pages, mypage)");
    EXPECT_EQ(with_variable_renamed("'it\\'s page' + page", "page", "p"), "'it\\'s page' + p");
}

TEST(JavaScript, LooksUpInTheEnvironmentWhatARedactorTookOut) {
    auto upper = [](std::string_view name) { return "MY_" + std::string(name); };
    EXPECT_EQ(with_environment("f('<secret>A</secret>')", upper), "f(process.env.MY_A)");
    EXPECT_EQ(with_environment("f('x<secret>A</secret>y')", upper), "f('x' + process.env.MY_A + 'y')");
    EXPECT_EQ(with_environment("`x<secret>A</secret>`", upper), "`x${process.env.MY_A}`");
    EXPECT_EQ(with_environment("// <secret>A</secret>", upper), "// <secret>A</secret>");
}

TEST(JavaScript, FindsAndReplacesStrings) {
    std::string code = "await page.getByLabel('a \\'b').fill(\"c\");";
    EXPECT_THAT(strings_of(code), ElementsAre("'a \\'b'", "\"c\""));
    EXPECT_EQ(with_last_string(code, "X"), "await page.getByLabel('a \\'b').fill(X);");
}

TEST(JavaScript, NamesVariablesOfTheEnvironment) {
    EXPECT_EQ(cli::environment_variable("TOKEN_1"), "process.env.TOKEN_1");
    EXPECT_EQ(cli::environment_variable("my-token"), "process.env['my-token']");
}

TEST(JavaScript, IndentsWhatIsNotInATemplate) {
    EXPECT_EQ(cli::indented("f(`a\n b${\nc}\nd`,\n\n'x');\n// e"),
              "  f(`a\n b${\n  c}\nd`,\n\n  'x');\n  // e");
}

TEST(JavaScript, TellsAFunctionFromAnExpressionAndFromStatements) {
    using cli::Script;
    for (const char* text : {"() => 1", "async () => { await x; }", "x => ({ a: x })",
                             "(a, { b }) => {\n  return `${a}; ${b}`;\n}", "function () { return 1; }",
                             "async function f(a) { if (a) { return; } }", "async x => x",
                             "() => {} // a comment", "(a) =>\n  a\n    .b()"})
        EXPECT_EQ(cli::kind_of_script(text), Script::Function) << text;
    for (const char* text :
         {"document.title", "document.title = 'a; b'", "(() => { a; b; })()", "a\n  .b()\n  .c()",
          "f(() => { a; })", "window.f = () => { a; b; }", "[1, 2]", "`${a}\n${b}`", "async", "/* x; */ a"})
        EXPECT_EQ(cli::kind_of_script(text), Script::Expression) << text;
    for (const char* text : {"const a = 1; return a", "return 1", "a\nb", "a = 1\nb = 2", "() => {}; f()",
                             "{ a }", "if (a) b()", "function f() {} f()", "a; // comment", "let x = 1"})
        EXPECT_EQ(cli::kind_of_script(text), Script::Statements) << text;
}

TEST(JavaScript, EndsAlsoWhereTheCodeDoesNot) {
    for (std::string code : {"'page", "`page ${", "/* page", "f(/page", "'\\", "`\\"})
        EXPECT_EQ(with_variable_renamed(code, "page", "p"), code);
}

}  // namespace
