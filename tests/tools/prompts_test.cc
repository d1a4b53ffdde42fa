#include "tools/prompts.h"

#include "tests/tools/support.h"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Result<std::string> rendered(std::string_view text, const tools::PromptArguments& arguments) {
    auto made = tools::PromptTemplate::create(text);
    if (!made) return made.error();
    return made->render(arguments);
}

TEST(PromptTemplate, FillsInItsArguments) {
    EXPECT_EQ(rendered("Open {{url}}, {{ url }}!{{none}}", {{"url", "http://a/"}}).value(),
              "Open http://a/, http://a/!");
    EXPECT_EQ(rendered("{{#if a}}A{{#if b}}B{{/if}}{{/if}}.", {{"a", "1"}}).value(), "A.");
    EXPECT_EQ(rendered("{{#if a}}A{{/if}}", {{"a", "false"}}).value(), "");
}

TEST(PromptTemplate, GoesThroughObjectsAndLists) {
    EXPECT_EQ(rendered("{{#each m}}{{@key}}={{this}} {{x}};{{/each}}",
                       {{"m", R"({"a": "1", "b": {"c": 2}})"}, {"x", "y"}})
                  .value(),
              R"(a=1 y;b={"c":2} y;)");
    EXPECT_EQ(rendered("{{#each l}}{{@key}}{{this}}{{/each}}", {{"l", "[true, \"x\"]"}}).value(), "0true1x");
    auto wrong = rendered("{{#each m}}{{/each}}", {{"m", "nonsense"}});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("\"m\" must be a JSON object"));
}

TEST(PromptTemplate, NeverReadsAValueAsATemplate) {
    EXPECT_EQ(rendered("{{a}}", {{"a", "{{b}}"}, {"b", "secret"}}).value(), "{{b}}");
}

TEST(PromptTemplate, RefusesWhatIsNotWellFormed) {
    for (const char* text : {"{{a", "{{#if a}}", "{{/if}}", "{{#each}}{{/each}}", "{{#if a}}{{/each}}",
                             "{{}}", "{{#for a}}{{/for}}"})
        EXPECT_FALSE(tools::PromptTemplate::create(text)) << text;
}

class BuiltInPrompts : public testing::Test {
protected:
    const tools::Prompt& prompt(const std::string& name) {
        auto it = std::ranges::find(prompts_, name, &tools::Prompt::name);
        EXPECT_NE(it, prompts_.end()) << name;
        return *it;
    }
    Result<tools::PromptResult> get(const std::string& name, tools::PromptArguments arguments) {
        return fakes::run_task(loop_, prompt(name).render(std::move(arguments), client_));
    }
    std::string text(const std::string& name, tools::PromptArguments arguments) {
        auto result = get(name, std::move(arguments));
        return result ? std::get<tools::Text>(result->messages.at(0).content).text
                      : result.error().to_string();
    }

    std::vector<tools::Prompt> prompts_ =
        tools::built_in_prompts([] { return std::vector<std::string>{"ADMIN", "USER"}; });
    Loop loop_;
    fakes::FakeClient client_;
};

TEST_F(BuiltInPrompts, AreTheFive) {
    std::vector<std::string> names;
    for (const tools::Prompt& each : prompts_) names.push_back(each.name);
    EXPECT_THAT(names,
                ElementsAre("scrape_website", "fill_form", "visual_regression", "authenticate", "e2e_test"));
}

TEST_F(BuiltInPrompts, AskForWhatTheirArgumentsSay) {
    EXPECT_THAT(text("scrape_website", {{"url", "http://a/"}, {"selectors", R"({"price": ".p"})"}}),
                testing::AllOf(HasSubstr("http://a/"), HasSubstr("price: .p"), HasSubstr("finalUrl")));
    EXPECT_THAT(text("fill_form", {{"url", "http://a/"}, {"form_data", R"({"name": "Ann"})"}}),
                testing::AllOf(HasSubstr("name: Ann"), HasSubstr("button[type='submit']")));
    EXPECT_THAT(text("fill_form", {{"url", "u"}, {"form_data", "{}"}, {"submit_button", "#go"}}),
                HasSubstr("#go"));
    EXPECT_THAT(text("visual_regression", {{"url", "http://a/"}, {"baseline_screenshot", "a.png"}}),
                HasSubstr("a.png"));
    EXPECT_THAT(text("e2e_test", {{"test_scenario", "Buy a book"}, {"start_url", "http://a/"}}),
                HasSubstr("Buy a book"));
    EXPECT_THAT(text("scrape_website", {{"url", "u"}, {"selectors", "x"}}),
                HasSubstr("must be a JSON object"));
}

TEST_F(BuiltInPrompts, LogInByTheNameOfASecretOnly) {
    EXPECT_THAT(
        text("authenticate", {{"url", "http://a/"}, {"username", "ann"}, {"password_secret", "ADMIN"}}),
        testing::AllOf(HasSubstr("ADMIN"), HasSubstr("input[type='password']")));
    auto refused = get("authenticate", {{"url", "u"}, {"username", "ann"}, {"password_secret", "hunter2"}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(
        refused.error().to_string(),
        testing::AllOf(HasSubstr("password_secret"), HasSubstr("ADMIN, USER"), Not(HasSubstr("hunter2"))));
}

TEST_F(BuiltInPrompts, CompleteTheirArguments) {
    EXPECT_THAT(prompt("authenticate").complete("password_secret", "A", {}), ElementsAre("ADMIN"));
    EXPECT_THAT(prompt("fill_form").complete("submit_button", "", {}), ElementsAre("button[type='submit']"));
    EXPECT_TRUE(prompt("fill_form").complete("url", "", {}).empty());
}

}  // namespace
