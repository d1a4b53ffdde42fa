// Tools that ask the client's user, model or workspace. One handler serves both eras: see Client::ask.
#include "tests/conformance/fixtures.h"

namespace conformance {
namespace {

using namespace tools;

// An elicitation schema: the members of one flat object.
json::object form(json::object properties, json::array required = {}) {
    json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

json::object type(std::string_view name) { return {{"type", name}}; }

json::object described(std::string_view name, std::string_view description) {
    return {{"type", name}, {"description", description}};
}

InputRequest ask_name(std::string key, std::string_view message) {
    return elicit(std::move(key), message, form({{"name", type("string")}}, {"name"}));
}

InputRequest ask_confirmation() {
    return elicit("confirm", "Please confirm", form({{"ok", type("boolean")}}, {"ok"}));
}

std::string text_at(const json::value& answer, std::initializer_list<std::string_view> path) {
    const json::value* found = json::find_path(answer, path);
    return found && found->is_string() ? std::string(found->as_string()) : "(no text)";
}

// "action=accept, content={…}"
std::string describe(const json::value& elicited) {
    const json::value* content = json::find(elicited, "content");
    return "action=" + text_at(elicited, {"action"}) +
           ", content=" + (content ? json::serialize(*content) : std::string("{}"));
}

struct SamplingParams {
    std::string prompt;
};

Task<ToolResult> sampling(Call call, SamplingParams params) {
    auto answers = co_await call.client.ask({sample("response", params.prompt, 100)});
    co_return ToolResult::text("LLM response: " + text_at(answers["response"], {"content", "text"}));
}

struct ElicitationParams {
    std::string message;
};

Task<ToolResult> elicitation(Call call, ElicitationParams params) {
    auto answers =
        co_await call.client.ask({elicit("response", params.message,
                                         form({{"username", described("string", "User's response")},
                                               {"email", described("string", "User's email address")}},
                                              {"username", "email"}))});
    co_return ToolResult::text("User response: " + describe(answers["response"]));
}

constexpr std::string_view kDefaults = R"({
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"],
               "default": "active"},
    "verified": {"type": "boolean", "description": "Verification status", "default": true}
})";

constexpr std::string_view kEnums = R"({
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                   "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [
        {"const": "value1", "title": "First Choice"},
        {"const": "value2", "title": "Second Choice"},
        {"const": "value3", "title": "Third Choice"}]}}
})";

Task<ToolResult> elicit_form(Call call, std::string message, std::string_view properties) {
    auto answers = co_await call.client.ask(
        {elicit("form", message, form(json::parse(properties).value().as_object()))});
    co_return ToolResult::text("Elicitation completed: " + describe(answers["form"]));
}

Task<ToolResult> elicit_defaults(Call call, NoParams) {
    return elicit_form(call, "Please review and update the form fields with defaults", kDefaults);
}

Task<ToolResult> elicit_enums(Call call, NoParams) {
    return elicit_form(call, "Please select options from the enum fields", kEnums);
}

Task<ToolResult> ask_user_name(Call call, NoParams) {
    auto answers = co_await call.client.ask({ask_name("user_name", "What is your name?")});
    co_return ToolResult::text("Hello, " + text_at(answers["user_name"], {"content", "name"}) + "!");
}

Task<ToolResult> ask_model(Call call, NoParams) {
    auto answers =
        co_await call.client.ask({sample("capital_question", "What is the capital of France?", 100)});
    co_return ToolResult::text("LLM response: " + text_at(answers["capital_question"], {"content", "text"}));
}

Task<ToolResult> ask_roots(Call call, NoParams) {
    auto answers = co_await call.client.ask({list_roots("client_roots")});
    const json::value* roots = json::find(answers["client_roots"], "roots");
    co_return ToolResult::text("Client roots: " + (roots ? json::serialize(*roots) : std::string("[]")));
}

