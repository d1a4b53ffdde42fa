#include "tests/fuzz/world.h"

namespace fuzz {
namespace {

using namespace tools;

struct Numbers {
    std::optional<std::int64_t> count;
    std::optional<double> factor;
    std::optional<bool> loud;
    std::optional<std::vector<std::string>> words;
};

Task<ToolResult> describe(Call, Numbers numbers) {
    json::object shown{{"count", numbers.count.value_or(0)}, {"factor", numbers.factor.value_or(0)}};
    co_return ToolResult{.content = {Text{json::serialize(shown)}}, .structured = shown};
}

// Answers from the loop instead of at once.
Task<ToolResult> answer_later(Call call, Loop& loop) {
    Completion<Ok> turn(loop);
    boost::asio::post(loop, [turn] { turn.set(ok()); });
    call.client.report_progress(0.5, 1, "later");
    co_await turn;
    co_return ToolResult::text("later");
}

Task<ToolResult> release_stream(Call call, Loop& loop) {
    call.client.release_stream();
    return answer_later(call, loop);
}

Task<ToolResult> change_lists(Registry& registry) {
    Tool passing{.name = "passing", .input_schema = {{"type", "object"}}, .run = fakes::fail};
    if (!registry.remove_tool(passing.name)) registry.add(std::move(passing));
    registry.resource_list_changed();
    registry.resource_updated("fuzz://a");
    co_return ToolResult::text("changed");
}

Task<PromptResult> greet(PromptArguments arguments, Client&) {
    co_return PromptResult{.messages = {{.content = Text{"Hello " + arguments["name"]}}}};
}

class Pages final : public ResourceProvider {
public:
    std::vector<Resource> list(const Caller&) const override {
        return {{.uri = "fuzz://a", .name = "a"}, {.uri = "fuzz://b", .name = "b"}};
    }
    std::vector<ResourceTemplate> templates() const override {
        return {{.uri_template = "fuzz://{id}", .name = "any"}};
    }
    std::optional<Access> reading(const std::string&) const override {
        return Access{{"resources/fuzz", "", Effect::ReadsServer}};
    }
    Task<std::optional<std::vector<ResourceContents>>> read(std::string uri, Client&) override {
        if (!uri.starts_with("fuzz://")) co_return std::nullopt;
        co_return std::vector<ResourceContents>{{.uri = uri, .text = uri}};
    }
};

}  // namespace

World::World() : Protocol({.version = "1.2.3", .page_size = 3}) {
    registry.add(tool<Numbers>({
        .name = "describe",
        .title = "Describe",
        .description = "Takes one argument of every type.",
        .effect = Effect::ReadsServer,
        .params = {{"count", &Numbers::count, "An integer."},
                   {"factor", &Numbers::factor, "A number."},
                   {"loud", &Numbers::loud, "Yes or no."},
                   {"words", &Numbers::words, "Texts."}},
        .handler = describe,
    }));
    add("later", [this](Call call) { return answer_later(call, loop); });
    add("release", [this](Call call) { return release_stream(call, loop); });
    add("change", [this](Call) { return change_lists(registry); });
    registry.add(Prompt{.name = "greet", .arguments = {{"name", "Whom", true}}, .render = greet});
    registry.add(std::make_shared<Pages>());
}

}  // namespace fuzz
