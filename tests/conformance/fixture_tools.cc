#include <chrono>
#include <map>
#include <memory>

#include "schema/validator.h"
#include "tests/conformance/fixtures.h"

namespace conformance {
namespace {

using namespace tools;
using namespace std::chrono_literals;

Task<ToolResult> simple_text(Call, NoParams) {
    co_return ToolResult::text("This is a simple text response for testing.");
}

Image red_pixel() { return {std::string(kRedPixelPng), "image/png"}; }

Task<ToolResult> image_content(Call, NoParams) { co_return ToolResult{.content = {red_pixel()}}; }

Task<ToolResult> audio_content(Call, NoParams) {
    co_return ToolResult{.content = {Audio{std::string(kSilentWav), "audio/wav"}}};
}

Task<ToolResult> embedded_resource(Call, NoParams) {
    co_return ToolResult{.content = {EmbeddedResource{{.uri = "test://embedded-resource",
                                                       .mime_type = "text/plain",
                                                       .text = "This is an embedded resource content."}}}};
}

Task<ToolResult> multiple_content_types(Call, NoParams) {
    co_return ToolResult{.content = {Text{"Multiple content types test:"}, red_pixel(),
                                     EmbeddedResource{{.uri = "test://mixed-content-resource",
                                                       .mime_type = "application/json",
                                                       .text = R"({"test":"data","value":123})"}}}};
}

Task<ToolResult> structured_content(Call, NoParams) {
    json::object pixel{{"color", "red"}, {"width", 1}};
    co_return ToolResult{.content = {Text{json::serialize(pixel)}}, .structured = pixel};
}

Task<ToolResult> error_handling(Call, NoParams) {
    co_return Error{.code = ErrorCode::InternalError,
                    .message = "This tool intentionally returns an error for testing"};
}

struct EchoParams {
    std::string text;
};

Task<ToolResult> echo(Call, EchoParams params) { co_return ToolResult::text(std::move(params.text)); }

struct HeaderParams {
    std::string region;
};

Task<ToolResult> custom_header(Call, HeaderParams params) {
    co_return ToolResult::text("Region: " + params.region);
}

Task<ToolResult> with_progress(Call call, Loop& loop) {
    call.client.report_progress(0, 100, "Started");
    co_await sleep_for(loop, 50ms);
    call.client.report_progress(50, 100, "Half done");
    co_await sleep_for(loop, 50ms);
    call.client.report_progress(100, 100, "Done");
    co_return ToolResult::text("Tool with progress executed successfully.");
}

Task<ToolResult> with_logging(Call call, Loop& loop) {
    call.client.log(MessageLevel::Info, "conformance", "Tool execution started");
    co_await sleep_for(loop, 50ms);
    call.client.log(MessageLevel::Info, "conformance", "Tool processing data");
    co_await sleep_for(loop, 50ms);
    call.client.log(MessageLevel::Info, "conformance", "Tool execution completed");
    co_return ToolResult::text("Tool with logging executed successfully.");
}

Task<ToolResult> at_every_level(Call call, NoParams) {
    call.client.log(MessageLevel::Debug, "conformance", "A debug message");
    call.client.log(MessageLevel::Info, "conformance", "An info message");
    call.client.log(MessageLevel::Error, "conformance", "An error message");
    co_return ToolResult::text("Logged at three levels.");
}

Task<ToolResult> reconnection(Call call, Loop& loop) {
    call.client.release_stream();
    // The client comes back meanwhile, or later: the answer waits for it.
    co_await sleep_for(loop, 100ms);
    co_return ToolResult::text("Reconnection test completed successfully.");
}

Tool dynamic_tool() {
    return tool<NoParams>({
        .name = "test_dynamic_tool",
        .title = "Comes and goes",
        .description = "There while test_trigger_tool_change was called an odd number of times.",
        .effect = Effect::ReadsServer,
        .handler = simple_text,
    });
}

Task<ToolResult> change_tools(Registry& registry) {
    bool removed = registry.remove_tool("test_dynamic_tool");
    if (!removed) registry.add(dynamic_tool());
    co_return ToolResult::text(removed ? "Removed test_dynamic_tool." : "Added test_dynamic_tool.");
}

// Which waiting calls have ended, by the key that the caller gave them.
class EndedCalls {
public:
    explicit EndedCalls(Loop& loop) : loop_(loop) {}
    const Completion<Ok>& of(const std::string& key) { return by_key_.try_emplace(key, loop_).first->second; }

private:
    Loop& loop_;
    std::map<std::string, Completion<Ok>> by_key_;
};

struct KeyParams {
    std::string key;
};

Task<ToolResult> wait_until_cancelled(Call call, KeyParams params, Loop& loop, EndedCalls& calls) {
    struct TellWhenDropped {
        Completion<Ok> ended;
        ~TellWhenDropped() { ended.set(ok()); }
    } tell{calls.of(params.key)};

    call.client.report_progress(0, std::nullopt, "Waiting");
    co_await sleep_until(loop, call.deadline);
    co_return ToolResult::error("Nobody cancelled this call.");
}

Task<ToolResult> await_cancellation(KeyParams params, EndedCalls& calls) {
    co_await calls.of(params.key);
    co_return ToolResult::text("Cancelled.");
}

constexpr std::string_view kSchema2020 = R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
})";

