// Compares JSON values as JSON Schema does: 1 and 1.0 are one number, members have no order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "util/json.h"

namespace schema {

// Both count their work down from `steps` and may return any answer once it is below zero.
bool equal(const json::value& a, const json::value& b, std::int64_t& steps);
std::size_t hash(const json::value& value, std::int64_t& steps);

// Negative, zero or positive when a is less than, equal to or greater than b. Both are numbers.
int compare_numbers(const json::value& a, const json::value& b);
bool is_multiple(const json::value& number, const json::value& divisor);

// Code points; a byte that is not UTF-8 counts as one.
std::size_t count_characters(std::string_view text);

}  // namespace schema
