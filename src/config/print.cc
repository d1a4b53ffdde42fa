#include "config/print.h"

#include <algorithm>

namespace config {

namespace {

constexpr const char* kMask = "***";
constexpr std::size_t kWidestValue = 48;

// URLs may contain a password before the host and a token in the query.
std::string mask_address(std::string_view text) {
    std::string masked(text);
    std::size_t scheme = masked.find("://");
    if (scheme == std::string::npos) return masked;
    std::size_t host = scheme + 3;
    std::size_t end = std::min(masked.find_first_of("/?#", host), masked.size());
    if (std::size_t at = masked.rfind('@', end); at != std::string::npos && at >= host) {
        masked.replace(host, at - host, kMask);
    }
    if (std::size_t query = masked.find('?', host); query != std::string::npos) {
        masked.replace(query + 1, std::string::npos, kMask);
    }
    return masked;
}

json::value masked(const Option& option, const json::value& value) {
    if (option.secret && option.type == Type::Map && value.is_object()) {
        json::object names;
        for (const auto& [name, member] : value.get_object()) names[name] = kMask;
        return names;
    }
    if (option.secret && !(option.type == Type::Json && value.is_string())) return kMask;
    if (value.is_string()) return json::value(mask_address(value.get_string()));
    return value;
}

bool is_size(const json::value& value) {
    return value.is_object() && value.get_object().size() == 2 && value.get_object().contains("width") &&
           value.get_object().contains("height");
}

std::string shown(const Option& option, const json::value& value) {
    json::value visible = masked(option, value);
    if (visible.is_string()) return std::string(visible.get_string());
    if (option.type == Type::Size && is_size(visible)) {
        auto size = visible.get_object();
        return json::serialize(size["width"]) + "x" + json::serialize(size["height"]);
    }
    return json::serialize(visible);
}

template <class Action>
void for_each_shown(const Values& values, Action action) {
    for (const Option& option : kOptions) {
        const Setting& setting = values.at(key_of(option));
        if (!option.key.empty() && setting.value) action(option, setting);
    }
}

void put(json::object& into, std::string_view path, json::value value) {
    std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) {
        into[path] = std::move(value);
        return;
    }
    json::value& section = into[path.substr(0, dot)];
    if (!section.is_object()) section = json::object{};
    put(section.get_object(), path.substr(dot + 1), std::move(value));
}

}  // namespace

std::string print(const Loaded& loaded) {
    struct Line {
        std::string_view key;
        std::string value;
        std::string origin;
    };
    std::vector<Line> lines;
    std::size_t key_width = 0;
    std::size_t value_width = 0;
    for_each_shown(loaded.values, [&](const Option& option, const Setting& setting) {
        lines.push_back({option.key, shown(option, *setting.value), setting.origin.to_string()});
        key_width = std::max(key_width, option.key.size());
        if (std::size_t width = lines.back().value.size(); width <= kWidestValue) {
            value_width = std::max(value_width, width);
        }
    });
    std::string text;
    for (const Line& line : lines) {
        text += line.key;
        text.append(key_width - line.key.size() + 2, ' ');
        text += line.value;
        text.append(line.value.size() < value_width ? value_width - line.value.size() + 2 : 2, ' ');
        text += line.origin + "\n";
    }
    return text;
}

std::string print_json(const Loaded& loaded) {
    json::object all;
    for_each_shown(loaded.values, [&](const Option& option, const Setting& setting) {
        all[option.key] =
            json::object{{"value", masked(option, *setting.value)}, {"origin", setting.origin.to_string()}};
    });
    return json::pretty(all) + "\n";
}

json::object effective(const Values& values) {
    json::object all;
    for_each_shown(values, [&](const Option& option, const Setting& setting) {
        if (option.type != Type::OpenSection) {
            put(all, option.key, masked(option, *setting.value));
            return;
        }
        for (const auto& [name, member] : setting.value->as_object()) {
            put(all, std::string(option.key) + "." + std::string(name), member);
        }
    });
    return all;
}

}  // namespace config