Task<ToolResult> confirm_with_state(Call call, NoParams) {
    auto answers = co_await call.client.ask({ask_confirmation()});
    co_return ToolResult::text("state-ok: " + describe(answers["confirm"]));
}

Task<ToolResult> ask_everything(Call call, NoParams) {
    auto answers = co_await call.client.ask({
        ask_name("user_name", "What is your name?"),
        sample("greeting", "Generate a greeting", 50),
        list_roots("client_roots"),
    });
    co_return ToolResult::text(text_at(answers["greeting"], {"content", "text"}) + " " +
                               text_at(answers["user_name"], {"content", "name"}) + " " +
                               json::serialize(answers["client_roots"]));
}

Task<ToolResult> ask_twice(Call call, NoParams) {
    auto first = co_await call.client.ask({ask_name("step1", "Step 1: What is your name?")});
    auto second = co_await call.client.ask({elicit("step2", "Step 2: What is your favorite color?",
                                                   form({{"color", type("string")}}, {"color"}))});
    co_return ToolResult::text(text_at(first["step1"], {"content", "name"}) + " likes " +
                               text_at(second["step2"], {"content", "color"}) + ".");
}

// Asks only what this client said it can answer.
Task<ToolResult> ask_what_is_declared(Call call, NoParams) {
    std::vector<InputRequest> all{ask_name("user_name", "What is your name?"),
                                  sample("greeting", "Generate a greeting", 50), list_roots("client_roots")};
    std::vector<InputRequest> possible;
    for (InputRequest& request : all) {
        if (call.client.answers(request.method)) possible.push_back(std::move(request));
    }
    if (possible.empty()) co_return ToolResult::text("This client answers no questions.");
    auto answers = co_await call.client.ask(std::move(possible));
    co_return ToolResult::text("Answers: " + std::to_string(answers.size()));
}

}  // namespace

void add_questions(Registry& registry, Loop&) {
    registry.add(tool<SamplingParams>({
        .name = "test_sampling",
        .title = "Asks the model",
        .description = "Has the client's model answer a prompt.",
        .effect = Effect::ReadsServer,
        .params = {{"prompt", &SamplingParams::prompt, "The prompt to send to the LLM."}},
        .handler = sampling,
    }));
    registry.add(tool<ElicitationParams>({
        .name = "test_elicitation",
        .title = "Asks the user",
        .description = "Has the client's user fill in a form.",
        .effect = Effect::ReadsServer,
        .params = {{"message", &ElicitationParams::message, "The message to show the user."}},
        .handler = elicitation,
    }));
    auto add = [&](std::string name, const std::string& title, Task<ToolResult> (*handler)(Call, NoParams)) {
        registry.add(tool<NoParams>({
            .name = std::move(name),
            .title = title,
            .description = title + ", for the conformance suite.",
            .effect = Effect::ReadsServer,
            .handler = handler,
        }));
    };
    add("test_elicitation_sep1034_defaults", "Asks with default values", elicit_defaults);
    add("test_elicitation_sep1330_enums", "Asks with every kind of choice", elicit_enums);
    add("test_missing_capability", "Needs a client with a model", ask_model);
    add("test_streaming_elicitation", "Asks the user in the middle of a call", ask_user_name);
    add("test_input_required_result_elicitation", "Asks for a name", ask_user_name);
    add("test_input_required_result_sampling", "Asks the model for a capital", ask_model);
    add("test_input_required_result_list_roots", "Asks for the workspace's roots", ask_roots);
    add("test_input_required_result_request_state", "Asks for a confirmation", confirm_with_state);
    add("test_input_required_result_multiple_inputs", "Asks three things at once", ask_everything);
    add("test_input_required_result_multi_round", "Asks twice, one after the other", ask_twice);
    add("test_input_required_result_tampered_state", "Asks with state nobody may change", confirm_with_state);
    add("test_input_required_result_capabilities", "Asks what the client can answer", ask_what_is_declared);
}

}  // namespace conformance
