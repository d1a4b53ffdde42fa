#include "tools/prompt_files.h"

#include "tests/tools/support.h"
#include "tools/prompt_yaml.h"

namespace {

using testing::HasSubstr;

std::string yaml(std::string_view text) {
    auto parsed = tools::parse_yaml(text);
    return parsed ? json::serialize(*parsed) : parsed.error().message;
}

TEST(PromptYaml, ReadsMappingsListsAndBlocks) {
    EXPECT_EQ(
        yaml("---\n# note\nname: greet # who\nok: true\nnone:\nquoted: \"a: \\\"b\\\"\"\nsingle: 'it''s'\n"),
        R"({"name":"greet","ok":true,"none":null,"quoted":"a: \"b\"","single":"it's"})");
    EXPECT_EQ(yaml("list:\n  - a\n  - b: 1\n    c: 2\n  -\n    d: 3\nsame:\n- x\n"),
              R"({"list":["a",{"b":"1","c":"2"},{"d":"3"}],"same":["x"]})");
    EXPECT_EQ(yaml("text: |\n  one\n    two\n\n  three\nmore: >-\n  a\n  b\nflow: [\"a\", 1]\n"),
              R"({"text":"one\n  two\n\nthree\n","more":"a b","flow":["a",1]})");
}

TEST(PromptYaml, SaysWhereItCannotGoOn) {
    EXPECT_THAT(yaml("a: 1\nnonsense\n"), HasSubstr("Line 2"));
    EXPECT_THAT(yaml("a: 1\n  b: 2\n"), HasSubstr("Line 2: unexpected indentation"));
    EXPECT_THAT(yaml("a: 1\na: 2\n"), HasSubstr("twice"));
    EXPECT_THAT(yaml("a: 'open\n"), HasSubstr("not closed"));
    EXPECT_THAT(yaml("a: &x 1\n"), HasSubstr("anchors"));
    EXPECT_EQ(yaml(""), "null");
}

constexpr std::string_view kGreet =
    "name: greet\ndescription: Greet somebody.\narguments:\n  - name: who\n    required: true\n"
    "  - name: tone\n    default: friendly\n    values: [\"friendly\", \"formal\"]\ntemplate: |\n"
    "  Greet {{who}} in a {{tone}} way.\n";

class PromptFiles : public testing::Test {
protected:
    std::string text(const std::string& name, tools::PromptArguments arguments) {
        auto prompt = registry_.find_prompt(name);
        if (!prompt) return "no prompt";
        auto result = fakes::run_task(loop_, prompt->render(std::move(arguments), client_));
        return result ? std::get<tools::Text>(result->messages.at(0).content).text
                      : result.error().to_string();
    }

    Loop loop_;
    fakes::FakeClient client_;
    fakes::TemporaryDirectory directory_;
    tools::Registry registry_;
    Log log_ = Log::silent();
    tools::PromptDirectory prompts_{directory_.path(), registry_, log_};
};

TEST_F(PromptFiles, BecomePrompts) {
    directory_.write("greet.yaml", kGreet);
    directory_.write("bye.json", R"({"name": "bye", "template": "Bye."})");
    directory_.write("notes.txt", "not a prompt");

    prompts_.refresh();

    EXPECT_EQ(text("greet", {{"who", "Ann"}}), "Greet Ann in a friendly way.\n");
    EXPECT_EQ(text("greet", {{"who", "Ann"}, {"tone", "formal"}}), "Greet Ann in a formal way.\n");
    EXPECT_EQ(text("bye", {}), "Bye.");
    auto greet = registry_.find_prompt("greet");
    EXPECT_TRUE(greet->arguments.at(0).required);
    EXPECT_THAT(greet->complete("tone", "fo", {}), testing::ElementsAre("formal"));
    EXPECT_EQ(registry_.prompts().size(), 2);
}

TEST_F(PromptFiles, FollowTheirFiles) {
    directory_.write("a.json", R"({"name": "a", "template": "one"})");
    prompts_.refresh();
    directory_.write("a.json", R"({"name": "a", "template": "three"})");
    prompts_.refresh();
    EXPECT_EQ(text("a", {}), "three");

    directory_.write("a.json", R"({"name": "b", "template": "renamed"})");
    prompts_.refresh();
    EXPECT_EQ(text("a", {}), "no prompt");
    EXPECT_EQ(text("b", {}), "renamed");

    directory_.write("a.json", "broken");
    prompts_.refresh();
    EXPECT_EQ(registry_.prompts().size(), 0);
    std::filesystem::remove(directory_.path() / "a.json");
    prompts_.refresh();
    EXPECT_EQ(registry_.prompts().size(), 0);
}

TEST_F(PromptFiles, DoNotTakeTheNamesOfOthers) {
    registry_.add(tools::to_prompt({.name = "a", .body = tools::PromptTemplate::create("ours").value()}));
    directory_.write("a.json", R"({"name": "a", "template": "theirs"})");

    prompts_.refresh();
    std::filesystem::remove(directory_.path() / "a.json");
    prompts_.refresh();

    EXPECT_EQ(text("a", {}), "ours");
}

TEST(PromptFile, SaysWhatIsWrongWithIt) {
    auto message = [](std::string_view text) {
        auto read = tools::read_prompt(text, ".json");
        return read ? "fine" : read.error().message;
    };
    EXPECT_THAT(message(R"({"template": "x"})"), HasSubstr("no name"));
    EXPECT_THAT(message(R"({"name": "x"})"), HasSubstr("no template"));
    EXPECT_THAT(message(R"({"name": "x", "template": "{{y}}"})"),
                HasSubstr("{{y}}, which is not among the arguments"));
    EXPECT_THAT(message(R"({"name": "x", "template": "a", "arguments": [{}]})"), HasSubstr("needs a name"));
    EXPECT_THAT(message("[]"), HasSubstr("name and template"));
}

}  // namespace
