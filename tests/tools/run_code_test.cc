#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;

Task<std::optional<std::string>> give(std::optional<std::string> value) { co_return value; }
Task<std::optional<std::string>> fail_with(Error error) {
    co_await std::move(error);
    co_return std::nullopt;
}

class BrowserRunCode : public fakes::ToolTest {
protected:
    BrowserRunCode() {
        call("browser_snapshot");
        run_code = [this](tools::Tab&, std::string code) {
            ran = std::move(code);
            return give(value);
        };
    }
    std::string ran;
    std::optional<std::string> value = R"({"a":1})";
};

TEST_F(BrowserRunCode, ShowsWhatTheCodeReturned) {
    EXPECT_EQ(
        call("browser_run_code_unsafe", R"js({"code": "async page => ({a: 1})"})js").text,
        "### Result\n{\"a\":1}\n### Ran Playwright code\n```js\nawait (async page => ({a: 1}))(page);\n```");
    EXPECT_EQ(ran, "async page => ({a: 1})");
}

TEST_F(BrowserRunCode, ShowsNothingForUndefined) {
    value = std::nullopt;

    EXPECT_EQ(call("browser_run_code_unsafe", R"({"code": "page => {}"})").text,
              "### Ran Playwright code\n```js\nawait (page => {})(page);\n```");
}

TEST_F(BrowserRunCode, ReadsTheCodeFromAFile) {
    directory.write("code.js", "page => 1");

    EXPECT_THAT(call("browser_run_code_unsafe", R"({"filename": "code.js", "code": "ignored"})").text,
                HasSubstr("await (page => 1)(page);"));
    EXPECT_EQ(call("browser_run_code_unsafe", R"({"filename": "no.js"})").text,
              "### Error\nError: ENOENT: no such file or directory, open '" +
                  (directory.path() / "no.js").string() + "'");
    EXPECT_THAT(call("browser_run_code_unsafe", R"({"filename": "/etc/passwd"})").text,
                HasSubstr("File access denied"));
}

TEST_F(BrowserRunCode, ShowsWhatTheCodeThrew) {
    run_code = [](tools::Tab&, const std::string&) {
        return fail_with({.code = ErrorCode::InvalidArgument, .message = "TypeError: x is not a function"});
    };

    EXPECT_EQ(call("browser_run_code_unsafe", R"js({"code": "page => x()"})js").text,
              "### Error\nTypeError: x is not a function");
}

TEST_F(BrowserRunCode, SaysWhatToInstallWhereThereIsNoNode) {
    tools::Tool tool =
        tools::run_code_tools([this](const tools::Caller&) { return session; }, nullptr).front();
    json::value arguments = json::object{{"code", "page => 1"}};

    auto outcome = fakes::to_outcome(fakes::run_task(loop, tool.run({arguments, client, Deadline::never()})));

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, testing::AllOf(HasSubstr("Node.js"), HasSubstr("playwright-core"),
                                             HasSubstr("browser_evaluate")));
}

}  // namespace
