#include "tests/conformance/fixtures.h"

namespace conformance {
namespace {

using namespace tools;

PromptMessage user(Content content) { return {.content = std::move(content)}; }

Task<PromptResult> simple(PromptArguments, Client&) {
    co_return PromptResult{.messages = {user(Text{"This is a simple prompt for testing."})}};
}

Task<PromptResult> with_arguments(PromptArguments arguments, Client&) {
    co_return PromptResult{.messages = {user(Text{"Prompt with arguments: arg1='" + arguments["arg1"] +
                                                  "', arg2='" + arguments["arg2"] + "'"})}};
}

Task<PromptResult> with_embedded_resource(PromptArguments arguments, Client&) {
    ResourceContents contents{.uri = arguments["resourceUri"],
                              .mime_type = "text/plain",
                              .text = "Embedded resource content for testing."};
    co_return PromptResult{.messages = {user(EmbeddedResource{std::move(contents)}),
                                        user(Text{"Please process the embedded resource above."})}};
}

Task<PromptResult> with_image(PromptArguments, Client&) {
    co_return PromptResult{.messages = {user(Image{std::string(kRedPixelPng), "image/png"}),
                                        user(Text{"Please analyze the image above."})}};
}

Task<PromptResult> asking_for_context(PromptArguments, Client& client) {
    json::object schema{{"type", "object"},
                        {"properties", json::object{{"context", json::object{{"type", "string"}}}}},
                        {"required", json::array{"context"}}};
    auto answers = co_await client.ask(
        {elicit("user_context", "What context should the prompt use?", std::move(schema))});
    const json::value* context = json::find_path(answers["user_context"], {"content", "context"});
    std::string text = context && context->is_string() ? std::string(context->as_string()) : "none given";
    co_return PromptResult{.messages = {user(Text{"Use this context: " + text})}};
}

std::vector<std::string> complete_argument(const std::string& argument, const std::string& typed,
                                           const CompletionContext&) {
    std::vector<std::string> values;
    if (argument != "arg1") return values;
    for (const char* word : {"paris", "park", "party"}) {
        if (std::string_view(word).starts_with(typed)) values.emplace_back(word);
    }
    return values;
}

Prompt dynamic_prompt() {
    return {.name = "test_dynamic_prompt",
            .title = "Comes and goes",
            .description = "There while test_trigger_prompt_change was called an odd number of times.",
            .render = simple};
}

Task<ToolResult> change_prompts(Registry& registry) {
    bool removed = registry.remove_prompt("test_dynamic_prompt");
    if (!removed) registry.add(dynamic_prompt());
    co_return ToolResult::text(removed ? "Removed test_dynamic_prompt." : "Added test_dynamic_prompt.");
}

}  // namespace

void add_prompts(Registry& registry, Loop&) {
    registry.add(Prompt{.name = "test_simple_prompt",
                        .title = "Simple prompt",
                        .description = "A prompt without arguments.",
                        .render = simple});
    registry.add(
        Prompt{.name = "test_prompt_with_arguments",
               .title = "Prompt with arguments",
               .description = "A prompt that shows its two arguments.",
               .arguments = {{"arg1", "First test argument", true}, {"arg2", "Second test argument", true}},
               .render = with_arguments,
               .complete = complete_argument});
    registry.add(Prompt{.name = "test_prompt_with_embedded_resource",
                        .title = "Prompt with a resource",
                        .description = "A prompt that embeds the resource it is given.",
                        .arguments = {{"resourceUri", "URI of the resource to embed", true}},
                        .render = with_embedded_resource});
    registry.add(Prompt{.name = "test_prompt_with_image",
                        .title = "Prompt with an image",
                        .description = "A prompt that shows an image.",
                        .render = with_image});
    registry.add(Prompt{.name = "test_input_required_result_prompt",
                        .title = "Prompt that asks",
                        .description = "A prompt that asks the user for its context first.",
                        .render = asking_for_context});
    registry.add(tool<NoParams>({
        .name = "test_trigger_prompt_change",
        .title = "Change the prompts",
        .description = "Adds test_dynamic_prompt, or removes it when it is there.",
        .effect = Effect::ChangesServer,
        .handler = [&registry](Call, NoParams) { return change_prompts(registry); },
    }));
}

}  // namespace conformance
