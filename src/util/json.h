// Boost.JSON under our names, plus the few things it lacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "util/result.h"

namespace json {

using boost::json::array;
using boost::json::kind;
using boost::json::object;
using boost::json::value;

inline constexpr int kMaxDepth = 128;

// Parses one JSON text. The error names the line and column; `depth` limits nesting.
Result<value> parse(std::string_view text, int depth = kMaxDepth);

// Returns the shortest JSON text; invalid UTF-8 and lone surrogates become U+FFFD.
std::string serialize(const value& value);
// Indents by two spaces, like JavaScript's JSON.stringify(value, null, 2).
std::string pretty(const value& value);

// Appends `text` as a JSON string, quotes included; invalid UTF-8 becomes U+FFFD.
void append_string(std::string& out, std::string_view text);
// Appends `text` in quotes unchanged: for base64 and other text that needs no escaping.
void append_plain(std::string& out, std::string_view text);

// Finds a member; null when `from` is no object or has no such key.
const value* find(const value& from, std::string_view key);
const value* find(const object& from, std::string_view key);
// Finds a member of nested objects: find_path(config, {"server", "port"}).
const value* find_path(const value& from, std::initializer_list<std::string_view> path);

const object* find_object(const object& from, std::string_view key);
const array* find_array(const object& from, std::string_view key);
std::optional<std::string_view> find_string(const object& from, std::string_view key);
std::optional<bool> find_bool(const object& from, std::string_view key);
// Returns any number without a fraction that fits; 3.0 counts.
std::optional<std::int64_t> find_integer(const object& from, std::string_view key);
std::optional<std::int64_t> as_integer(const value& value);

// "string", "number", "integer", "boolean", "array", "object" or "null": for messages.
std::string_view type_name(const value& value);

}  // namespace json
