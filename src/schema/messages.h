// The sentences about what is wrong with a value, in the words of zod, which agents have seen most.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/compiled.h"
#include "util/json.h"

namespace schema {

// One step on the way from the root of the instance, linked to the step before it.
struct Path {
    const Path* parent = nullptr;  // null at the root, which is no step itself
    std::string_view key = {};
    std::size_t index = 0;
    bool is_index = false;
};

// "fields[0].name", and fields["first-name"] for what is no plain word.
std::string to_string(const Path& path);

// "string", "number" …: how a value that was received is called.
std::string_view received(const json::value& value);
// The types of the set in a sentence: "string or null".
std::vector<std::string> type_names(Types types);
std::string join_with_or(const std::vector<std::string>& names);
// "a"|"b"|3, cut when it is long.
std::string join_options(const std::vector<const json::value*>& options);
// `Invalid option: expected one of "a"|"b"`, and `Invalid input: expected "a"` when there is but one.
std::string wrong_option(const std::vector<const json::value*>& options);
// The text for a message, cut when it is long.
std::string shortened(std::string text);
std::string quoted(const json::value& value);
std::string quoted_text(std::string_view text);

}  // namespace schema
