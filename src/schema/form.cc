#include "schema/form.h"

#include <algorithm>

namespace schema {
namespace {

bool is_text(const json::value& value) { return value.is_string(); }

bool is_titled_choice(const json::value& value) {
    const json::object* choice = value.if_object();
    return choice && json::find_string(*choice, "const") && json::find_string(*choice, "title");
}

bool is_list_of(const json::object& schema, std::string_view keyword, bool (*fits)(const json::value&)) {
    const json::array* elements = json::find_array(schema, keyword);
    return elements && !elements->empty() && std::all_of(elements->begin(), elements->end(), fits);
}

bool is_nested(const json::object& schema) {
    auto given = [&](std::string_view keyword) { return schema.contains(keyword); };
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{"properties", "items", "$ref", "allOf", "not", "if"}, given);
}

bool is_choice(const json::object& schema, std::string_view titled) {
    return is_list_of(schema, "enum", is_text) || is_list_of(schema, titled, is_titled_choice);
}

bool is_form_field(const json::object& schema) {
    auto type = json::find_string(schema, "type").value_or("");
    if (type == "array") {
        const json::object* items = json::find_object(schema, "items");
        return items && is_choice(*items, "anyOf");
    }
    if (is_nested(schema)) return false;
    bool has_choices = schema.contains("enum") || schema.contains("oneOf") || schema.contains("anyOf");
    if (type == "string") return !has_choices || is_choice(schema, "oneOf");
    return !has_choices && (type == "number" || type == "integer" || type == "boolean");
}

Error refuse(std::string problem) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = std::move(problem),
        .hint = "A form has strings, numbers, booleans, choices and lists of choices, and nothing nested.",
    };
}

}  // namespace

Result<void> check_form(const json::object& schema) {
    if (json::find_string(schema, "type") != "object") return refuse("The form is not an object.");
    const json::object* properties = json::find_object(schema, "properties");
    if (!properties) return refuse("The form has no properties.");
    for (const auto& [name, property] : *properties) {
        const json::object* field = property.if_object();
        if (!field || !is_form_field(*field)) {
            return refuse("The field \"" + std::string(name) + "\" cannot be asked for in a form.");
        }
    }
    return ok();
}

}  // namespace schema
