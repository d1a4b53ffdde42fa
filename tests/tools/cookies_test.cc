#include "tests/tools/support.h"

namespace {

using testing::HasSubstr;

class BrowserCookie : public fakes::ToolTest {
protected:
    void SetUp() override { show_page("http://user@localhost:8080/page"); }
    void put(std::string_view cookie) { context().jar.push_back(*json::parse(cookie)); }
    void put_two() {
        put(R"({"name": "a", "value": "1", "domain": "localhost", "path": "/", "httpOnly": true, "secure": false,
                "sameSite": "Lax"})");
        put(R"({"name": "b", "value": "2", "domain": ".example.com", "path": "/x", "httpOnly": false,
                "secure": true, "sameSite": "None"})");
    }
};

TEST_F(BrowserCookie, ListSaysThatThereAreNone) {
    auto outcome = call("browser_cookie_list");

    EXPECT_THAT(outcome.text, HasSubstr("### Result\nNo cookies found\n"));
    EXPECT_THAT(outcome.text, HasSubstr("await page.context().cookies();"));
}

TEST_F(BrowserCookie, ListKeepsToADomainAndAPath) {
    put_two();

    EXPECT_THAT(call("browser_cookie_list").text,
                HasSubstr("a=1 (domain: localhost, path: /)\nb=2 (domain: .example.com, path: /x)"));
    EXPECT_THAT(call("browser_cookie_list", R"({"domain": "exam"})").text, HasSubstr("### Result\nb=2 ("));
    EXPECT_THAT(call("browser_cookie_list", R"({"path": "/x"})").text, HasSubstr("### Result\nb=2 ("));
    EXPECT_THAT(call("browser_cookie_list", R"({"domain": "no"})").text, HasSubstr("No cookies found"));
}

TEST_F(BrowserCookie, GetShowsOneInFull) {
    put_two();

    EXPECT_THAT(
        call("browser_cookie_get", R"({"name": "b"})").text,
        HasSubstr("b=2 (domain: .example.com, path: /x, httpOnly: false, secure: true, sameSite: None)"));
    EXPECT_THAT(call("browser_cookie_get", R"({"name": "c"})").text, HasSubstr("Cookie 'c' not found"));
}

TEST_F(BrowserCookie, SetTakesTheHostOfThePage) {
    auto outcome = call("browser_cookie_set", R"({"name": "n", "value": "v"})");

    EXPECT_THAT(outcome.text, HasSubstr("await page.context().addCookies([{\"name\":\"n\",\"value\":\"v\","
                                        "\"domain\":\"localhost\",\"path\":\"/\"}]);"));
    EXPECT_EQ(context().jar.size(), 1);
}

TEST_F(BrowserCookie, SetPassesEveryFlagOn) {
    call("browser_cookie_set", R"({"name": "n", "value": "v", "domain": "a.example", "path": "/p",
                                   "expires": 1900000000, "httpOnly": true, "secure": true, "sameSite": "None"})");

    EXPECT_EQ(json::serialize(context().jar.at(0)),
              R"({"name":"n","value":"v","domain":"a.example","path":"/p","expires":1900000000,)"
              R"("httpOnly":true,"secure":true,"sameSite":"None"})");
}

TEST_F(BrowserCookie, SetTellsWhatTheBrowserDoesNotTake) {
    context().cookie_error = Error{.code = ErrorCode::InvalidArgument, .message = "Invalid cookie fields"};

    auto outcome = call("browser_cookie_set", R"({"name": "n", "value": "v"})");

    EXPECT_TRUE(outcome.is_error);
    EXPECT_THAT(outcome.text, HasSubstr("Error: browserContext.addCookies: Invalid cookie fields"));
    EXPECT_TRUE(call("browser_cookie_set", R"({"name": "n", "value": "v", "sameSite": "no"})").is_error);
    EXPECT_TRUE(call("browser_cookie_set", R"({"name": "n"})").is_error);
}

TEST_F(BrowserCookie, DeleteTakesThoseOfOneName) {
    put_two();

    auto outcome = call("browser_cookie_delete", R"({"name": "a"})");

    EXPECT_THAT(outcome.text, HasSubstr("await page.context().clearCookies({ name: 'a' });"));
    EXPECT_EQ(context().jar.size(), 1);
}

TEST_F(BrowserCookie, DeleteKeepsToADomainAndAPath) {
    context().jar = {json::object{{"name", "a"}, {"domain", "one.test"}, {"path", "/"}},
                     json::object{{"name", "a"}, {"domain", "two.test"}, {"path", "/"}},
                     json::object{{"name", "a"}, {"domain", "two.test"}, {"path", "/x"}}};

    auto outcome = call("browser_cookie_delete", R"({"name": "a", "domain": "two.test", "path": "/x"})");

    EXPECT_THAT(outcome.text, HasSubstr("clearCookies({ name: 'a', domain: 'two.test', path: '/x' });"));
    EXPECT_EQ(context().jar.size(), 2);
    call("browser_cookie_delete", R"({"name": "a", "domain": "one.test"})");
    EXPECT_EQ(context().jar.size(), 1);
}

TEST_F(BrowserCookie, ClearTakesAll) {
    put_two();

    auto outcome = call("browser_cookie_clear");

    EXPECT_THAT(outcome.text, HasSubstr("await page.context().clearCookies();"));
    EXPECT_TRUE(context().jar.empty());
}

}  // namespace
