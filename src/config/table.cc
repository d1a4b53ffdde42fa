#include "config/table.h"

#include <algorithm>

#include "util/strings.h"

namespace config {

namespace {

constexpr std::string_view kTroupe = "TROUPE_";
constexpr std::string_view kPlaywright = "PLAYWRIGHT_MCP_";

template <class Predicate>
const Option* find_if(Predicate matches) {
    auto found = std::ranges::find_if(kOptions, matches);
    return found == kOptions.end() ? nullptr : &*found;
}

// The part behind TROUPE_; empty when the option cannot be set that way. Options that only Playwright's
// configuration file knows stay in the file.
std::string troupe_name(const Option& option) {
    if (!option.flag.empty()) return variable_case(option.flag);
    return option.source == Source::Troupe ? variable_case(option.key) : "";
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

const Option* find_by_key(std::string_view key) {
    if (key.empty()) return nullptr;
    return find_if([&](const Option& option) { return option.key == key; });
}

const Option* find_by_flag(std::string_view flag) {
    if (flag.empty()) return nullptr;
    return find_if([&](const Option& option) { return option.flag == flag || option.also == flag; });
}

const Option* find_by_variable(std::string_view name) {
    if (name.starts_with(kTroupe)) {
        name.remove_prefix(kTroupe.size());
        return find_if([&](const Option& option) { return troupe_name(option) == name; });
    }
    if (!name.starts_with(kPlaywright)) return nullptr;
    auto named = find_if([&](const Option& option) { return option.playwright == name; });
    if (named != nullptr) return named;
    name.remove_prefix(kPlaywright.size());
    return find_if([&](const Option& option) {
        return option.source == Source::Playwright && !option.flag.empty() &&
               variable_case(option.flag) == name;
    });
}

Key key_of(const Option& option) { return Key(static_cast<std::size_t>(&option - kOptions.data())); }

bool is_section(std::string_view path) {
    return std::ranges::any_of(kOptions, [&](const Option& option) {
        return option.key.size() > path.size() && option.key[path.size()] == '.' &&
               option.key.starts_with(path);
    });
}

std::vector<std::string> variables(const Option& option) {
    std::vector<std::string> names;
    if (std::string name = troupe_name(option); !name.empty()) names.push_back(std::string(kTroupe) + name);
    if (!option.playwright.empty()) {
        names.emplace_back(option.playwright);
    } else if (option.source == Source::Playwright && !option.flag.empty()) {
        names.push_back(std::string(kPlaywright) + variable_case(option.flag));
    }
    return names;
}

std::vector<std::string> choices(const Option& option) {
    return option.choices.empty() ? std::vector<std::string>{} : split(option.choices, '|');
}

std::string variable_case(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        char c = name[i];
        if (c == '.' || c == '-') {
            out += '_';
        } else if (c >= 'A' && c <= 'Z') {
            // "ignoreHTTPSErrors": one break before a run of capitals.
            if (i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z') out += '_';
            out += c;
        } else {
            out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
    }
    return out;
}

bool takes_value(const Option& option) { return option.type != Type::Bool; }

bool takes_several(const Option& option) { return option.value.ends_with("...>"); }

std::string nearest_key(std::string_view typed) {
    std::vector<std::string> keys;
    for (const Option& option : kOptions) {
        if (option.key.empty()) continue;
        // The right name in the wrong section, as "browser.headless", beats any spelling.
        if (last_part(option.key) == last_part(typed)) return std::string(option.key);
        keys.emplace_back(option.key);
    }
    return nearest_name(typed, keys);
}

std::string nearest_flag(std::string_view typed) {
    std::vector<std::string> flags{"help", "version"};
    for (const Option& option : kOptions) {
        if (option.flag.empty()) continue;
        flags.emplace_back(option.flag);
        if (option.type == Type::Bool) flags.push_back("no-" + std::string(option.flag));
    }
    return nearest_name(typed, flags);
}

std::string nearest_variable(std::string_view typed) {
    std::vector<std::string> names;
    for (const Option& option : kOptions) {
        for (std::string& name : variables(option)) names.push_back(std::move(name));
    }
    return nearest_name(typed, names);
}

}  // namespace config
