#include "engine/cdp/storage_state.h"
#include "tests/engine/cdp_chromium.h"

using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class CdpStorageState : public ChromiumTest {
protected:
    static json::value parse(std::string_view text) { return *json::parse(text); }
};

TEST_F(CdpStorageState, RestoresAndCapturesCookies) {
    // The browser keeps no cookie longer than 400 days.
    auto next_month = std::chrono::system_clock::now() + std::chrono::days(30);
    std::string expires = std::to_string(std::chrono::system_clock::to_time_t(next_month));
    auto state = parse(R"({"cookies": [
        {"name": "a", "value": "1", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": true,
         "secure": false, "sameSite": "Strict"},
        {"name": "b", "value": "2", "domain": ".example.com", "path": "/x", "expires": )" +
                       expires + R"(,
         "httpOnly": false, "secure": true, "sameSite": "None"}]})");

    ASSERT_TRUE(run(cdp::restore_cookies(browser, context, state)));

    auto cookies = run(cdp::capture_cookies(browser, context));
    ASSERT_TRUE(cookies);
    json::array sorted = *cookies;
    std::sort(sorted.begin(), sorted.end(), [](const json::value& a, const json::value& b) {
        return a.at("name").as_string() < b.at("name").as_string();
    });
    ASSERT_EQ(sorted.size(), 2);
    EXPECT_EQ(json::serialize(sorted[0]), json::serialize(state.at("cookies").at(0)));
    EXPECT_EQ(std::to_string(sorted[1].at("expires").to_number<std::int64_t>()), expires);
    EXPECT_EQ(sorted[1].at("domain"), ".example.com");
    serve_html("/", "");
    navigate(open_page(), site() + "/");
    EXPECT_EQ(server->requests.back().headers["cookie"], "a=1");
}

TEST_F(CdpStorageState, RefusesACookieThatBelongsNowhere) {
    auto restored =
        run(cdp::restore_cookies(browser, context, parse(R"({"cookies": [{"name": "a", "value": "1"}]})")));

    EXPECT_THAT(restored.error().message, HasSubstr("Cookie should have a url or a domain/path pair"));
}

TEST_F(CdpStorageState, RestoresLocalStorageWithoutAskingTheNetwork) {
    SessionPtr page = open_page();
    serve_html("/", "");
    auto state = parse(R"({"origins": [{"origin": ")" + site() + R"(", "localStorage": [
        {"name": "token", "value": "abc"}, {"name": "quote", "value": "</script>\"'"}]},
        {"origin": "https://no-such-host.example", "localStorage": [{"name": "k", "value": "v"}]}]})");

    auto restored = run(cdp::restore_local_storage(page, state));

    ASSERT_TRUE(restored) << restored.error().to_string();
    EXPECT_THAT(server->requests, IsEmpty());
    EXPECT_EQ(evaluate_text(page, "location.href + ' ' + history.length"), "about:blank 1");
    navigate(page, site() + "/");
    EXPECT_EQ(evaluate_text(page, "localStorage.token + localStorage.quote"), "abc</script>\"'");

    auto captured = run(cdp::capture_local_storage(
        open_page(), {site(), "https://no-such-host.example", "https://empty.example"}));
    ASSERT_TRUE(captured) << captured.error().to_string();
    EXPECT_EQ(captured->size(), 2);
    EXPECT_EQ(captured->at(1).at("localStorage").at(0).at("value"), "v");
}

TEST_F(CdpStorageState, ReadsTheLocalStorageOfAPage) {
    serve_html("/", "<script>localStorage.setItem('a', '1')</script>");
    SessionPtr page = open_page();
    EXPECT_TRUE(run(cdp::local_storage_of(page))->is_null());

    navigate(page, site() + "/");

    EXPECT_EQ(json::serialize(*run(cdp::local_storage_of(page))),
              R"({"origin":")" + site() + R"(","localStorage":[{"name":"a","value":"1"}]})");
}

}  // namespace
