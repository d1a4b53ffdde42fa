#include "session/page_tool_check.h"

#include <algorithm>

#include "schema/validator.h"
#include "session/server_arguments.h"
#include "util/strings.h"

namespace session {
namespace {

using engine::PageTool;

constexpr std::size_t kMaxTools = 64, kMaxRefusals = 5;
constexpr std::size_t kMaxNameLength = 200, kMaxTitleLength = 200, kMaxDescriptionLength = 4'000;
constexpr std::size_t kMaxSchemaBytes = 16'000, kMaxSchemasBytes = 128'000;
constexpr std::size_t kMaxPropertyLength = 64;  // and of these characters: models refuse others
constexpr std::string_view kPropertyCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

void cut(std::string& text, std::size_t max_length) {
    if (text.size() <= max_length) return;
    while (max_length > 0 && (text[max_length] & 0xC0) == 0x80) --max_length;
    text.resize(max_length);
    text += "…";
}

bool is_servers(std::string_view argument) {
    auto has = [&](const auto& names) { return std::ranges::find(names, argument) != std::end(names); };
    return has(kSessionArguments) || has(kTabArguments) || argument == kResponseArgument;
}

// The first argument of the schema, or of schemas that apply to the same object, that the server would take
// as its own; empty when there is none.
std::string servers_argument(const json::value& given) {
    const json::object* schema = given.if_object();
    if (!schema) return "";
    if (const json::object* properties = json::find_object(*schema, "properties")) {
        for (const auto& [name, property] : *properties)
            if (is_servers(name)) return name;
    }
    if (const json::value* required = json::find(*schema, "required"); required && required->is_array()) {
        for (const json::value& name : required->get_array())
            if (name.is_string() && is_servers(name.get_string())) return std::string(name.get_string());
    }
    for (std::string_view list : {"allOf", "anyOf", "oneOf"}) {
        const json::value* schemas = json::find(*schema, list);
        if (!schemas || !schemas->is_array()) continue;
        for (const json::value& each : schemas->get_array())
            if (std::string name = servers_argument(each); !name.empty()) return name;
    }
    for (std::string_view one : {"if", "then", "else"}) {
        const json::value* each = json::find(*schema, one);
        if (std::string name = each ? servers_argument(*each) : ""; !name.empty()) return name;
    }
    for (std::string_view map : {"$defs", "definitions", "dependentSchemas"}) {
        const json::object* schemas = json::find_object(*schema, map);
        if (!schemas) continue;
        for (const auto& [key, each] : *schemas)
            if (std::string name = servers_argument(each); !name.empty()) return name;
    }
    return "";
}

// Why these are no properties of a tool; empty when they are.
std::string properties_misfit(const json::object& properties) {
    for (const auto& [name, schema] : properties) {
        if (name.empty() || name.size() > kMaxPropertyLength ||
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
    if (json::serialize(schema).size() > kMaxSchemaBytes) return "inputSchema is too large";
    if (std::string name = servers_argument(schema); !name.empty())
        return "its argument \"" + name + "\" has a name that this server takes for itself";
    auto compiled = schema::Validator::create(schema);
    return compiled ? "" : "inputSchema is no JSON Schema: " + compiled.error().message;
}

// Whether a name or a number in the schema is a secret.
bool shows_secret(const Redactor& secrets, const json::value& schema) {
    auto shows = [&](const json::value& each) { return shows_secret(secrets, each); };
    if (const json::array* items = schema.if_array()) return std::ranges::any_of(*items, shows);
    if (schema.is_number()) return secrets.hides_number(json::serialize(schema));
    const json::object* members = schema.if_object();
    return members && std::ranges::any_of(*members, [&](const auto& member) {
               return secrets.finds_any(std::string_view(member.key())) || shows(member.value());
           });
}

std::string misfit(const PageTool& tool, const Redactor& secrets) {
    if (tool.name.empty() || tool.name.size() > kMaxNameLength) return "its name is empty or too long";
    if (!tool.input_schema.is_null() && !tool.input_schema.is_object()) return "inputSchema is no object";
    if (secrets.finds_any(tool.name) || shows_secret(secrets, tool.input_schema))
        return "its name or schema contains a secret";
    return schema_misfit(schema_of(tool));
}

}  // namespace

json::object schema_of(const PageTool& tool) {
    const json::object* given = tool.input_schema.if_object();
    json::object schema = given ? *given : json::object{};
    if (!schema.contains("type")) schema["type"] = "object";
    return schema;
}

CheckedPageTools check_page_tools(std::vector<PageTool> offered, const Redactor& secrets) {
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
        std::string why = misfit(tool, secrets);
        std::size_t schema = why.empty() ? json::serialize(tool.input_schema).size() : 0;
        if (why.empty() && checked.tools.size() >= kMaxTools)
            why = "the page offers more than " + std::to_string(kMaxTools);
        if (why.empty() && size + schema > kMaxSchemasBytes) why = "the page's schemas are too large in all";
        if (!why.empty()) {
            refuse(tool, why);
            continue;
        }
        size += schema;
        cut(tool.title, kMaxTitleLength);
        cut(tool.description, kMaxDescriptionLength);
        checked.tools.push_back(std::move(tool));
    }
    if (refused > kMaxRefusals)
        checked.refused.push_back("So are " + std::to_string(refused - kMaxRefusals) + " more.");
    return checked;
}

}  // namespace session
