#include "config/parse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "config/table.h"
#include "util/strings.h"

namespace config {

namespace {

constexpr std::size_t kMaxQuoteLength = 80;

Error unexpected(const Option& option, std::string_view got) {
    std::string shown = option.secret ? "something else" : std::string(got.substr(0, kMaxQuoteLength));
    if (!option.secret && got.size() > kMaxQuoteLength) shown += "...";
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = "expected " + expectation(option) + ", got " + shown + ".",
    };
}

Error unexpected_text(const Option& option, std::string_view text) {
    std::string quoted = "\"" + std::string(text) + "\"";
    Error error = unexpected(option, quoted);
    if (option.type == Type::Choice) {
        std::string near = nearest_name(text, choices(option));
        if (!near.empty()) error.hint = "Did you mean \"" + near + "\"?";
    }
    return error;
}

template <class Number>
std::optional<Number> to_number(std::string_view text) {
    Number number{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool in_range(const Option& option, std::int64_t number) {
    return number >= option.min && number <= option.max;
}

std::optional<bool> to_bool(std::string_view text) {
    std::string lower = to_lower(text);
    if (lower == "true" || lower == "1" || lower == "yes" || lower == "on") return true;
    if (lower == "false" || lower == "0" || lower == "no" || lower == "off") return false;
    return std::nullopt;
}

std::optional<json::value> to_size(std::string_view text) {
    std::size_t middle = text.find_first_of("x,");
    if (middle == std::string_view::npos) return std::nullopt;
    auto width = to_number<int>(trim(text.substr(0, middle)));
    auto height = to_number<int>(trim(text.substr(middle + 1)));
    if (!width || !height || *width <= 0 || *height <= 0) return std::nullopt;
    return json::object{{"width", *width}, {"height", *height}};
}

json::value to_list(const Option& option, std::string_view text) {
    json::array list;
    if (option.separator == 0) {
        list.emplace_back(text);
        return list;
    }
    for (const std::string& part : split(text, option.separator)) {
        if (std::string_view name = trim(part); !name.empty()) list.emplace_back(name);
    }
    return list;
}

// A header without a colon has an empty value, like upstream.
json::value to_map(const Option& option, std::string_view text) {
    if (trim(text).empty()) return json::object{};
    std::size_t middle = text.find(option.separator);
    std::string_view name = trim(text.substr(0, middle));
    std::string_view value = middle == std::string_view::npos ? "" : trim(text.substr(middle + 1));
    return json::object{{name, value}};
}

bool is_one_of(const Option& option, std::string_view name) {
    for (const std::string& choice : choices(option)) {
        if (choice == name) return true;
    }
    return false;
}

bool all_strings(const json::array& list) {
    for (const json::value& element : list) {
        if (!element.is_string()) return false;
    }
    return true;
}

bool all_strings(const json::object& map) {
    for (const auto& [key, member] : map) {
        if (!member.is_string()) return false;
    }
    return true;
}

bool is_size(const json::object& size) {
    auto width = json::find_integer(size, "width");
    auto height = json::find_integer(size, "height");
    return size.size() == 2 && width && height && *width > 0 && *height > 0 && *width <= 1'000'000 &&
           *height <= 1'000'000;
}

std::string_view json_type(const json::value& value) {
    std::string_view name = json::type_name(value);
    return name == "integer" ? "number" : name;
}

std::string shown(const json::value& given) {
    return given.is_object() || given.is_array() ? "an " + std::string(json::type_name(given))
                                                 : json::serialize(given);
}

}  // namespace

Result<json::value> from_text(const Option& option, std::string_view text) {
    switch (option.type) {
        case Type::Bool:
            if (auto yes = to_bool(text)) return json::value(*yes);
            break;
        case Type::Integer:
        case Type::Duration:
            if (auto number = to_number<std::int64_t>(text); number && in_range(option, *number)) {
                return json::value(*number);
            }
            break;
        case Type::Number:
            if (auto number = to_number<double>(text);
                number && std::isfinite(*number) && *number >= static_cast<double>(option.min)) {
                return json::value(*number);
            }
            break;
        case Type::String:
        case Type::Path:
            return json::value(text);
        case Type::Choice:
            if (is_one_of(option, text)) return json::value(text);
            break;
        case Type::List:
        case Type::Paths:
            return to_list(option, text);
        case Type::Size:
            if (option.nullable && text == "null") return json::value(nullptr);
            if (auto size = to_size(text)) return *std::move(size);
            if (text.starts_with('{')) {
                // As JSON or as Python prints it.
                std::string object(text);
                std::ranges::replace(object, '\'', '"');
                auto parsed = json::parse(object);
                if (parsed && parsed->is_object() && is_size(parsed->get_object())) return parsed;
            }
            break;
        case Type::Map:
            if (!text.starts_with('{')) return to_map(option, text);
            return from_json(option, TRY(json::parse(text)));
        case Type::Json:
            if (text.starts_with('{') || text.starts_with('['))
                return from_json(option, TRY(json::parse(text)));
            if (is_one_of(option, "string")) return json::value(text);
            if (auto yes = to_bool(text); yes && is_one_of(option, "boolean")) return json::value(*yes);
            break;
        case Type::OpenSection:
            break;
    }
    return unexpected_text(option, text);
}

Result<json::value> from_json(const Option& option, const json::value& given) {
    if (given.is_null() && option.nullable) return given;
    switch (option.type) {
        case Type::Bool:
            if (given.is_bool()) return given;
            break;
        case Type::Integer:
        case Type::Duration:
            if (auto number = json::as_integer(given); number && in_range(option, *number))
                return json::value(*number);
            break;
        case Type::Number:
            if (given.is_number() && given.to_number<double>() >= static_cast<double>(option.min))
                return given;
            break;
        case Type::String:
        case Type::Path:
            if (given.is_string()) return given;
            break;
        case Type::Choice:
            if (!given.is_string()) break;
            return from_text(option, given.get_string());
        case Type::List:
        case Type::Paths:
            if (given.is_array() && all_strings(given.get_array())) return given;
            break;
        case Type::Size:
            if (given.is_string()) return from_text(option, given.get_string());
            if (given.is_object() && is_size(given.get_object())) return given;
            break;
        case Type::Map:
            if (given.is_object() && all_strings(given.get_object())) return given;
            break;
        case Type::Json:
            if (is_one_of(option, json_type(given))) return given;
            break;
        case Type::OpenSection:
            if (given.is_object()) return given;
            break;
    }
    return unexpected(option, shown(given));
}

json::value from_undeclared_text(std::string_view text) {
    if (auto value = json::parse(text)) return *std::move(value);
    return json::value(text);
}

std::string expectation(const Option& option) {
    constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
    std::string range = option.max == kUnlimited
                            ? ", at least " + std::to_string(option.min)
                            : " from " + std::to_string(option.min) + " to " + std::to_string(option.max);
    switch (option.type) {
        case Type::Bool:
            return "true or false";
        case Type::Integer:
            return "a whole number" + range;
        case Type::Number:
            return "a number" + range;
        case Type::Duration:
            return "a whole number of milliseconds" + range;
        case Type::String:
            return "a text";
        case Type::Path:
            return "a path";
        case Type::Choice:
            return "one of " + join(choices(option), ", ");
        case Type::List:
            return "a list of texts";
        case Type::Paths:
            return "a list of paths";
        case Type::Size:
            return "a size such as 1280x720";
        case Type::Map:
            return "an object of texts";
        case Type::Json:
            return join(choices(option), " or ");
        case Type::OpenSection:
            return "an object";
    }
    return {};
}

}  // namespace config
