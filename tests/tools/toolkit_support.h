// Calling tools of the capability `toolkit`.
#pragma once

#include "tests/tools/support.h"

namespace fakes {

class ToolkitTest : public ToolTest {
protected:
    explicit ToolkitTest(session::SessionOptions options = {}) : ToolTest(std::move(options)) {}

    void SetUp() override {
        show_page();
        page().add_element("#it", "locator('#it')");
    }

    // The structured answer. Checks that the text says the same and fits the success.
    json::object ask(const std::string& name, std::string_view arguments = "{}") {
        json::value parsed = json::parse(arguments).value();
        auto result = run_task(loop, start_call(name, parsed));
        if (!result || !result->structured) {
            ADD_FAILURE() << "no structured answer: " << to_outcome(std::move(result)).text;
            return {};
        }
        json::object answer = result->structured->as_object();
        EXPECT_EQ(std::get<tools::Text>(result->content.front()).text, json::serialize(answer));
        EXPECT_EQ(result->is_error, answer.contains("error"));
        EXPECT_EQ(answer["success"], json::value(!answer.contains("error")));
        return answer;
    }
    std::string data(const std::string& name, std::string_view arguments = "{}") {
        json::object answer = ask(name, arguments);
        return answer.contains("data") ? json::serialize(answer["data"]) : json::serialize(answer);
    }
    json::object error(const std::string& name, std::string_view arguments = "{}") {
        json::object answer = ask(name, arguments);
        return answer.contains("error") ? answer["error"].as_object() : json::object();
    }
    std::string code(const std::string& name, std::string_view arguments = "{}") {
        json::object failed = error(name, arguments);
        return std::string(json::find_string(failed, "code").value_or("no error"));
    }
    // What the page was made to do, without the reading around it.
    std::vector<std::string> done() {
        std::vector<std::string> done = page().done;
        std::erase_if(done, [](const std::string& each) {
            return each.starts_with("read caretToEnd ") || each.starts_with("read timing ");
        });
        return done;
    }
};

inline Error bad_selector() {
    return {.code = ErrorCode::InvalidSelector, .message = "\"[\" is not a ref, a selector or a locator"};
}

}  // namespace fakes
