#include "engine/cdp/network_log.h"
#include "tests/engine/cdp_network.h"

using cdp::RequestUnderWay;
using cdp::SessionKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Pair;

namespace {

class CdpNetworkLog : public NetworkTest {};

TEST_F(CdpNetworkLog, ListsWhatAPageAsksFor) {
    serve_html("/", "<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=/c.png#part>");
    serve("/a.css", fakes::http_answer("200 OK", "", "Content-Type: text/css\r\n"));
    serve("/b.js", fakes::http_answer("200 OK", "", "Content-Type: text/javascript\r\n"));
    open();
    navigate(page, site() + "/");
    ended("/c.png");

    EXPECT_THAT(lines(), testing::UnorderedElementsAre("GET / 200 OK", "GET /a.css 200 OK",
                                                       "GET /b.js 200 OK", "GET /c.png 404 Not Found"));
    EXPECT_TRUE(network->entries()[0].is_navigation);
    EXPECT_EQ(ended("/").resource_type, "document");
    EXPECT_EQ(ended("/a.css").resource_type, "stylesheet");
    EXPECT_EQ(ended("/b.js").resource_type, "script");
    EXPECT_EQ(ended("/c.png").resource_type, "image");
    EXPECT_TRUE(ended("/").duration.has_value());
}

TEST_F(CdpNetworkLog, ShowsHeadersAndPostDataOfARequest) {
    serve_html("/", "");
    serve("/api", fakes::http_answer("201 Created", "{\"ok\":true}",
                                     "Content-Type: application/json\r\nX-Answer: yes\r\n"
                                     "Set-Cookie: a=1; HttpOnly\r\nSet-Cookie: b=2\r\n"));
    open();
    navigate(page, site() + "/");
    fetch("/api", "{method: 'POST', headers: {'X-Custom': 'v'}, body: '{\"key\": \"välue\"}'}");
    fetch("/api");

    const auto& request = network->entries()[1];
    EXPECT_EQ(request.post_data, "{\"key\": \"välue\"}");
    EXPECT_EQ(request.resource_type, "fetch");
    EXPECT_EQ(request.mime_type, "application/json");
    EXPECT_THAT(request.request_headers, Contains(Pair("x-custom", "v")));
    // Only the events about what really went over the wire have these.
    run_until([&] { return request.response_headers.size() >= 5; });
    EXPECT_THAT(request.request_headers, Contains(Pair("sec-fetch-mode", "cors")));
    EXPECT_THAT(request.response_headers,
                IsSupersetOf({Pair("x-answer", "yes"), Pair("set-cookie", "a=1; HttpOnly"),
                              Pair("set-cookie", "b=2")}));
    run_until([&] { return network->entries()[2].request_headers.size() > 8; });
    EXPECT_THAT(network->entries()[2].request_headers, Contains(Pair("cookie", "a=1; b=2")));
}

TEST_F(CdpNetworkLog, ListsEachHopOfARedirect) {
    serve("/a", "HTTP/1.1 302 Found\r\nLocation: /b\r\nX-Hop: one\r\nContent-Length: 0\r\n\r\n");
    serve("/b", "HTTP/1.1 301 Moved Permanently\r\nLocation: /c\r\nX-Hop: two\r\nContent-Length: 0\r\n\r\n");
    serve("/c",
          fakes::http_answer("402 Payment Required", "pay", "Content-Type: text/html\r\nX-Hop: three\r\n"));
    open();
    navigate(page, site() + "/a");
    ended("/c");

    EXPECT_THAT(lines(), ElementsAre("GET /a 302 Found", "GET /b 301 Moved Permanently",
                                     "GET /c 402 Payment Required"));
    EXPECT_TRUE(network->entries()[0].redirected);
    EXPECT_FALSE(network->entries()[2].redirected);
    EXPECT_THAT(network->entries()[0].response_headers, Contains(Pair("x-hop", "one")));
    EXPECT_THAT(network->entries()[1].response_headers, Contains(Pair("x-hop", "two")));
    EXPECT_THAT(network->entries()[2].response_headers, Contains(Pair("x-hop", "three")));
    EXPECT_EQ(network->document_status(), (engine::DocumentStatus{402, "Payment Required"}));
    EXPECT_THAT(run(network->body(network->entries()[0])).error().message, HasSubstr("redirect"));

    network->clear();
    EXPECT_THAT(network->entries(), IsEmpty());
    EXPECT_FALSE(network->document_status());
}

TEST_F(CdpNetworkLog, KeepsTheStatusOfTheMainDocumentOnly) {
    serve_html("/", "<iframe src=/missing></iframe>");
    open();
    navigate(page, site() + "/");

    EXPECT_EQ(ended("/missing").status, 404);
    EXPECT_TRUE(ended("/missing").is_navigation);
    EXPECT_EQ(network->document_status()->status, 200);
}

TEST_F(CdpNetworkLog, SaysWhyARequestFailed) {
    serve_html("/", "");
    open();
    navigate(page, site() + "/");
    evaluate(page, "fetch('http://127.0.0.1:1/').catch(() => 0)");
    run_until([&] { return network->entries().back().finished; });

    EXPECT_EQ(network->entries().back().failure, "net::ERR_UNSAFE_PORT");
    EXPECT_FALSE(network->entries().back().status);
    EXPECT_FALSE(network->entries().back().duration);
}

// The browser then loads its own page about the failure, and says that it has loaded.
TEST_F(CdpNetworkLog, KeepsTheFailureOfAFramesDocument) {
    serve_html("/", "<iframe src='http://127.0.0.1:1/'></iframe>");
    open();
    bool loaded_again = false;
    auto watch = page->on("Network.loadingFinished", [&](const json::object& params) {
        for (const auto& entry : network->entries())
            loaded_again |= entry.id == cdp::text_of(params, "requestId") && entry.url.contains(":1/");
    });
    navigate(page, site() + "/");
    run_until([&] { return loaded_again; });

    EXPECT_EQ(network->entries().back().failure, "net::ERR_UNSAFE_PORT");
    EXPECT_EQ(network->failed_document().number, 0u) << "the page itself has come";
}

TEST_F(CdpNetworkLog, GivesTextAndBinaryBodies) {
    serve_html("/", "");
    serve("/text",
          fakes::http_answer("200 OK", "{\"a\":\"é\"}", "Content-Type: application/json; charset=utf-8\r\n"));
    std::string bytes("\x89PNG\0\xFF\x01", 7);
    serve("/bytes", fakes::http_answer("200 OK", bytes, "Content-Type: image/png\r\n"));
    open();
    navigate(page, site() + "/");
    fetch("/text");
    fetch("/bytes");

    auto text_body = run(network->body(ended("/text")));
    auto byte_body = run(network->body(ended("/bytes")));

    ASSERT_TRUE(text_body) << text_body.error().to_string();
    EXPECT_EQ(text_body->bytes, "{\"a\":\"é\"}");
    EXPECT_EQ(text_body->mime_type, "application/json");
    EXPECT_TRUE(text_body->is_text);
    EXPECT_EQ(byte_body->bytes, bytes);
    EXPECT_FALSE(byte_body->is_text);
}

TEST_F(CdpNetworkLog, SaysThatABodyIsGone) {
    serve_html("/", "");
    serve_html("/other", "");
    open();
    navigate(page, site() + "/");
    navigate(page, site() + "/other");

    auto body = run(network->body(network->entries()[0]));

    EXPECT_EQ(body.error().code, ErrorCode::NotFound);
    EXPECT_THAT(body.error().message, HasSubstr("no longer has the body of " + site() + "/"));
}

TEST_F(CdpNetworkLog, LeavesOutDataUrlsAndFavicons) {
    serve_html("/",
               "<link rel=icon href=/favicon.ico><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>");
    open();
    navigate(page, site() + "/");
    fetch("/favicon.ico");
    fetch("/last");

    EXPECT_THAT(lines(), ElementsAre("GET / 200 OK", "GET /last 404 Not Found"));
}

TEST_F(CdpNetworkLog, TellsWhenRequestsBeginAndEnd) {
    serve_html("/", "");
    serve("/go", "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n");
    serve_html("/there", "");
    open();
    navigate(page, site() + "/");
    run_until([&] { return network->under_way().empty(); });
    std::vector<std::string> reported;
    network->observe(
        {.started = [&](const RequestUnderWay& each) { reported.push_back("begins " + each.resource_type); },
         .responded = [&](const RequestUnderWay&) { reported.push_back("answered"); },
         .finished = [&](const RequestUnderWay& each) { reported.push_back("ends " + each.url); }});

    fetch("/go");

    run_until([&] { return reported.size() == 3; });
    EXPECT_THAT(reported, ElementsAre("begins fetch", "answered", "ends " + site() + "/there"));
    EXPECT_THAT(network->under_way(), IsEmpty());
}

TEST_F(CdpNetworkLog, EndsTheScriptOfASharedWorkerWithItsAnswer) {
    serve_html("/", "<script>new SharedWorker('/shared.js')</script>");
    serve("/shared.js", fakes::http_answer("200 OK", "", "Content-Type: text/javascript\r\n"));
    open();
    navigate(page, site() + "/");

    EXPECT_EQ(ended("/shared.js").status, 200);
    run_until([&] { return network->under_way().empty(); });
}

TEST_F(CdpNetworkLog, EndsTheScriptOfASharedWorkerThatDidNotChange) {
    serve_html("/", "<script>new SharedWorker('/shared.js')</script>");
    serve("/shared.js", "HTTP/1.1 304 Not Modified\r\n\r\n");
    open();
    navigate(page, site() + "/");

    EXPECT_EQ(ended("/shared.js").status, 304);
    run_until([&] { return network->under_way().empty(); });
}

TEST_F(CdpNetworkLog, EndsTheScriptOfAWorkerThatWasRefused) {
    serve_html("/", "<script>new Worker('/never.js'); fetch('/never.js?data')</script>");
    serve("/never.js", "");
    serve("/never.js?data", "");
    open();
    navigate(page, site() + "/");
    run_until([&] { return network->under_way().size() == 2; });

    network->take_refused_worker(site() + "/never.js");

    ASSERT_EQ(network->under_way().size(), 1u);
    EXPECT_EQ(network->under_way().begin()->second.resource_type, "fetch");
}

TEST_F(CdpNetworkLog, EndsRequestsOfADocumentThatIsGone) {
    serve_html("/", "<script>fetch('/never')</script>");
    serve("/never", "");
    open();
    auto watch = page->on("Page.frameNavigated", [this](const json::object& params) {
        const json::object& frame = *json::find_object(params, "frame");
        network->take_commit(cdp::text_of(frame, "id"), cdp::text_of(frame, "loaderId"));
    });
    navigate(page, site() + "/");
    run_until([&] { return network->under_way().size() == 1; });

    navigate(page, "about:blank");

    EXPECT_THAT(network->under_way(), IsEmpty());
}

TEST_F(CdpNetworkLog, FollowsAFrameIntoAnotherProcess) {
    serve_html("/inner", "<script>fetch('/data')</script>");
    serve("/data", fakes::http_answer("200 OK", "data", "Content-Type: text/plain\r\n"));
    std::string other = "http://localhost" + site().substr(site().rfind(':'));
    serve_html("/", "<iframe src='" + other + "/inner'></iframe>");
    open();
    std::vector<SessionPtr> frames;
    auto watch = page->on("Target.attachedToTarget", [&](const json::object& params) {
        frames.push_back(process->connection()->session(cdp::text_of(params, "sessionId")));
        network->attach(frames.back(), SessionKind::Frame);
        frames.back()->post("Runtime.runIfWaitingForDebugger");
    });
    ASSERT_TRUE(run(page->send("Target.setAutoAttach",
                               {{"autoAttach", true}, {"waitForDebuggerOnStart", true}, {"flatten", true}})));
    navigate(page, site() + "/");
    run_until([&] { return network->under_way().empty() && network->entries().size() == 3; });

    ASSERT_EQ(frames.size(), 1);
    const auto& document = network->entries()[1];
    EXPECT_EQ(document.url, other + "/inner");
    EXPECT_TRUE(document.is_navigation);
    EXPECT_EQ(document.status, 200);
    auto body = run(network->body(document));
    ASSERT_TRUE(body) << body.error().details;
    EXPECT_THAT(body->bytes, HasSubstr("<script>"));
    EXPECT_EQ(run(network->body(network->entries()[2]))->bytes, "data");
}

TEST_F(CdpNetworkLog, SendsExtraHeaders) {
    serve_html("/", "");
    engine::ContextOptions options;
    options.extra_headers = {{"X-Extra", "one"}};
    open(options);
    navigate(page, site() + "/");
    EXPECT_EQ(server->requests.back().headers["x-extra"], "one");

    ASSERT_TRUE(run(network->set_extra_headers({{"X-Extra", "two"}})));
    fetch("/again");
    EXPECT_EQ(server->requests.back().headers["x-extra"], "two");
}

TEST_F(CdpNetworkLog, GoesOfflineAndOnlineAgain) {
    serve_html("/", "");
    engine::ContextOptions options;
    options.offline = true;
    open(options);
    auto navigated = run(page->send("Page.navigate", {{"url", site() + "/"}}));
    EXPECT_EQ(text(*navigated, "errorText"), "net::ERR_INTERNET_DISCONNECTED");

    ASSERT_TRUE(run(network->set_offline(false)));
    navigate(page, site() + "/");
    EXPECT_EQ(evaluate(page, "navigator.onLine"), true);
    ASSERT_TRUE(run(network->set_offline(true)));
    EXPECT_EQ(fetch("/x"), "failed: Failed to fetch");
    EXPECT_EQ(evaluate(page, "navigator.onLine"), false);
}

TEST(CdpNetworkHeaders, PutWhatReallyWentOverTheWireInThePlaceOfWhatWasAnnounced) {
    cdp::Headers headers = cdp::headers_of({{"User-Agent", "x"}, {"Accept", "*/*"}});

    cdp::merge_headers(headers,
                       cdp::headers_of({{":authority", "a"}, {"Host", "h"}, {"accept", "text/html"}}));

    EXPECT_THAT(headers,
                ElementsAre(Pair("user-agent", "x"), Pair("accept", "text/html"), Pair("host", "h")));
}

TEST(CdpNetworkLogTypes, AreTextualWherePeopleReadThem) {
    for (const char* type : {"text/html", "application/json; charset=utf-8", "application/ld+json",
                             "image/svg+xml", "application/javascript", "application/xhtml+xml"})
        EXPECT_TRUE(cdp::is_textual(type)) << type;
    for (const char* type : {"image/png", "application/octet-stream", "application/pdf", ""})
        EXPECT_FALSE(cdp::is_textual(type)) << type;
}

}  // namespace
