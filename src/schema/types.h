// Maps C++ types to JSON: to a schema and to a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "util/json.h"

namespace schema {

class Fields;

// The reader of a schema.
enum class Purpose {
    Listing,   // agents, which pay for every word
    Checking,  // this server: includes the range of the C++ type
};

// One C++ type with its static type erased, so that code on arguments is compiled once.
struct Type {
    json::object (*schema)(Purpose purpose);
    // Sets the T at `into` from a value that passed the schema; leaves it unchanged for any other value.
    void (*read)(const json::value& from, void* into);
    // The fields of a struct, also of each struct in a list; null for other types.
    const Fields* (*fields)() = nullptr;
    bool optional = false;
};

// Specialised for each type that an argument can have.
template <class T>
struct TypeOf;

template <class T>
constexpr Type make_type() {
    Type type{.schema = &TypeOf<T>::schema, .read = &TypeOf<T>::read};
    if constexpr (requires { TypeOf<T>::fields(); }) type.fields = &TypeOf<T>::fields;
    if constexpr (requires { TypeOf<T>::kOptional; }) type.optional = true;
    return type;
}
template <class T>
inline constexpr Type kType = make_type<T>();

// Declares a type whose two functions are in types.cc.
#define TROUPE_DECLARE_TYPE(type)                              \
    template <>                                                \
    struct TypeOf<type> {                                      \
        static json::object schema(Purpose purpose);           \
        static void read(const json::value& from, void* into); \
    }
TROUPE_DECLARE_TYPE(std::string);
TROUPE_DECLARE_TYPE(bool);
TROUPE_DECLARE_TYPE(int);
TROUPE_DECLARE_TYPE(std::int64_t);
TROUPE_DECLARE_TYPE(double);
TROUPE_DECLARE_TYPE(json::value);  // anything
TROUPE_DECLARE_TYPE(json::object);
TROUPE_DECLARE_TYPE(json::array);
#undef TROUPE_DECLARE_TYPE

template <class T>
struct TypeOf<std::optional<T>> {
    static constexpr bool kOptional = true;
    static json::object schema(Purpose purpose) { return TypeOf<T>::schema(purpose); }
    static void read(const json::value& from, void* into) {
        auto& field = *static_cast<std::optional<T>*>(into);
        field.reset();
        if (!from.is_null()) TypeOf<T>::read(from, &field.emplace());
    }
    static const Fields* fields()
        requires requires { TypeOf<T>::fields(); }
    {
        return TypeOf<T>::fields();
    }
};

json::object list_schema(json::object items);
json::object map_schema(json::object values);
json::object choice_schema(json::array names);

template <class T>
struct TypeOf<std::vector<T>> {
    static json::object schema(Purpose purpose) { return list_schema(TypeOf<T>::schema(purpose)); }
    static void read(const json::value& from, void* into) {
        auto& field = *static_cast<std::vector<T>*>(into);
        field.clear();
        const json::array* elements = from.if_array();
        if (!elements) return;
        field.reserve(elements->size());
        for (const json::value& element : *elements) {
            T item{};
            TypeOf<T>::read(element, &item);
            field.push_back(std::move(item));
        }
    }
    static const Fields* fields()
        requires requires { TypeOf<T>::fields(); }
    {
        return TypeOf<T>::fields();
    }
};

template <class T>
struct TypeOf<std::map<std::string, T>> {
    static json::object schema(Purpose purpose) { return map_schema(TypeOf<T>::schema(purpose)); }
    static void read(const json::value& from, void* into) {
        auto& field = *static_cast<std::map<std::string, T>*>(into);
        field.clear();
        const json::object* members = from.if_object();
        if (!members) return;
        for (const auto& [key, member] : *members) TypeOf<T>::read(member, &field[std::string(key)]);
    }
};

// The name of an enumerator in JSON.
template <class E>
struct EnumName {
    E value;
    std::string_view name;
};

// The names of an enum, from the function `enum_names` declared next to it:
//
//   enum class Button { Left, Right };
//   constexpr auto enum_names(Button) {
//       return std::to_array<schema::EnumName<Button>>({{Button::Left, "left"}, {Button::Right, "right"}});
//   }
template <class E>
struct EnumNames {
    static constexpr auto kNames = enum_names(E{});
};

// The name of an enumerator, empty for one that has none.
template <class E>
constexpr std::string_view name_of(E value) {
    for (const auto& [candidate, name] : EnumNames<E>::kNames) {
        if (candidate == value) return name;
    }
    return {};
}

template <class E>
    requires std::is_enum_v<E>
struct TypeOf<E> {
    static json::object schema(Purpose) {
        json::array names;
        for (const auto& [value, name] : EnumNames<E>::kNames) names.emplace_back(name);
        return choice_schema(std::move(names));
    }
    static void read(const json::value& from, void* into) {
        if (!from.is_string()) return;
        for (const auto& [value, name] : EnumNames<E>::kNames) {
            if (std::string_view(from.get_string()) == name) *static_cast<E*>(into) = value;
        }
    }
};

}  // namespace schema
