#include "session/page_tool_check.h"

#include <algorithm>

#include "schema/validator.h"
#include "util/strings.h"

namespace session {
namespace {

using engine::PageTool;

constexpr std::size_t kMaxTools = 64, kMaxRefusals = 5;
constexpr std::size_t kLongestName = 200, kLongestTitle = 200, kLongestDescription = 4'000;
constexpr std::size_t kLargestSchema = 16'000, kLargestSchemas = 128'000;
constexpr std::size_t kLongestProperty = 64;  // and of these characters: models refuse others
constexpr std::string_view kPropertyCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

void cut(std::string& text, std::size_t most) {
    if (text.size() <= most) return;
    while (most > 0 && (text[most] & 0xC0) == 0x80) --most;
    text.resize(most);
    text += " …";
}

// Why the members are none of a tool's; empty when they are.
std::string properties_misfit(const json::object& properties) {
    for (const auto& [name, schema] : properties) {
        if (name.empty() || name.size() > kLongestProperty ||
            name.find_first_not_of(kPropertyCharacters) != name.npos)
            return "an argument has a name that is not made of 1 to 64 letters, digits, _, . and -";
        if (!schema.is_object()) return "inputSchema.properties has a member that is no object";
    }
    return "";
}

std::string schema_misfit(const json::object& schema) {
    if (const json::value* given = json::find(schema, "$schema"); given && !given->is_string())
        return "inputSchema.$schema is no string";
    if (json::find_string(schema, "type") != "object") return "inputSchema.type is not \"object\"";
    if (const json::value* properties = json::find(schema, "properties")) {
        if (!properties->is_object()) return "inputSchema.properties is no object";
        if (std::string why = properties_misfit(properties->get_object()); !why.empty()) return why;
    }
    if (const json::value* required = json::find(schema, "required")) {
        auto is_text = [](const json::value& each) { return each.is_string(); };
        if (!required->is_array() || !std::ranges::all_of(required->get_array(), is_text))
            return "inputSchema.required is no list of strings";
    }
    if (json::serialize(schema).size() > kLargestSchema) return "inputSchema is too large";
    auto compiled = schema::Validator::create(schema);
    return compiled ? "" : "inputSchema is no JSON Schema: " + compiled.error().message;
}

std::string misfit(const PageTool& tool) {
    if (tool.name.empty() || tool.name.size() > kLongestName) return "its name is empty or too long";
    if (!tool.input_schema.is_null() && !tool.input_schema.is_object()) return "inputSchema is no object";
    return schema_misfit(schema_of(tool));
}

}  // namespace

json::object schema_of(const PageTool& tool) {
    const json::object* given = tool.input_schema.if_object();
    json::object schema = given ? *given : json::object{};
    if (!schema.contains("type")) schema["type"] = "object";
    return schema;
}

CheckedPageTools check_page_tools(std::vector<PageTool> offered) {
    CheckedPageTools checked;
    std::size_t size = 0, refused = 0;
    auto refuse = [&](const PageTool& tool, const std::string& why) {
        std::string name = tool.name;
        cut(name, 64);
        if (++refused <= kMaxRefusals)
            checked.refused.push_back("The tool \"" + name + "\" of " + tool.frame_label +
                                      " is not offered: " + why + ".");
    };
    for (PageTool& tool : offered) {
        std::string why = misfit(tool);
        std::size_t schema = why.empty() ? json::serialize(tool.input_schema).size() : 0;
        if (why.empty() && checked.tools.size() >= kMaxTools)
            why = "the page offers more than " + std::to_string(kMaxTools);
        if (why.empty() && size + schema > kLargestSchemas) why = "the page's schemas are too large in all";
        if (!why.empty()) {
            refuse(tool, why);
            continue;
        }
        size += schema;
        cut(tool.title, kLongestTitle);
        cut(tool.description, kLongestDescription);
        checked.tools.push_back(std::move(tool));
    }
    if (refused > kMaxRefusals)
        checked.refused.push_back("So are " + std::to_string(refused - kMaxRefusals) + " more.");
    return checked;
}

}  // namespace session
