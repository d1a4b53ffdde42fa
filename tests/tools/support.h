// Calling tools as a client does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"
#include "tests/fakes/wait.h"
#include "tools/catalog.h"

namespace fakes {

// A client that says who it is and, when it has some, what its roots are.
class FakeClient final : public tools::Client {
public:
    explicit FakeClient(tools::Caller caller = {.connection = "connection"}) : caller_(std::move(caller)) {}

    const tools::Caller& caller() const override { return caller_; }
    void set_caller(tools::Caller caller) { caller_ = std::move(caller); }
    bool answers(std::string_view method) const override { return method == "roots/list" && roots; }
    void report_progress(double, std::optional<double>, std::string_view) override {}
    void log(tools::MessageLevel, std::string_view, json::value) override {}
    Task<std::map<std::string, json::value>> ask(std::vector<tools::InputRequest> requests) override {
        ++asked;
        if (ask_error) co_await *ask_error;
        std::map<std::string, json::value> answers;
        answers[requests.front().key] = json::parse(*roots).value();
        co_return answers;
    }

    std::optional<std::string> roots;  // the answer to roots/list, as JSON
    std::optional<Error> ask_error;
    int asked = 0;

private:
    tools::Caller caller_;
};

// What came back from a call.
struct Outcome {
    std::string text;
    std::vector<tools::Image> images;
    std::vector<std::string> links;
    bool is_error = false;
};

inline Outcome to_outcome(Result<tools::ToolResult> result) {
    if (!result) return {.text = "FAILED: " + result.error().to_string(), .is_error = true};
    Outcome outcome{.is_error = result->is_error};
    for (const tools::Content& content : result->content) {
        if (const auto* text = std::get_if<tools::Text>(&content)) outcome.text += text->text;
        if (const auto* image = std::get_if<tools::Image>(&content)) outcome.images.push_back(*image);
        if (const auto* link = std::get_if<tools::ResourceLink>(&content)) outcome.links.push_back(link->uri);
    }
    return outcome;
}

// All tools on one fake browser.
class ToolTest : public testing::Test, public FakeBrowser {
protected:
    explicit ToolTest(session::SessionOptions options = {}) : FakeBrowser(std::move(options)) {
        for (tools::Tool& tool : tools::all_tools({
                 .effective_config = [] { return json::value(); },
                 .sessions = [this](const tools::Caller&) { return session; },
                 .run_playwright_code =
                     [this](tools::Tab& tab, std::string code, Deadline) {
                         return run_code ? run_code(tab, std::move(code))
                                         : Task<std::optional<std::string>>();
                     },
             })) {
            tools_.emplace(tool.name, std::move(tool));
        }
    }

    const tools::Tool& tool(const std::string& name) const { return tools_.at(name); }

    Task<tools::ToolResult> start_call(const std::string& name, const json::value& arguments) {
        return tool(name).run({arguments, client, Deadline::never()});
    }
    // Arguments as they look on the wire.
    Outcome call(const std::string& name, std::string_view arguments = "{}") {
        json::value parsed = json::parse(arguments).value();
        return to_outcome(run_task(loop, start_call(name, parsed)));
    }

    // What the answers of an open page look like, for tests of something else.
    void show_page(const std::string& url = "http://localhost/", const std::string& title = "Title") {
        page().page_url = url;
        page().page_title = title;
        page().tree = "- button \"Submit\" [ref=e2]";
        page().add_element("e2", "getByRole('button', { name: 'Submit' })");
    }

    FakeClient client;
    std::function<Task<std::optional<std::string>>(tools::Tab&, std::string)> run_code;

private:
    std::map<std::string, tools::Tool> tools_;
};

inline constexpr std::string_view kPageAndSnapshot =
    "### Page\n"
    "- Page URL: http://localhost/\n"
    "- Page Title: Title\n"
    "### Snapshot\n"
    "- [Snapshot](.playwright-mcp/page-2026-03-04T05-06-07-089Z.yml)";

}  // namespace fakes
