// Messages about invalid values, in the words of zod, which agents know best.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/compiled.h"
#include "util/json.h"

namespace schema {

// One step on the path from the root of the instance, linked to the step before it.
struct Path {
    const Path* parent = nullptr;  // null at the root, which is not a step itself
    std::string_view key = {};
    std::size_t index = 0;
    bool is_index = false;
};

// "fields[0].name", and fields["first-name"] for a name that is not an identifier.
std::string to_string(const Path& path);

// The name of a received value's type: "string", "number" …
std::string_view received(const json::value& value);
// The names of the types in the set, for a sentence: "string or null".
std::vector<std::string> type_names(Types types);
std::string join_with_or(const std::vector<std::string>& names);
// "a"|"b"|3, shortened when long.
std::string join_options(const std::vector<const json::value*>& options);
// `Invalid option: expected one of "a"|"b"`, and `Invalid input: expected "a"` for a single option.
std::string wrong_option(const std::vector<const json::value*>& options);
// The text for a message, shortened when long.
std::string shortened(std::string text);
std::string quoted(const json::value& value);
std::string quoted_text(std::string_view text);

}  // namespace schema
