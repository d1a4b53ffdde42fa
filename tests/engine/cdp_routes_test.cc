#include "tests/engine/cdp_tab.h"
#include "tests/fakes/network_access.h"

using testing::HasSubstr;

namespace {

class CdpRoutes : public CdpTabTest {
protected:
    void set(std::vector<engine::Route> routes) {
        auto done = run(context->set_routes(std::move(routes), soon()));
        ASSERT_TRUE(done) << done.error().to_string();
    }
};

TEST_F(CdpRoutes, AnswersInTheServersPlace) {
    show("hello");
    set({{.pattern = "**/api", .status = 201, .body = "made up", .content_type = "text/plain"}});

    EXPECT_EQ(fetch("/api"), "\"201 made up\"");
    EXPECT_EQ(fetch("/other"), "\"404 nothing here\"");
    EXPECT_EQ(value("fetch('/api').then(answer => answer.headers.get('content-type'))"), "\"text/plain\"");
    for (const auto& request : server->requests) EXPECT_NE(request.target, "/api");
}

TEST_F(CdpRoutes, SendEachHeaderOnce) {
    show("hello");
    set({{.pattern = "**/api",
          .body = "a,b",
          .content_type = "text/csv",
          .answer_headers = {{"Content-Type", "text/html"}, {"content-length", "99"}}}});

    EXPECT_EQ(value("fetch('/api').then(answer => answer.headers.get('content-type') + "
                    "answer.headers.get('content-length'))"),
              "\"text/csv3\"");
}

TEST_F(CdpRoutes, TheLastOneThatMatchesDecides) {
    show("hello");
    set({{.pattern = "**/api", .body = "first"}, {.pattern = "**/a*", .body = "second"}});
    EXPECT_EQ(fetch("/api"), "\"200 second\"");

    set({{.pattern = "**/api", .body = "first"}});
    EXPECT_EQ(fetch("/api"), "\"200 first\"");

    set({});
    EXPECT_EQ(fetch("/api"), "\"404 nothing here\"");
}

TEST_F(CdpRoutes, AnswersForOtherOriginsAndTheirPreflights) {
    show("hello");
    set({{.pattern = "http://other.example/**", .body = "yes"}});

    EXPECT_EQ(fetch("http://other.example/x"), "\"200 yes\"");
    EXPECT_EQ(fetch("http://other.example/x", "{method: 'PUT', headers: {'X-A': '1'}}"), "\"200 yes\"");
}

TEST_F(CdpRoutes, SendsRequestsOnWithOtherHeaders) {
    show("hello");
    set({{.pattern = "**/api", .add_headers = {{{"X-Added", "1"}}}, .remove_headers = {{"x-removed"}}}});

    fetch("/api", "{headers: {'X-Removed': '1', 'X-Kept': '1'}}");

    auto& headers = server->requests.back().headers;
    EXPECT_EQ(headers["x-added"], "1");
    EXPECT_EQ(headers["x-kept"], "1");
    EXPECT_FALSE(headers.contains("x-removed"));
}

TEST_F(CdpRoutes, HoldForPagesThatOpenLater) {
    set({{.pattern = "**/", .body = "<title>Made up</title>", .content_type = "text/html"}});
    page = open_page();

    visit("/");

    EXPECT_EQ(run(page->title(soon())).value(), "Made up");
    EXPECT_TRUE(server->requests.empty());
}

TEST_F(CdpRoutes, ComeBeforeWhatTheBrowserHasInItsCache) {
    show("hello");
    answers["/cached"] = fakes::http_answer("200 OK", "real", "Cache-Control: max-age=1000\r\n");
    EXPECT_EQ(fetch("/cached"), "\"200 real\"");

    set({{.pattern = "**/cached", .body = "made up"}});

    EXPECT_EQ(fetch("/cached"), "\"200 made up\"");
}

TEST_F(CdpRoutes, LeaveTheTargetOfARedirectToItsServer) {
    show("hello");
    answers["/old"] = fakes::http_answer("302 Found", "", "Location: /api\r\n");
    answers["/api"] = fakes::http_answer("200 OK", "real");
    set({{.pattern = "**/api", .body = "made up"}});

    EXPECT_EQ(fetch("/api"), "\"200 made up\"");
    EXPECT_EQ(fetch("/old"), "\"200 real\"");

    set({{.pattern = "**/api", .block = true}});
    EXPECT_EQ(fetch("/old"), "\"Failed to fetch\"") << "what is blocked is not loaded in any way";
}

TEST_F(CdpRoutes, RefuseWhatIsNoPattern) {
    auto done = run(context->set_routes({{.pattern = "{"}}, soon()));

    EXPECT_THAT(done.error().message, HasSubstr("Invalid glob pattern"));
    EXPECT_TRUE(context->routes().empty());
}

class CdpRoutesAndPolicy : public CdpRoutes {
protected:
    CdpRoutesAndPolicy() = default;
    void SetUp() override {
        CdpTabTest::SetUp();
        engine::ContextOptions options;
        options.network_access =
            fakes::network_access_that([](const std::string& url) { return !url.contains("/secret"); });
        context = run(browser->new_context(options, soon())).value();
        page = open_page();
    }
};

TEST_F(CdpRoutesAndPolicy, DoNotOpenWhatIsBlocked) {
    show("hello");
    set({{.pattern = "**/secret", .add_headers = {{{"X-A", "1"}}}},
         {.pattern = "**/api", .body = "made up"}});

    EXPECT_EQ(fetch("/secret"), "\"Failed to fetch\"");
    EXPECT_EQ(fetch("/api"), "\"200 made up\"");
    set({});
    EXPECT_EQ(fetch("/secret"), "\"Failed to fetch\"");
    for (const auto& request : server->requests) EXPECT_NE(request.target, "/secret");
}

TEST_F(CdpRoutes, OfflineHoldsForAllPages) {
    show("hello");
    ASSERT_TRUE(run(context->set_offline(true, soon())));
    EXPECT_EQ(fetch("/api"), "\"Failed to fetch\"");
    EXPECT_EQ(value("navigator.onLine"), "false");

    page = open_page();
    auto shown = run(page->navigate(site() + "/", soon()));
    EXPECT_THAT(shown.error().message, HasSubstr("ERR_INTERNET_DISCONNECTED"));

    ASSERT_TRUE(run(context->set_offline(false, soon())));
    visit("/");
    EXPECT_EQ(fetch("/api"), "\"404 nothing here\"");
}

}  // namespace
