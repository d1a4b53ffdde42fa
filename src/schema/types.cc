#include "schema/types.h"

#include <limits>

namespace schema {
namespace {

template <class T>
json::object integer_schema(Purpose purpose) {
    json::object schema{{"type", "integer"}};
    if (purpose == Purpose::Checking) {
        schema["minimum"] = std::numeric_limits<T>::min();
        schema["maximum"] = std::numeric_limits<T>::max();
    }
    return schema;
}

template <class T>
void read_integer(const json::value& from, void* into) {
    boost::json::error_code error;
    T number = from.is_number() ? from.to_number<T>(error) : T{};
    if (from.is_number() && !error) *static_cast<T*>(into) = number;
}

}  // namespace

json::object TypeOf<std::string>::schema(Purpose) { return {{"type", "string"}}; }
void TypeOf<std::string>::read(const json::value& from, void* into) {
    if (const auto* text = from.if_string()) *static_cast<std::string*>(into) = *text;
}

json::object TypeOf<bool>::schema(Purpose) { return {{"type", "boolean"}}; }
void TypeOf<bool>::read(const json::value& from, void* into) {
    if (from.is_bool()) *static_cast<bool*>(into) = from.get_bool();
}

json::object TypeOf<int>::schema(Purpose purpose) { return integer_schema<int>(purpose); }
void TypeOf<int>::read(const json::value& from, void* into) { read_integer<int>(from, into); }

json::object TypeOf<std::int64_t>::schema(Purpose purpose) { return integer_schema<std::int64_t>(purpose); }
void TypeOf<std::int64_t>::read(const json::value& from, void* into) {
    read_integer<std::int64_t>(from, into);
}

json::object TypeOf<double>::schema(Purpose) { return {{"type", "number"}}; }
void TypeOf<double>::read(const json::value& from, void* into) {
    if (from.is_number()) *static_cast<double*>(into) = from.to_number<double>();
}

json::object TypeOf<json::value>::schema(Purpose) { return {}; }
void TypeOf<json::value>::read(const json::value& from, void* into) {
    *static_cast<json::value*>(into) = from;
}

json::object TypeOf<json::object>::schema(Purpose) { return {{"type", "object"}}; }
void TypeOf<json::object>::read(const json::value& from, void* into) {
    if (const json::object* members = from.if_object()) *static_cast<json::object*>(into) = *members;
}

json::object TypeOf<json::array>::schema(Purpose) { return list_schema({}); }
void TypeOf<json::array>::read(const json::value& from, void* into) {
    if (const json::array* elements = from.if_array()) *static_cast<json::array*>(into) = *elements;
}

json::object list_schema(json::object items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json::object map_schema(json::object values) {
    return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}
json::object choice_schema(json::array names) { return {{"type", "string"}, {"enum", std::move(names)}}; }

}  // namespace schema