Task<ToolResult> check_2020(Call call, const schema::Validator& validator) {
    auto violations = validator.check(call.arguments);
    if (!violations.empty()) {
        co_return invalid_arguments("json_schema_2020_12_tool", {.code = ErrorCode::InvalidArgument,
                                                                 .message = schema::describe(violations)});
    }
    co_return ToolResult::text("The arguments fit the schema: " + json::serialize(call.arguments));
}

// Its schema says more than a literal can, so it is given word for word.
Tool schema_2020_tool() {
    json::value schema = json::parse(kSchema2020).value();
    auto validator = schema::Validator::create(schema).value();
    return {
        .name = "json_schema_2020_12_tool",
        .title = "JSON Schema 2020-12",
        .description = "Tool with JSON Schema 2020-12 features",
        .effect = Effect::ReadsServer,
        .input_schema = schema.as_object(),
        .run = [validator](Call call) { return check_2020(call, validator); },
    };
}

void add_answers(Registry& registry) {
    auto add = [&](std::string name, const std::string& title, Task<ToolResult> (*handler)(Call, NoParams)) {
        registry.add(tool<NoParams>({
            .name = std::move(name),
            .title = title,
            .description = title + ", for the conformance suite.",
            .effect = Effect::ReadsServer,
            .handler = handler,
        }));
    };
    // First in the list: one scenario calls the first tool with empty arguments.
    add("test_simple_text", "Answers with text", simple_text);
    add("test_image_content", "Answers with an image", image_content);
    add("test_audio_content", "Answers with audio", audio_content);
    add("test_embedded_resource", "Answers with a resource", embedded_resource);
    add("test_multiple_content_types", "Answers with text, an image and a resource", multiple_content_types);
    add("test_error_handling", "Answers with an error", error_handling);
    add("test_logging_tool", "Logs at three levels", at_every_level);

    registry.add(tool<NoParams>({
        .name = "test_structured_content",
        .title = "Answers with JSON",
        .description = "Answers with JSON that has a schema.",
        .effect = Effect::ReadsServer,
        .output_schema = {{"type", "object"},
                          {"properties", json::object{{"color", json::object{{"type", "string"}}},
                                                      {"width", json::object{{"type", "integer"}}}}},
                          {"required", json::array{"color", "width"}}},
        .handler = structured_content,
    }));
    registry.add(tool<EchoParams>({
        .name = "echo",
        .title = "Echo",
        .description = "Answers with its argument.",
        .effect = Effect::ReadsServer,
        .params = {{"text", &EchoParams::text, "What to answer."}},
        .handler = echo,
    }));
    registry.add(tool<HeaderParams>({
        .name = "test_custom_header",
        .title = "Argument in a header",
        .description = "Takes an argument that HTTP clients repeat in a header.",
        .effect = Effect::ReadsServer,
        .params = {{"region", &HeaderParams::region, "Where to look.", {.header = "Region"}}},
        .handler = custom_header,
    }));
    registry.add(schema_2020_tool());
}

void add_behaviours(Registry& registry, Loop& loop) {
    registry.add(tool<NoParams>({
        .name = "test_tool_with_progress",
        .title = "Reports progress",
        .description = "Reports its progress three times, 50 ms apart.",
        .effect = Effect::ReadsServer,
        .handler = [&loop](Call call, NoParams) { return with_progress(call, loop); },
    }));
    registry.add(tool<NoParams>({
        .name = "test_tool_with_logging",
        .title = "Logs while it runs",
        .description = "Logs three messages, 50 ms apart.",
        .effect = Effect::ReadsServer,
        .handler = [&loop](Call call, NoParams) { return with_logging(call, loop); },
    }));
    registry.add(tool<NoParams>({
        .name = "test_reconnection",
        .title = "Makes the client come back",
        .description = "Ends the stream of its call before it answers.",
        .effect = Effect::ReadsServer,
        .handler = [&loop](Call call, NoParams) { return reconnection(call, loop); },
    }));
    registry.add(tool<NoParams>({
        .name = "test_trigger_tool_change",
        .title = "Change the tools",
        .description = "Adds test_dynamic_tool, or removes it when it is there.",
        .effect = Effect::ChangesServer,
        .handler = [&registry](Call, NoParams) { return change_tools(registry); },
    }));
    auto calls = std::make_shared<EndedCalls>(loop);
    registry.add(tool<KeyParams>({
        .name = "test_wait_until_cancelled",
        .title = "Waits to be cancelled",
        .description = "Reports progress once and then never answers.",
        .effect = Effect::ReadsServer,
        .params = {{"key", &KeyParams::key, "Names this call for test_await_cancellation."}},
        .handler =
            [&loop, calls](Call call, KeyParams params) {
                return wait_until_cancelled(call, std::move(params), loop, *calls);
            },
    }));
    registry.add(tool<KeyParams>({
        .name = "test_await_cancellation",
        .title = "Watch a cancellation",
        .description = "Answers once the call of test_wait_until_cancelled with that key has stopped.",
        .effect = Effect::ReadsServer,
        .params = {{"key", &KeyParams::key, "The key that call was given."}},
        .handler = [calls](Call, KeyParams params) { return await_cancellation(std::move(params), *calls); },
    }));
}

}  // namespace

void add_tools(Registry& registry, Loop& loop) {
    add_answers(registry);
    add_behaviours(registry, loop);
}

}  // namespace conformance
