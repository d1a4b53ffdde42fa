// A real browser for one test, with bare sessions instead of the engine's pages.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/connection.h"
#include "engine/cdp/fields.h"
#include "engine/cdp/launcher.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"

class ChromiumTest : public testing::Test {
protected:
    using SessionPtr = std::shared_ptr<cdp::Session>;

    void SetUp() override {
        // Frames of other sites get processes of their own, as in a browser with a window.
        auto launched = run(cdp::launch(loop, {.arguments = {"--site-per-process"}}, log));
        ASSERT_TRUE(launched) << launched.error().to_string();
        process = std::move(*launched);
        browser = process->connection()->browser();
        context = text(*run(browser->send("Target.createBrowserContext")), "browserContextId");
    }

    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    template <class Happened>
    void run_until(Happened happened) {
        fakes::run_until(loop, happened);
    }
    static std::string text(const json::value& answer, std::string_view key) {
        return cdp::text_of(answer.as_object(), key);
    }

    // A tab on about:blank. `prepare` is called before anything but the context is set up.
    SessionPtr open_page(std::function<void(const SessionPtr&)> prepare = {}) {
        auto made = run(
            browser->send("Target.createTarget", {{"url", "about:blank"}, {"browserContextId", context}}));
        target = text(*made, "targetId");
        auto attached =
            run(browser->send("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}));
        SessionPtr page = process->connection()->session(text(*attached, "sessionId"));
        if (prepare) prepare(page);
        page->post("Page.enable");
        EXPECT_TRUE(run(page->send("Runtime.enable")));
        return page;
    }

    // Until the load event.
    void navigate(const SessionPtr& page, const std::string& url) {
        bool loaded = false;
        auto watch = page->on("Page.loadEventFired", [&](const json::object&) { loaded = true; });
        EXPECT_TRUE(run(page->send("Page.navigate", {{"url", url}})));
        run_until([&] { return loaded; });
    }
    void show(const SessionPtr& page, const std::string& html) {
        navigate(page, "data:text/html;charset=utf-8;base64," + base64_encode(html));
    }

    // The value of an expression, promises awaited.
    json::value evaluate(const SessionPtr& page, const std::string& expression) {
        auto answer =
            run(page->send("Runtime.evaluate",
                           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}}));
        if (!answer) return json::value(answer.error().message);
        EXPECT_FALSE(answer->as_object().contains("exceptionDetails")) << json::serialize(*answer);
        const json::value* value = json::find_path(*answer, {"result", "value"});
        return value ? *value : json::value(nullptr);
    }
    std::string evaluate_text(const SessionPtr& page, const std::string& expression) {
        json::value value = evaluate(page, expression);
        return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
    }

    // A site of the test's own: answers by path, 404 for the rest.
    void serve(const std::string& path, const std::string& answer) {
        pages[path] = answer;
        if (!server) {
            server.emplace(loop, [this](const fakes::HttpRequest& request, const auto& connection) {
                auto it = pages.find(request.target.substr(0, request.target.find('?')));
                connection->write(it == pages.end() ? fakes::http_answer("404 Not Found", "nothing here")
                                                    : it->second);
            });
        }
    }
    void serve_html(const std::string& path, const std::string& html) {
        serve(path, fakes::http_answer("200 OK", html, "Content-Type: text/html\r\n"));
    }
    std::string site() const {
        std::string url = server->url();
        return url.substr(0, url.rfind('/'));
    }

    Loop loop;
    Log log = Log::silent();
    std::map<std::string, std::string> pages;
    std::optional<fakes::HttpServer> server;
    std::unique_ptr<cdp::BrowserProcess> process;
    SessionPtr browser;
    std::string context;
    std::string target;  // of the last page that was opened
};
