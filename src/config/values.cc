#include "config/values.h"

#include <algorithm>

#include "config/parse.h"
#include "util/strings.h"

namespace config {

namespace {

// Adds a repeated value of the same layer: elements to a list, members to an object.
void extend(json::value& existing, json::value addition) {
    if (existing.is_array() && addition.is_array()) {
        for (json::value& element : addition.get_array()) existing.get_array().push_back(std::move(element));
    } else if (existing.is_object() && addition.is_object()) {
        for (auto& [key, member] : addition.get_object()) {
            auto found = existing.get_object().find(key);
            if (found == existing.get_object().end()) {
                existing.get_object().emplace(key, std::move(member));
            } else {
                extend(found->value(), std::move(member));
            }
        }
    } else {
        existing = std::move(addition);
    }
}

bool accumulates(Type type) {
    return type == Type::List || type == Type::Paths || type == Type::Map || type == Type::Json ||
           type == Type::OpenSection;
}

std::string text_of(const json::value& from) {
    return from.is_string() ? std::string(from.get_string()) : std::string();
}

}  // namespace

std::string Origin::to_string() const {
    switch (layer) {
        case Layer::Default:
            return name.empty() ? "default" : "default by " + name;
        case Layer::File:
            return "file " + name;
        case Layer::Dotenv:
            return ".env " + name;
        case Layer::PlaywrightEnvironment:
        case Layer::Environment:
            return "env " + name;
        case Layer::Flag:
            return "flag " + name;
    }
    return {};
}

Values::Values() : settings_(kOptionCount) {
    for (std::size_t i = 0; i < kOptionCount; ++i) {
        if (kOptions[i].default_value.empty()) continue;
        if (auto value = from_text(kOptions[i], kOptions[i].default_value))
            settings_[i].value = std::move(*value);
    }
}

void Values::apply(Assignment assignment) {
    Setting& setting = settings_[key_of(*assignment.option).index()];
    if (setting.value && setting.origin.layer == assignment.origin.layer &&
        accumulates(assignment.option->type)) {
        extend(*setting.value, std::move(assignment.value));
    } else {
        setting.value = std::move(assignment.value);
    }
    setting.origin = std::move(assignment.origin);
}

void Values::unset(Key key) { settings_[key.index()] = {}; }

const json::value* Values::find(std::string_view key) const {
    const Option* option = find_by_key(key);
    if (option == nullptr) return nullptr;
    const Setting& setting = at(key_of(*option));
    return setting.value ? &*setting.value : nullptr;
}

std::size_t Values::choice_index(Key key) const {
    if (!has(key)) return 0;
    auto names = choices(key.option());
    auto found = std::ranges::find(names, text_of(*at(key).value));
    return found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
}

void read(const json::value& from, bool& to) { to = from.is_bool() && from.get_bool(); }

void read(const json::value& from, double& to) {
    if (from.is_double()) {
        to = from.get_double();
    } else {
        to = static_cast<double>(json::as_integer(from).value_or(0));
    }
}

void read(const json::value& from, milliseconds& to) {
    to = milliseconds(json::as_integer(from).value_or(0));
}
void read(const json::value& from, std::string& to) { to = text_of(from); }
void read(const json::value& from, std::filesystem::path& to) { to = text_of(from); }

void read(const json::value& from, std::vector<std::string>& to) {
    if (!from.is_array()) return;
    for (const json::value& element : from.get_array()) to.push_back(text_of(element));
}

void read(const json::value& from, std::vector<std::filesystem::path>& to) {
    if (!from.is_array()) return;
    for (const json::value& element : from.get_array()) to.emplace_back(text_of(element));
}

void read(const json::value& from, Strings& to) {
    if (!from.is_object()) return;
    for (const auto& [key, member] : from.get_object()) to[std::string(key)] = text_of(member);
}

void read(const json::value& from, Size& to) {
    if (!from.is_object()) return;
    to.width = static_cast<int>(json::find_integer(from.get_object(), "width").value_or(0));
    to.height = static_cast<int>(json::find_integer(from.get_object(), "height").value_or(0));
}

void read(const json::value& from, json::value& to) { to = from; }

void read(const json::value& from, json::object& to) {
    if (from.is_object()) to = from.get_object();
}

}  // namespace config
