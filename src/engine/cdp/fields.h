// Reads fields of CDP events; a missing field reads as empty.
#pragma once

#include <string>
#include <string_view>

#include "util/json.h"

namespace cdp {

inline std::string text_of(const json::object& from, std::string_view key) {
    return std::string(json::find_string(from, key).value_or(""));
}

inline double number_of(const json::object& from, std::string_view key) {
    const json::value* value = json::find(from, key);
    return value && value->is_number() ? value->to_number<double>() : 0;
}

inline int integer_of(const json::object& from, std::string_view key) {
    return static_cast<int>(number_of(from, key));
}

inline bool flag_of(const json::object& from, std::string_view key) {
    return json::find_bool(from, key).value_or(false);
}

}  // namespace cdp
