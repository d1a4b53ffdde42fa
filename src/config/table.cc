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

// The name after TROUPE_; empty when the option cannot be set that way. Options that only Playwright's
// configuration file has cannot.
std::string troupe_name(const Option& option) {
    if (!option.flag.empty()) return variable_case(option.flag);
    return option.source == Source::Troupe ? variable_case(option.key) : "";
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }
std::string_view section_of(std::string_view key) {
    std::size_t dot = key.find('.');
    return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

// Calls `take` with each name until it returns true.
template <class Take>
bool any_name(std::string_view names, Take take) {
    while (!names.empty()) {
        std::size_t end = names.find('|');
        if (take(names.substr(0, end))) return true;
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return false;
}
bool is_one(std::string_view names, std::string_view name) {
    return any_name(names, [&](std::string_view each) { return each == name; });
}
bool begins_section(std::string_view key, std::string_view path) {
    return key.size() > path.size() && key[path.size()] == '.' && key.starts_with(path);
}

// The name in lower case without separators: "session_timeout" is "sessionTimeout".
std::string plain(std::string_view name) {
    std::string letters = to_lower(name);
    std::erase_if(letters, [](char c) { return c == '_' || c == '-'; });
    return letters;
}

// All keys that a file may use for options, as candidates for suggestions.
std::vector<std::string> known_keys() {
    std::vector<std::string> keys;
    for (const Option& option : kOptions) {
        if (!option.key.empty()) keys.emplace_back(option.key);
        any_name(option.other_keys, [&](std::string_view key) {
            keys.emplace_back(key);
            return false;
        });
    }
    return keys;
}

// The key in the same section whose name is most similar to the typed one, or begins with it:
// "browser.headles" suggests a key of that section.
std::string nearest_in_section(std::string_view typed, const std::vector<std::string>& known) {
    constexpr std::size_t kTelling = 3;  // letters
    std::vector<std::string> names, keys;
    for (const std::string& key : known) {
        if (section_of(key) != section_of(typed)) continue;
        names.emplace_back(last_part(key));
        keys.push_back(key);
    }
    std::string_view name = last_part(typed);
    auto near = std::ranges::find(names, nearest_name(name, names));
    if (name.size() >= kTelling && near == names.end())
        near = std::ranges::find_if(names, [&](const std::string& each) { return each.starts_with(name); });
    return near == names.end() ? "" : keys[static_cast<std::size_t>(near - names.begin())];
}

std::string nearest_section(std::string_view typed, const std::vector<std::string>& known) {
    std::vector<std::string> sections;
    for (const std::string& key : known) {
        if (!section_of(key).empty()) sections.emplace_back(section_of(key));
    }
    return nearest_name(typed, sections);
}

}  // namespace

const Option* find_by_key(std::string_view key) {
    if (key.empty()) return nullptr;
    return find_if([&](const Option& option) { return option.key == key || is_one(option.other_keys, key); });
}

const Option* find_by_flag(std::string_view flag) {
    if (flag.empty()) return nullptr;
    return find_if([&](const Option& option) { return option.flag == flag || option.alias == flag; });
}

const Option* find_by_variable(std::string_view name) {
    auto other = find_if([&](const Option& option) { return is_one(option.other_variables, name); });
    if (other != nullptr) return other;
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

bool may_come_from_dotenv(const Option& option) {
    if (option.dotenv != FromDotenv::ByType) return option.dotenv == FromDotenv::Yes;
    switch (option.type) {
        case Type::Bool:
        case Type::Integer:
        case Type::Number:
        case Type::Duration:
        case Type::Choice:
        case Type::Size:
            return !option.secret;
        default:
            return false;
    }
}

Key key_of(const Option& option) { return Key(static_cast<std::size_t>(&option - kOptions.data())); }

bool is_section(std::string_view path) {
    return std::ranges::any_of(kOptions, [&](const Option& option) {
        return begins_section(option.key, path) ||
               any_name(option.other_keys, [&](std::string_view key) { return begins_section(key, path); });
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
            // "ignoreHTTPSErrors": inserts one underscore before a run of capitals.
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
    std::vector<std::string> keys = known_keys();
    // A correct name with an incomplete section, such as "browser.headless", beats any similar spelling.
    auto is_same = [&](const std::string& key) { return plain(key) == plain(typed); };
    if (auto same = std::ranges::find_if(keys, is_same); same != keys.end()) return *same;
    auto is_whole = [&](const std::string& key) {
        bool is_way = section_of(typed).empty() || section_of(typed) == section_of(key);
        return is_way && plain(last_part(key)) == plain(last_part(typed));
    };
    if (auto whole = std::ranges::find_if(keys, is_whole); whole != keys.end()) return *whole;
    // The right name in the wrong section, if only one section has it: "tabIsolation.tabIds".
    auto is_elsewhere = [&](const std::string& key) {
        return plain(last_part(key)) == plain(last_part(typed));
    };
    if (std::ranges::count(typed, '.') == 1 && std::ranges::count_if(keys, is_elsewhere) == 1)
        return *std::ranges::find_if(keys, is_elsewhere);
    if (std::string near = nearest_in_section(typed, keys); !near.empty()) return near;
    if (std::string near = nearest_name(typed, keys); !near.empty()) return near;
    return section_of(typed).empty() ? nearest_section(typed, keys) : "";
}

std::string nearest_flag(std::string_view typed) {
    std::vector<std::string> flags{"help", "version"};
    for (const Option& option : kOptions) {
        if (option.flag.empty()) continue;
        // "database-path" is DATABASE_PATH in the environment.
        if (is_one(option.other_variables, variable_case(typed))) return std::string(option.flag);
        flags.emplace_back(option.flag);
        if (option.type == Type::Bool) flags.push_back("no-" + std::string(option.flag));
    }
    // "cdp" is the beginning of "cdp-endpoint".
    std::string beginning = std::string(typed) + "-";
    auto longer = std::ranges::find_if(flags, [&](const auto& flag) { return flag.starts_with(beginning); });
    return longer != flags.end() ? *longer : nearest_name(typed, flags);
}

std::string nearest_variable(std::string_view typed) {
    // The prefix that all names share says nothing about what is meant.
    std::string_view prefix = typed.starts_with(kTroupe) ? kTroupe : "";
    std::vector<std::string> names;
    for (const Option& option : kOptions) {
        for (const std::string& name : variables(option))
            if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    }
    std::string near = nearest_name(typed.substr(prefix.size()), names);
    return near.empty() ? "" : std::string(prefix) + near;
}

}  // namespace config
