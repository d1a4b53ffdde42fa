#include "cli/playwright_test.h"

#include <gmock/gmock.h>

#include "cli/export.h"
#include "util/strings.h"

namespace {

using testing::HasSubstr;
using testing::Not;

struct Seen {
    std::string url = {}, network = {}, more = {};
    std::optional<std::string> snapshot = {};
};

class PlaywrightTestTest : public testing::Test {
protected:
    void call(std::string tool, std::string params, const std::string& code, Seen seen = {}) {
        std::string text = code.empty() ? "" : "### Ran Playwright code\n```js\n" + code + "\n```\n";
        json::array content{json::object{{"type", "text"}, {"text", text + seen.more}}};
        store::Call& added = recorded.calls.emplace_back();
        added.summary.tool_name = std::move(tool);
        added.summary.status = store::Status::Success;
        added.summary.page_url = seen.url;
        added.params = std::move(params);
        added.result = json::serialize(json::object{{"content", content}});
        added.page_snapshot = seen.snapshot;
        added.network = seen.network;
    }
    void failed(std::string tool, std::string params, std::string error) {
        call(std::move(tool), std::move(params), "");
        recorded.calls.back().summary.status = store::Status::Error;
        recorded.calls.back().summary.error_message = std::move(error);
    }
    // A call whose answer is JSON, as those of the toolkit.
    void answered(std::string tool, std::string params, const std::string& data = "{}",
                  std::string url = "") {
        call(std::move(tool), std::move(params), "",
             {.url = std::move(url), .more = R"({"success":true,"data":)" + data + "}"});
    }
    std::string exported() {
        auto text = cli::to_playwright_test(recorded);
        return text ? *text : text.error().to_string();
    }

