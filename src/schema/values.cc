#include "schema/values.h"

#include <cmath>
#include <functional>

namespace schema {
namespace {

using Wide = __int128;

// Whether the number can be represented exactly as a Wide.
bool is_whole(const json::value& number) {
    if (!number.is_double()) return true;
    double value = number.get_double();
    return std::fabs(value) < 1e30 && std::nearbyint(value) == value;
}

Wide to_wide(const json::value& number) {
    if (number.is_double()) return static_cast<Wide>(number.get_double());
    return number.is_int64() ? Wide{number.get_int64()} : Wide{number.get_uint64()};
}

double to_double(const json::value& number) {
    if (number.is_double()) return number.get_double();
    return number.is_int64() ? static_cast<double>(number.get_int64())
                             : static_cast<double>(number.get_uint64());
}

std::size_t mix(std::size_t seed, std::size_t more) {
    return seed ^ (more + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

bool equal_members(const json::object& a, const json::object& b, std::int64_t& steps) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, member] : a) {
        const json::value* other = json::find(b, key);
        if (!other || !equal(member, *other, steps)) return false;
    }
    return true;
}

bool equal_elements(const json::array& a, const json::array& b, std::int64_t& steps) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!equal(a[i], b[i], steps)) return false;
    }
    return true;
}

}  // namespace

bool equal(const json::value& a, const json::value& b, std::int64_t& steps) {
    if (--steps < 0) return false;
    if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case json::kind::bool_:
            return a.get_bool() == b.get_bool();
        case json::kind::string:
            steps -= static_cast<std::int64_t>(a.get_string().size() / 64);
            return a.get_string() == b.get_string();
        case json::kind::array:
            return equal_elements(a.get_array(), b.get_array(), steps);
        case json::kind::object:
            return equal_members(a.get_object(), b.get_object(), steps);
        default:
            return true;  // null
    }
}

std::size_t hash(const json::value& value, std::int64_t& steps) {
    if (--steps < 0) return 0;
    if (value.is_number()) return std::hash<double>()(to_double(value));
    switch (value.kind()) {
        case json::kind::bool_:
            return value.get_bool() ? 1 : 2;
        case json::kind::string:
            steps -= static_cast<std::int64_t>(value.get_string().size() / 64);
            return std::hash<std::string_view>()(value.get_string());
        case json::kind::array: {
            std::size_t sum = 3;
            for (const json::value& element : value.get_array()) sum = mix(sum, hash(element, steps));
            return sum;
        }
        case json::kind::object: {
            std::size_t sum = 4;
            for (const auto& [key, member] : value.get_object()) {
                sum += mix(std::hash<std::string_view>()(key), hash(member, steps));
            }
            return sum;
        }
        default:
            return 0;
    }
}

int compare_numbers(const json::value& a, const json::value& b) {
    if (is_whole(a) && is_whole(b)) {
        Wide left = to_wide(a);
        Wide right = to_wide(b);
        return left < right ? -1 : left > right;
    }
    double left = to_double(a);
    double right = to_double(b);
    return left < right ? -1 : left > right;
}

bool is_multiple(const json::value& number, const json::value& divisor) {
    if (is_whole(number) && is_whole(divisor)) return to_wide(number) % to_wide(divisor) == 0;
    double by = to_double(divisor);
    double quotient = to_double(number) / by;
    if (std::isfinite(quotient) && std::nearbyint(quotient) == quotient) return true;
    // 0.0075 is a multiple of 0.0001, though neither is exact in binary.
    return std::fabs(std::remainder(to_double(number), by)) <= std::fabs(by) * 1e-9;
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
}

}  // namespace schema
