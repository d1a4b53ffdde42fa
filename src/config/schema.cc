#include "config/schema.h"

#include <limits>
#include <string>

#include "config/parse.h"
#include "config/table.h"
#include "util/strings.h"

namespace config {

namespace {

json::array to_array(const std::vector<std::string>& texts) {
    json::array array;
    for (const std::string& text : texts) array.emplace_back(text);
    return array;
}

json::object with_range(json::object schema, const Option& option) {
    schema["minimum"] = option.min;
    if (option.max != std::numeric_limits<std::int64_t>::max()) schema["maximum"] = option.max;
    return schema;
}

json::object size_schema() {
    json::object side{{"type", "integer"}, {"minimum", 1}, {"maximum", 1'000'000}};
    return {
        {"anyOf",
         json::array{
             json::object{{"type", "string"}, {"pattern", "^ *[0-9]+ *[x,] *[0-9]+ *$"}},
             json::object{{"type", "object"},
                          {"properties", json::object{{"width", side}, {"height", side}}},
                          {"required", json::array{"width", "height"}},
                          {"additionalProperties", false}},
         }},
    };
}

json::object list_schema(const Option& option) {
    json::object items{{"type", "string"}};
    // Unknown capabilities only cause a warning, so these are only examples.
    if (!option.choices.empty()) items["examples"] = to_array(choices(option));
    return {{"type", "array"}, {"items", std::move(items)}};
}

json::object type_schema(const Option& option) {
    switch (option.type) {
        case Type::Bool:
            return {{"type", "boolean"}};
        case Type::Integer:
        case Type::Duration:
            return with_range({{"type", "integer"}}, option);
        case Type::Number:
            return with_range({{"type", "number"}}, option);
        case Type::String:
        case Type::Path:
            return {{"type", "string"}};
        case Type::Choice:
            return {{"type", "string"}, {"enum", to_array(choices(option))}};
        case Type::List:
        case Type::Paths:
            return list_schema(option);
        case Type::Size:
            return size_schema();
        case Type::Map:
            return {{"type", "object"}, {"additionalProperties", json::object{{"type", "string"}}}};
        case Type::Json:
            return {{"type", to_array(choices(option))}};
        case Type::OpenSection:
            return {{"type", "object"}, {"additionalProperties", true}};
    }
    return {};
}

std::string where_else(const Option& option) {
    std::vector<std::string> names;
    if (!option.flag.empty()) names.push_back("--" + std::string(option.flag));
    for (std::string& name : variables(option)) names.push_back(std::move(name));
    return join(names, ", ");
}

json::object option_schema(const Option& option) {
    json::object schema = type_schema(option);
    if (option.nullable) schema = {{"anyOf", json::array{std::move(schema), json::object{{"type", "null"}}}}};
    schema["description"] = option.help;
    if (auto value = from_text(option, option.default_value); value && !option.default_value.empty())
        schema["default"] = *value;
    if (option.secret) schema["writeOnly"] = true;
    if (std::string names = where_else(option); !names.empty()) schema["$comment"] = "Also " + names;
    return schema;
}

json::object section() {
    return {{"type", "object"}, {"properties", json::object{}}, {"additionalProperties", false}};
}

void put(json::object& into, std::string_view path, json::object schema) {
    json::object& properties = into["properties"].as_object();
    std::size_t dot = path.find('.');
    std::string_view name = path.substr(0, dot);
    if (dot != std::string_view::npos) {
        if (!properties.contains(name)) properties[name] = section();
        put(properties[name].as_object(), path.substr(dot + 1), std::move(schema));
        return;
    }
    json::value& place = properties[name];
    if (!place.is_object()) place = json::object{};
    // An open section adds to the members that its options have put here.
    for (auto& [key, member] : schema) place.get_object()[key] = std::move(member);
}

}  // namespace

json::value schema() {
    json::object root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"title", "Configuration of Troupe"}};
    for (auto& [key, member] : section()) root[key] = std::move(member);
    root["properties"].as_object()["$schema"] = json::object{{"type", "string"}};
    for (const Option& option : kOptions) {
        if (!option.key.empty()) put(root, option.key, option_schema(option));
    }
    return root;
}

}  // namespace config
