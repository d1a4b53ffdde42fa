#include "examples.h"

#include <map>

#include "schema/validator.h"

namespace {

using Samples = std::map<std::string_view, std::string_view>;

// By argument, as JSON.
const Samples kValues = {
    {"accept", "true"},
    {"accessibleName", R"("Submit")"},
    {"baseline", R"("baseline.png")"},
    {"cookies", R"([{"name": "theme", "value": "dark", "url": "https://example.com/"}])"},
    {"element", R"("Submit button")"},
    {"endTarget", R"("e9")"},
    {"endX", "300"},
    {"endY", "200"},
    {"fields", R"([{"name": "Name", "type": "textbox", "target": "e7", "value": "Ann"}])"},
    {"filename", R"("state.json")"},
    {"files", R"(["photo.png"])"},
    {"from_ref_id", R"("6b1f9d52-9c5e-4f0b-8a57-3d2f1c0e1000")"},
    {"function", R"("() => document.title")"},
    {"height", "720"},
    {"index", "1"},
    {"items", R"(["Bread", "Milk"])"},
    {"key", R"("Enter")"},
    {"name", R"("theme")"},
    {"offline", "true"},
    {"pattern", R"("**/api/users")"},
    {"ref_id", R"("6b1f9d52-9c5e-4f0b-8a57-3d2f1c0e1000")"},
    {"role", R"("button")"},
    {"script", R"("return document.title")"},
    {"selector", R"("#submit")"},
    {"sessionId", R"("ann")"},
    {"source", R"("#card")"},
    {"startTarget", R"("e5")"},
    {"startX", "100"},
    {"startY", "200"},
    {"state", R"({"cookies": [], "origins": []})"},
    {"target", R"("e5")"},
    {"text", R"("Ann")"},
    {"title", R"("Checkout")"},
    {"to_ref_id", R"("0d0f6a3e-51a4-4c7b-9d0c-2b8f7e6a1001")"},
    {"type", R"("textbox")"},
    {"url", R"("https://example.com/")"},
    {"value", R"("dark")"},
    {"values", R"(["blue"])"},
    {"width", "1280"},
    {"x", "100"},
    {"y", "200"},
};

// By tool: what it is usually called with besides, or instead.
const Samples kUsual = {
    {"block_resource", R"({"pattern": "**/*.{png,jpg}"})"},
    {"browser_drop", R"({"paths": ["photo.png"]})"},
    {"browser_evaluate", R"({"function": "() => document.title"})"},
    {"browser_file_upload", R"({"paths": ["photo.png"]})"},
    {"browser_localstorage_delete", R"({"key": "theme"})"},
    {"browser_localstorage_get", R"({"key": "theme"})"},
    {"browser_localstorage_set", R"({"key": "theme"})"},
    {"browser_network_state_set", R"({"state": "offline"})"},
    {"browser_run_code_unsafe", R"js({"code": "async page => await page.title()"})js"},
    {"browser_sessionstorage_delete", R"({"key": "theme"})"},
    {"browser_sessionstorage_get", R"({"key": "theme"})"},
    {"browser_sessionstorage_set", R"({"key": "theme"})"},
    {"browser_tabs", R"({"action": "new", "url": "https://example.com/"})"},
    {"browser_verify_value", R"({"element": "Name", "value": "Ann"})"},
    {"browser_wait_for", R"({"text": "Thank you"})"},
    {"check", R"({"selector": "#agree"})"},
    {"compare_screenshots", R"({"threshold": 0.1})"},
    {"create_session", R"({"sessionId": "ann", "url": "https://example.com/"})"},
    {"drag_and_drop", R"({"target": "#basket"})"},
    {"extract_table", R"({"selector": "table"})"},
    {"fill", R"({"selector": "#name", "value": "Ann"})"},
    {"get_all_text", R"({"selector": "li"})"},
    {"get_attribute", R"({"selector": "a", "name": "href"})"},
    {"get_content", R"({"since": "last"})"},
    {"get_text", R"({"selector": "h1"})"},
    {"get_value", R"({"selector": "#name"})"},
    {"history_list", R"({"text": "checkout"})"},
    {"mock_response", R"({"status": 200, "body": "[]"})"},
    {"press", R"({"key": "Enter"})"},
    {"scroll", R"({"y": 2000})"},
    {"select", R"({"selector": "#colour"})"},
    {"type", R"({"selector": "#name"})"},
    {"uncheck", R"({"selector": "#agree"})"},
    {"upload_file", R"({"selector": "#photo"})"},
    {"wait_for_selector", R"({"selector": ".result"})"},
};

bool takes(const tools::Tool& tool, std::string_view name) {
    const json::object* properties = json::find_object(tool.input_schema, "properties");
    return properties && properties->contains(name);
}

// The first that an enumeration allows, else the sample of that name.
Result<json::value> value_for(const tools::Tool& tool, std::string_view name) {
    const json::object& property = json::find_object(tool.input_schema, "properties")->at(name).as_object();
    if (const json::array* choices = json::find_array(property, "enum"); choices && !choices->empty())
        return choices->front();
    auto sample = kValues.find(name);
    if (sample != kValues.end()) return json::parse(sample->second);
    return Error{.message =
                     "tests/docs/examples.cc has no value for " + std::string(name) + " of " + tool.name};
}

}  // namespace

Result<json::object> example_for(const tools::Tool& tool) {
    json::object arguments;
    if (const json::array* required = json::find_array(tool.input_schema, "required")) {
        for (const json::value& name : *required)
            arguments[name.get_string()] = TRY(value_for(tool, name.get_string()));
    }
    if (auto usual = kUsual.find(tool.name); usual != kUsual.end()) {
        for (const auto& [name, value] : TRY(json::parse(usual->second)).as_object()) {
            if (takes(tool, name)) arguments[name] = value;
        }
    }
    auto wrong = TRY(schema::Validator::create(tool.input_schema)).check(arguments);
    if (wrong.empty()) return arguments;
    return Error{.message = "The example of " + tool.name + " is not valid: " + schema::describe(wrong)};
}
