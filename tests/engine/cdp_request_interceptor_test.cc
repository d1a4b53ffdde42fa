#include "engine/cdp/request_interceptor.h"
#include "tests/engine/cdp_network.h"
#include "tests/fakes/network_access.h"

using cdp::SessionKind;
using testing::ElementsAre;
using testing::StartsWith;

namespace {

class CdpRequestInterceptor : public NetworkTest {};

TEST_F(CdpRequestInterceptor, BlocksWhatMayNotBeRequested) {
    serve_html("/", "");
    serve("/redirect", "HTTP/1.1 302 Found\r\nLocation: /secret\r\nContent-Length: 0\r\n\r\n");
    serve_html("/secret", "secret");
    engine::ContextOptions options;
    options.network_access =
        fakes::network_access_that([](const std::string& url) { return !url.ends_with("/secret"); });
    open(options);
    navigate(page, site() + "/");

    EXPECT_EQ(fetch("/secret"), "failed: Failed to fetch");
    EXPECT_EQ(fetch("/redirect"), "failed: Failed to fetch");
    EXPECT_EQ(fetch("/other"), "nothing here");
    EXPECT_THAT(lines(),
                ElementsAre("GET / 200 OK", StartsWith("GET /secret net::ERR_BLOCKED_BY_CLIENT"),
                            "GET /redirect 302 Found", StartsWith("GET /secret net::ERR_BLOCKED_BY_CLIENT"),
                            "GET /other 404 Not Found"));
    auto navigated = run(page->send("Page.navigate", {{"url", site() + "/secret"}}));
    EXPECT_EQ(text(*navigated, "errorText"), "net::ERR_BLOCKED_BY_CLIENT");
    for (const auto& request : server->requests) EXPECT_NE(request.target, "/secret");
}

TEST_F(CdpRequestInterceptor, LetsPreflightsPassTheInterceptor) {
    serve_html("/", "");
    std::string other = "http://localhost" + site().substr(site().rfind(':'));
    serve("/api",
          fakes::http_answer("200 OK", "answer",
                             "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n"));
    engine::ContextOptions options;
    options.network_access = fakes::network_access_that([](const std::string&) { return true; });
    open(options);
    navigate(page, site() + "/");

    EXPECT_EQ(fetch(other + "/api", "{method: 'POST', headers: {'X-Custom': '1'}}"), "answer");

    EXPECT_EQ(server->requests.at(1).method, "OPTIONS");
    EXPECT_EQ(network->entries().size(), 2) << "the page did not ask for the preflight";
}

TEST_F(CdpRequestInterceptor, BlocksWhatADedicatedWorkerAsksFor) {
    serve_html("/", "");
    serve("/worker.js", fakes::http_answer("200 OK",
                                           "fetch('/secret').then(() => postMessage('got it'), "
                                           "() => postMessage('blocked'))",
                                           "Content-Type: text/javascript\r\n"));
    engine::ContextOptions options;
    options.network_access =
        fakes::network_access_that([](const std::string& url) { return !url.ends_with("/secret"); });
    open(options);
    navigate(page, site() + "/");

    EXPECT_EQ(evaluate_text(page, "new Promise(f => new Worker('/worker.js').onmessage = e => f(e.data))"),
              "blocked");
}

TEST_F(CdpRequestInterceptor, BlocksWhatAServiceWorkerAsksFor) {
    serve_html("/", "");
    serve("/worker.js",
          fakes::http_answer(
              "200 OK",
              "self.onmessage = e => e.waitUntil(fetch('/secret').then(() => 'got it', () => 'blocked')"
              ".then(text => e.source.postMessage(text)))",
              "Content-Type: text/javascript\r\n"));
    cdp::RequestInterceptor interceptor([](const std::string& url) { return !url.ends_with("/secret"); },
                                        nullptr, {});
    auto watch = browser->on("Target.attachedToTarget", [&](const json::object& params) {
        auto session = process->connection()->session(cdp::text_of(params, "sessionId"));
        interceptor.attach(session, SessionKind::ServiceWorker);
        session->post("Runtime.runIfWaitingForDebugger");
    });
    json::array only_workers{json::object{{"type", "service_worker"}}};
    open();
    ASSERT_TRUE(run(browser->send("Target.setAutoAttach", {{"autoAttach", true},
                                                           {"waitForDebuggerOnStart", true},
                                                           {"flatten", true},
                                                           {"filter", only_workers}})));
    navigate(page, site() + "/");

    EXPECT_EQ(evaluate_text(page,
                            "new Promise(async done => {"
                            "  navigator.serviceWorker.onmessage = e => done(e.data);"
                            "  navigator.serviceWorker.startMessages();"
                            "  await navigator.serviceWorker.register('/worker.js');"
                            "  (await navigator.serviceWorker.ready).active.postMessage('go'); })"),
              "blocked");
}

TEST_F(CdpRequestInterceptor, GivesCredentialsOnceToTheServerTheyAreFor) {
    int asked = 0;
    server.emplace(loop, [&](const fakes::HttpRequest& request, const auto& connection) {
        auto given = request.headers.find("authorization");
        ++asked;
        bool right =
            given != request.headers.end() && given->second == "Basic " + base64_encode("user:right");
        connection->write(right ? fakes::http_answer("200 OK", "welcome")
                                : fakes::http_answer("401 Unauthorized", "who are you?",
                                                     "WWW-Authenticate: Basic realm=\"r\"\r\n"));
    });
    engine::ContextOptions options;
    options.http_credentials = json::object{{"username", "user"}, {"password", "right"}, {"origin", site()}};
    open(options);
    navigate(page, site() + "/");
    EXPECT_EQ(evaluate_text(page, "document.body.textContent"), "welcome");
    EXPECT_EQ(asked, 2);

    asked = 0;
    options.http_credentials = json::object{{"username", "user"}, {"password", "wrong"}};
    context = text(*run(browser->send("Target.createBrowserContext")), "browserContextId");
    open(options);
    navigate(page, site() + "/");
    EXPECT_EQ(evaluate_text(page, "document.body.textContent"), "who are you?");
    EXPECT_EQ(asked, 2);
}

}  // namespace
