// A whole tab in a real browser, with a site of the test's own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cdp/browser.h"
#include "engine/cdp/launcher.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/wait.h"

class CdpTabTest : public testing::Test {
protected:
    explicit CdpTabTest(engine::ContextOptions options = {}) : options_(std::move(options)) {}

    void SetUp() override {
        auto process = run(cdp::launch(loop, {}, log));
        ASSERT_TRUE(process) << process.error().to_string();
        auto made = run(cdp::Browser::create(loop, std::move(*process), cdp::Headless::Yes, log));
        ASSERT_TRUE(made) << made.error().to_string();
        browser = *made;
        auto opened = run(browser->new_context(options_, soon()));
        ASSERT_TRUE(opened) << opened.error().to_string();
        context = *opened;
        page = open_page();
        server.emplace(loop, [this](const fakes::HttpRequest& request, const auto& connection) {
            auto it = answers.find(request.target.substr(0, request.target.find('?')));
            connection->write(it == answers.end() ? fakes::http_answer("404 Not Found", "nothing here")
                                                  : it->second);
        });
    }
    void TearDown() override {
        page.reset();
        context.reset();
        if (browser) (void)run(browser->close(soon()));
        browser.reset();
    }

    template <class T>
    Result<T> run(Task<T> task) {
        return fakes::run_task(loop, std::move(task));
    }
    static Deadline soon() { return Deadline::in(std::chrono::seconds(20)); }

    std::shared_ptr<engine::Page> open_page() {
        auto tab = run(context->new_page(soon()));
        EXPECT_TRUE(tab) << tab.error().to_string();
        return tab ? *tab : nullptr;
    }
    void serve_html(const std::string& path, const std::string& html) {
        answers[path] = fakes::http_answer("200 OK", html, "Content-Type: text/html\r\n");
    }
    std::string site() const {
        std::string url = server->url();
        return url.substr(0, url.rfind('/'));
    }
    void visit(const std::string& path) {
        auto shown = run(page->navigate(site() + path, soon()));
        ASSERT_TRUE(shown) << shown.error().to_string();
    }
    void show(const std::string& html) {
        serve_html("/", html);
        visit("/");
    }
    std::shared_ptr<engine::Element> element(const std::string& target) {
        auto found = run(page->find(target, engine::Language::JavaScript, engine::Matches::One, soon()));
        EXPECT_TRUE(found) << found.error().to_string();
        return found ? found->element : nullptr;
    }
    // The value of an expression as JSON, promises awaited.
    std::string value(const std::string& expression) {
        auto result = run(page->evaluate(expression, nullptr, soon()));
        if (!result) return "failed: " + result.error().message;
        return result->value ? json::serialize(*result->value) : "undefined";
    }
    // "200 body", or why it failed.
    std::string fetch(const std::string& path, const std::string& options = "{}") {
        return value(
            "fetch('" + path + "', " + options +
            ").then(async answer => answer.status + ' ' + await answer.text(), error => error.message)");
    }

    Loop loop;
    Log log = Log::silent();
    std::map<std::string, std::string> answers;  // of the site, by path
    std::optional<fakes::HttpServer> server;
    std::shared_ptr<cdp::Browser> browser;
    std::shared_ptr<engine::Context> context;
    std::shared_ptr<engine::Page> page;

private:
    engine::ContextOptions options_;
};