    cli::Recorded recorded{"ann"};
};

TEST_F(PlaywrightTestTest, ReadsFromTheEnvironmentWhatWasTypedAsAPassword) {
    call("browser_type", R"({"target":"e1","text":"<secret>password</secret>"})",
         "await page.getByRole('textbox', { name: 'My PIN' }).fill('abc');\nawait page.getByRole('textbox', "
         "{ name: 'My PIN' }).press('Enter');");
    call("browser_fill_form", R"({"fields":[{"value":"x"},{"value":"<secret>password</secret>"}]})",
         "await page.getByLabel('User').fill('x');\nawait "
         "page.getByLabel('Word').pressSequentially('<secret>password</secret>');");
    call("browser_type", R"({"text":"TOKEN"})", "await page.getByLabel('Code').fill(process.env['TOKEN']);");
    std::string test = exported();
    EXPECT_THAT(test, HasSubstr("name: 'My PIN' }).fill(process.env.MY_PIN);"));
    EXPECT_THAT(test, HasSubstr("name: 'My PIN' }).press('Enter');"));
    EXPECT_THAT(test, HasSubstr("getByLabel('User').fill('x');"));
    EXPECT_THAT(test, HasSubstr("getByLabel('Word').pressSequentially(process.env.WORD);"));
    EXPECT_THAT(test, HasSubstr("getByLabel('Code').fill(process.env.TOKEN);"));
    EXPECT_THAT(test, HasSubstr("for (const name of ['MY_PIN', 'TOKEN', 'WORD'])"));
    EXPECT_THAT(test, Not(HasSubstr("abc")));
}

TEST_F(PlaywrightTestTest, TypesAPasswordOfSeveralKeysAtOnce) {
    for (int i = 0; i < 3; ++i)
        call("browser_press_key", R"({"key":"<secret>password</secret>"})",
             "// Press a\nawait page.keyboard.press('a');");
    call("browser_press_key", R"({"key":"Enter"})", "// Press Enter\nawait page.keyboard.press('Enter');");
    std::string test = exported();
    EXPECT_THAT(test, HasSubstr("await page.keyboard.type(process.env.PASSWORD);\n  // Press Enter"));
    EXPECT_THAT(test, Not(HasSubstr("'a'")));
}

TEST_F(PlaywrightTestTest, WaitsForANavigationThatTheAddressDoesNotTell) {
    call("browser_navigate", R"({"url":"http://x/"})", "await page.goto('http://x/');", {.url = "http://x/"});
    call("browser_type", R"({"text":"a"})", "await page.getByLabel('A').press('Enter');",
         {.url = "http://x/", .network = R"([{"type":"document","url":"http://x/"}])"});
    EXPECT_THAT(
        exported(),
        HasSubstr(
            "const navigation = page.waitForEvent('framenavigated', frame => frame === page.mainFrame());\n"
            "  await page.getByLabel('A').press('Enter');\n  await navigation;"));
}

TEST_F(PlaywrightTestTest, BelievesTheLastLookBeforeTheNextAction) {
    call("browser_click", "{}", "await page.a.click();", {.snapshot = "- status [ref=e1]: Loading"});
    call("browser_wait_for", "{}", "await page.getByText(\"Done\").first().waitFor();",
         {.snapshot = "- status [ref=e1]: Done"});
    std::string test = exported();
    EXPECT_THAT(
        test,
        HasSubstr("waitFor();\n  await expect(page.locator('body')).toMatchAriaSnapshot('- status: Done');"));
    EXPECT_THAT(test, Not(HasSubstr("Loading")));
}

TEST_F(PlaywrightTestTest, FindsAPopupThatWasSeenLate) {
    call("browser_navigate", "{}", "await page.goto('http://x/');", {.url = "http://x/"});
    call("browser_tabs", R"({"action":"select","index":0})", "",
         {.more = "### Result\n- 0: (current) [](http://x/)"});
    call("browser_tabs", R"({"action":"list"})", "",
         {.more = "### Result\n- 0: (current) [](http://x/)\n- 1: [](http://x/late)"});
    call(
        "browser_tabs", R"({"action":"select","index":1})", "",
        {.url = "http://x/late", .more = "### Result\n- 0: [](http://x/)\n- 1: (current) [](http://x/late)"});
    std::string test = exported();
    EXPECT_THAT(test, HasSubstr("await expect.poll(() => context.pages().length).toBeGreaterThan(1);\n  "
                                "const page1 = context.pages()[1];"));
    EXPECT_THAT(test, HasSubstr("await expect(page1).toHaveURL('http://x/late');"));
}

TEST_F(PlaywrightTestTest, GoesOnInThePageThatIsLeftWhenAPopupClosesItself) {
    call("browser_click", "{}", "await page.a.click();",
         {.url = "http://x/", .more = "### Open tabs\n- 0: (current) [](http://x/)\n- 1: [](http://x/b)\n"});
    call("browser_tabs", R"({"action":"select","index":1})", "",
         {.url = "http://x/b", .more = "### Result\n- 0: [](http://x/)\n- 1: (current) [](http://x/b)"});
    call("browser_click", "{}", "await page.closes.click();",
         {.url = "http://x/", .more = "### Page\n- Page URL: http://x/"});
    call("browser_click", "{}", "await page.b.click();", {.url = "http://x/"});
    EXPECT_THAT(exported(), HasSubstr("await page1.closes.click();\n  await page.b.click();"));
}

TEST_F(PlaywrightTestTest, OpensAPageAfterTheBrowserWasClosed) {
    call("browser_navigate", "{}", "await page.goto('http://x/');");
    call("browser_close", "{}", "await page.close()");
    call("browser_navigate", "{}", "await page.goto('http://y/');");
    EXPECT_THAT(exported(),
                HasSubstr("await page.close();\n  const page1 = await context.newPage();\n  await "
                          "page1.goto('http://y/');"));
}

TEST_F(PlaywrightTestTest, TakesUpADownloadThatAnAddressLeadsTo) {
    call("browser_navigate", "{}", "await page.goto('http://x/a.zip');",
         {.more = "### Events\n- Downloading file a.zip ..."});
    std::string test = exported();
    EXPECT_THAT(
        test,
        HasSubstr(
            "await page.goto('http://x/a.zip').catch(() => {});\n  const download = await downloadPromise;"));
}

TEST_F(PlaywrightTestTest, LeavesOutWhatFailedAndWhatItLeftBehind) {
    call("browser_click", "{}", "await page.a.click();", {.url = "http://x/"});
    failed("browser_click", "{\"target\":\"e9\"}", "### Error\nNo e9\nhere");
    call("browser_snapshot", "{}", "", {.url = "http://x/other", .snapshot = "- heading \"Other\" [ref=e1]"});
    std::string test = exported();
    EXPECT_THAT(test,
                HasSubstr("// Left out, because it failed: browser_click {\"target\":\"e9\"}: No e9 here\n"));
    EXPECT_THAT(test, Not(HasSubstr("ther'")));
}

TEST_F(PlaywrightTestTest, WritesCallsOfTheToolkit) {
    answered("navigate", R"({"url":"x.invalid/login"})",
             R"({"url":"https://x.invalid/login","title":"Login"})", "https://x.invalid/login");
    answered("fill", R"({"selector":"#pin","value":"<secret>password</secret>"})");
    answered("type", R"j({"selector":"page.getByLabel('Code')","text":"<secret>TOKEN</secret>"})j");
    answered("press", R"({"key":"a","modifiers":["Control"]})");
    answered("select", R"({"selector":"select","value":"one"})");
    answered("mock_response", R"({"url":"**/a","response":{"status":404,"body":{"a":1}}})");
    std::string test = exported();
    EXPECT_THAT(test, HasSubstr("await page.goto('https://x.invalid/login');\n  await "
                                "expect(page).toHaveURL('https://x.invalid/login');\n  await "
                                "expect(page).toHaveTitle('Login');"));
    EXPECT_THAT(test, HasSubstr("page.locator('#pin').first().fill(process.env.PIN);"));
    EXPECT_THAT(test, HasSubstr("page.getByLabel('Code').first().pressSequentially(process.env.TOKEN);"));
    EXPECT_THAT(test, HasSubstr("await page.keyboard.press('Control+a');"));
    EXPECT_THAT(test, HasSubstr("selectOption([\"one\"]);"));
    EXPECT_THAT(test, HasSubstr("route('**/a', route => route.fulfill({ status: 404, contentType: "
                                "'application/json', body: '{\"a\":1}' }));"));
}

TEST_F(PlaywrightTestTest, ChecksWhatAnswersSaidLast) {
    answered("click", R"({"selector":"#go"})");
    answered("get_text", R"({"selector":"output"})", R"({"text":"Loading"})");
    answered("wait_for_selector", R"({"selector":"#done"})");
    answered("is_visible", R"({"selector":"#done"})", R"({"exists":true,"visible":true})");
    answered("get_value", R"({"selector":"#a"})", R"({"value":"1"})");
    answered("get_value", R"({"selector":"#a"})", R"({"value":"2"})");
    std::string test = exported();
    EXPECT_THAT(test, Not(HasSubstr("Loading")));
    EXPECT_THAT(test, HasSubstr("expect(page.locator('#done').first()).toBeVisible();"));
    EXPECT_THAT(test, HasSubstr("expect(page.locator('#a').first()).toHaveValue('2');"));
    EXPECT_THAT(test, Not(HasSubstr("toHaveValue('1')")));
}

TEST_F(PlaywrightTestTest, WritesFunctionsThatPlaywrightRuns) {
    call("browser_evaluate", R"j({"function":"() => { page.title = 'x'; }"})j",
         R"(await page.evaluate('() => { page.title = \'x\'; }');)");
    call("browser_evaluate", R"({"target":"e1","function":"document.title"})",
         "await page.getByText('a').evaluate('() => (document.title)');");
    answered("evaluate", R"({"script":"a = 1; return a"})", "1");
    answered("evaluate", R"({"script":"(a, b) => a","args":[1,2]})", "1");
    std::string test = exported();
    EXPECT_THAT(test, HasSubstr("await page.evaluate(() => { page.title = 'x'; });"));
    EXPECT_THAT(test, HasSubstr("await page.getByText('a').evaluate(() => (document.title));"));
    EXPECT_THAT(test, HasSubstr("await page.evaluate(async () => {\n    a = 1; return a\n  });"));
    EXPECT_THAT(test, HasSubstr("await page.evaluate(args => ((a, b) => a)(...args), [1,2]);"));
}

TEST_F(PlaywrightTestTest, MakesAFunctionThatNeedsTheEnvironmentOfAString) {
    call("browser_evaluate", R"j({"function":"() => fetch('/?<secret>TOKEN</secret>')"})j",
         R"(await page.evaluate('() => fetch(\'/?<secret>TOKEN</secret>\')');)");
    EXPECT_THAT(
        exported(),
        HasSubstr(
            R"j(await page.evaluate(new Function('return (() => fetch(\'/?' + process.env.TOKEN + '\')\n)')());)j"));
}

TEST_F(PlaywrightTestTest, KeepsCommentsOnOneLine) {
    call("browser_click", "{}", "await page.a.click();");
    failed("browser_click", "{\"element\":\"a\u2028evil()\"}", "No such\revil()\u2029evil()");
    EXPECT_THAT(exported(), HasSubstr("{\"element\":\"a evil()\"}: No such evil() evil()\n"));
}

TEST_F(PlaywrightTestTest, NamesWhatATestCannotRepeatAndDoesNotAssertThePageThatItLeft) {
    answered("navigate", R"({"url":"http://x/"})", R"({"url":"http://x/","title":""})", "http://x/");
    answered("click", R"({"selector":"e9"})", "{}", "http://x/other");
    answered("get_text", R"({"selector":"h1"})", R"({"text":"Other"})", "http://x/other");
    answered("page_tool", R"({"a":1})", "{}", "http://x/more");
    answered("navigate", R"({"url":"http://x/end"})", R"({"url":"http://x/end","title":"End"})",
             "http://x/end");
    std::string test = exported();
    EXPECT_THAT(test,
                HasSubstr("// Left out, because a test cannot repeat it: click {\"selector\":\"e9\"}\n"));
    EXPECT_THAT(test, HasSubstr("// Left out, because a test cannot repeat it: page_tool {\"a\":1}\n"));
    EXPECT_THAT(test, Not(HasSubstr("ther'")));
    EXPECT_THAT(test, Not(HasSubstr("/more'")));
    EXPECT_THAT(test, HasSubstr("toHaveURL('http://x/end');"));
}

TEST_F(PlaywrightTestTest, SaysThatThereIsNothingToExport) {
    call("browser_snapshot", "{}", "");
    failed("browser_click", "{}", "### Error\nno");
    EXPECT_THAT(exported(), HasSubstr("No call of session ann has code to export"));
    EXPECT_THAT(exported(), HasSubstr("troupe history list --session ann"));
}

}  // namespace
