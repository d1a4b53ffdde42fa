#include "engine/cdp/emulation.h"
#include "engine/devices.h"
#include "tests/engine/cdp_chromium.h"

using cdp::Batch;
using cdp::Emulation;
using cdp::Headless;
using cdp::SessionKind;
using testing::HasSubstr;

namespace {

class CdpEmulation : public ChromiumTest {
protected:
    void open(const engine::ContextOptions& options = {}) {
        EXPECT_TRUE(run(cdp::prepare_context(browser, context, options)));
        emulation = std::make_unique<Emulation>(options, Headless::Yes);
        page = open_page(
            [&](const SessionPtr& session) { sent = emulation->attach(session, SessionKind::Page); });
        outcome = run(Batch::finish(std::move(sent)));
    }
    bool matches(const std::string& query) {
        return evaluate(page, "matchMedia('" + query + "').matches").as_bool();
    }

    std::unique_ptr<Emulation> emulation;
    Batch sent;
    Result<void> outcome;
    SessionPtr page;
};

TEST_F(CdpEmulation, GivesThePageItsViewport) {
    open();
    EXPECT_TRUE(outcome);
    EXPECT_EQ(evaluate_text(page, "[innerWidth, innerHeight, screen.width, devicePixelRatio].join()"),
              "1280,720,1280,1");

    ASSERT_TRUE(run(emulation->resize({800, 600})));

    EXPECT_EQ(evaluate_text(page, "[innerWidth, innerHeight, screen.width].join()"), "800,600,800");
    EXPECT_EQ(emulation->viewport()->width, 800);
}

TEST_F(CdpEmulation, LooksLikeADevice) {
    engine::ContextOptions options;
    engine::apply(*engine::find_device("iPhone 15"), options);
    open(options);
    show(page, "<meta name=viewport content='width=device-width'>");

    EXPECT_TRUE(outcome);
    EXPECT_EQ(evaluate_text(page, "[innerWidth, innerHeight, devicePixelRatio, screen.height].join()"),
              "393,659,3,852");
    EXPECT_THAT(evaluate_text(page, "navigator.userAgent"), HasSubstr("iPhone OS 17_5"));
    EXPECT_EQ(evaluate_text(page,
                            "[navigator.maxTouchPoints > 0, 'ontouchstart' in window, "
                            "screen.orientation.type].join()"),
              "true,true,portrait-primary");
}

TEST_F(CdpEmulation, SpeaksTheLanguageAndKnowsTheTime) {
    engine::ContextOptions options;
    options.locale = "de-DE";
    options.timezone = "Asia/Tokyo";
    open(options);

    EXPECT_TRUE(outcome);
    EXPECT_EQ(evaluate_text(page, "navigator.language"), "de-DE");
    EXPECT_EQ(evaluate_text(page, "(1234.5).toLocaleString()"), "1.234,5");
    EXPECT_EQ(evaluate_text(page, "new Date(0).getHours()"), "9");
}

TEST_F(CdpEmulation, SaysThatATimezoneDoesNotExist) {
    engine::ContextOptions options;
    options.timezone = "Atlantis/Capital";
    open(options);

    EXPECT_EQ(outcome.error().message, "Invalid timezone ID: Atlantis/Capital");
}

TEST_F(CdpEmulation, MindsNotThatTheNextPageWantsTheSame) {
    engine::ContextOptions options;
    options.locale = "de-DE";
    options.timezone = "Asia/Tokyo";
    open(options);
    open(options);

    EXPECT_TRUE(outcome);
    EXPECT_EQ(evaluate_text(page, "new Date(0).getHours()"), "9");
}

TEST_F(CdpEmulation, EmulatesMediaAndGoesBack) {
    engine::ContextOptions options;
    options.color_scheme = "dark";
    options.reduced_motion = "reduce";
    open(options);
    EXPECT_TRUE(matches("(prefers-color-scheme: dark)"));
    EXPECT_TRUE(matches("(prefers-reduced-motion: reduce)"));

    ASSERT_TRUE(run(emulation->emulate_media({.media = "print", .color_scheme = ""})));

    EXPECT_TRUE(matches("print"));
    EXPECT_FALSE(matches("(prefers-color-scheme: dark)"));
    EXPECT_TRUE(matches("(prefers-reduced-motion: reduce)"));
}

TEST_F(CdpEmulation, SaysWhereWeAre) {
    serve_html("/", "");
    engine::ContextOptions options;
    options.geolocation = json::object{{"latitude", 48.5}, {"longitude", 9}};
    options.permissions = {"geolocation"};
    open(options);
    std::string url = site();
    navigate(page, url.replace(url.find("127.0.0.1"), 9, "localhost") + "/");

    EXPECT_EQ(
        evaluate_text(page,
                      "new Promise((done, fail) => navigator.geolocation.getCurrentPosition("
                      "p => done(`${p.coords.latitude} ${p.coords.longitude}`), e => fail(e.message)))"),
        "48.5 9");
}

TEST_F(CdpEmulation, BlocksServiceWorkers) {
    serve_html("/", "");
    serve("/worker.js", fakes::http_answer("200 OK", "", "Content-Type: text/javascript\r\n"));
    engine::ContextOptions options;
    options.block_service_workers = true;
    open(options);
    navigate(page, site() + "/");

    evaluate(page, "navigator.serviceWorker.register('/worker.js').then(() => 0)");

    EXPECT_EQ(evaluate(page, "navigator.serviceWorker.getRegistrations().then(r => r.length)"), 0);
}

TEST_F(CdpEmulation, TurnsScriptsAndContentPolicyOff) {
    serve("/",
          fakes::http_answer("200 OK", "<p>plain</p><script>document.body.textContent = 'script'</script>",
                             "Content-Type: text/html\r\nContent-Security-Policy: script-src 'none'\r\n"));
    engine::ContextOptions options;
    options.bypass_csp = true;
    open(options);
    navigate(page, site() + "/");
    EXPECT_EQ(evaluate_text(page, "document.body.textContent"), "script");

    options = {};
    options.java_script_enabled = false;
    open(options);
    navigate(page, site() + "/");
    EXPECT_THAT(evaluate_text(page, "document.body.textContent"), HasSubstr("plain"));
}

TEST_F(CdpEmulation, HasFocusInTheBackground) {
    open();
    show(page, "<p>one</p>");
    SessionPtr first = page;
    open();
    show(page, "<p>two</p>");

    EXPECT_EQ(evaluate(first, "document.hasFocus()"), true);
    EXPECT_EQ(evaluate(page, "document.hasFocus()"), true);
}

TEST_F(CdpEmulation, GrantsPermissionsByTheirNamesOfTheWeb) {
    serve_html("/", "");
    engine::ContextOptions options;
    options.permissions = {"clipboard-read", "clipboard-write", "local-network-access"};
    open(options);
    std::string url = site();
    navigate(page, url.replace(url.find("127.0.0.1"), 9, "localhost") + "/");
    EXPECT_EQ(evaluate_text(page, "navigator.permissions.query({name: 'clipboard-read'}).then(p => p.state)"),
              "granted");

    options.permissions = {"teleport"};
    auto refused = run(cdp::prepare_context(browser, context, options));
    EXPECT_EQ(refused.error().message, "Unknown permission: teleport");
    EXPECT_THAT(refused.error().hint, HasSubstr("clipboard-read"));
}

TEST(CdpUserAgentMetadata, FollowsTheUserAgent) {
    auto of = [](std::string_view agent) {
        json::object data = cdp::user_agent_metadata(agent, true);
        return cdp::text_of(data, "platform") + " " + cdp::text_of(data, "platformVersion") + " " +
               cdp::text_of(data, "architecture");
    };
    EXPECT_EQ(of(engine::find_device("Pixel 7")->user_agent), "Android 14 arm");
    EXPECT_EQ(of(engine::find_device("Galaxy S9+")->user_agent), "Android 8.0.0 arm");
    EXPECT_EQ(of(engine::find_device("iPhone 15")->user_agent), "iOS 17_5 arm");
    EXPECT_EQ(of(engine::find_device("iPad Mini")->user_agent), "iOS 12_2 arm");
    EXPECT_EQ(of(engine::find_device("Desktop Safari")->user_agent), "macOS 10_15_7 x86");
    EXPECT_EQ(of(engine::find_device("Desktop Chrome")->user_agent), "Windows 10.0 x86");
    EXPECT_EQ(of("Mozilla/5.0 (X11; Linux x86_64) Chrome/1"), "Linux  x86");
}

}  // namespace
