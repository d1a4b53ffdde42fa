#include "config/file.h"

#include "config/assign.h"
#include "config/ini.h"
#include "config/json_lines.h"
#include "config/parse.h"
#include "util/strings.h"

namespace config {

namespace {

Error unknown_key(const Origin& origin, std::string_view key) {
    std::string near = nearest_key(key);
    Error error{
        .code = ErrorCode::InvalidArgument,
        .message = "no option has this key.",
        .hint = near.empty() ? "troupe config schema prints them all." : "Did you mean " + near + "?",
    };
    return located(std::move(error), origin, key);
}

std::string_view parent(std::string_view path) {
    std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string child(std::string_view path, std::string_view name) {
    return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

// {"a": {"b": value}} for "a.b".
json::object nest(std::string_view path, json::value value) {
    std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return json::object{{path, std::move(value)}};
    return json::object{{path.substr(0, dot), nest(path.substr(dot + 1), std::move(value))}};
}

// Reads one file; JSON and INI share the handling of keys.
class Reader {
public:
    Reader(const std::string& name, const std::filesystem::path& directory,
           std::vector<Assignment>& assignments, std::vector<std::string>& warnings)
        : name_(name), directory_(directory), assignments_(assignments), warnings_(warnings) {}

    Result<void> read_json(std::string_view text) {
        auto parsed = json::parse(text);
        if (!parsed) return located(std::move(parsed).error(), origin(0), "");
        text_ = text;
        TRY(read_object(parsed->as_object(), ""));
        assign_other_names();
        return ok();
    }

    Result<void> read_ini(std::string_view text) {
        auto entries = parse_ini(text);
        if (!entries) {
            Error error = std::move(entries).error();
            error.message = name_ + ":" + error.message;
            return error;
        }
        for (const IniEntry& entry : *entries) TRY(read_entry(entry));
        assign_other_names();
        return ok();
    }

private:
    // The option's own name takes precedence over its other names, in any order.
    std::vector<Assignment>& assignments_of(const Option& option, std::string_view key) {
        return key == option.key ? assignments_ : by_other_names_;
    }
    void assign_other_names() {
        assignments_.insert(assignments_.begin(), std::make_move_iterator(by_other_names_.begin()),
                            std::make_move_iterator(by_other_names_.end()));
        by_other_names_.clear();
    }

    Origin origin(int line) const { return {.layer = Layer::File, .name = name_, .line = line}; }
    Origin origin_of(std::string_view json_key) const { return origin(line_of_key(text_, json_key)); }

    Result<void> read_object(const json::object& members, std::string_view path) {
        for (const auto& [name, member] : members) {
            std::string key = child(path, name);
            if (key == "$schema") continue;  // for editors
            const Option* option = find_by_key(key);
            if (option == nullptr && !is_section(key)) option = find_short(key);
            if (option != nullptr && option->type != Type::OpenSection) {
                TRY(read_member(*option, key, member));
            } else if (is_section(key)) {
                if (!member.is_object()) return not_an_object(key, member);
                TRY(read_object(member.get_object(), key));
            } else if (const Option* open = find_by_key(path); open != nullptr) {
                keep_undeclared(*open, name, member, origin(0));
            } else {
                TRY(note_unknown(origin_of(key), key));
            }
        }
        return ok();
    }

    Result<void> read_member(const Option& option, const std::string& key, const json::value& member) {
        auto value = from_json(option, member);
        if (!value) return located(std::move(value).error(), origin_of(key), key);
        Origin from = origin(0);
        if (key != option.key) from.key = key;
        return assign(assignments_of(option, key), option, std::move(*value), from, directory_);
    }

    Error not_an_object(std::string_view key, const json::value& got) const {
        Error error{
            .code = ErrorCode::InvalidArgument,
            .message = "expected an object, got " + std::string(json::type_name(got)) + ".",
            .hint = "The options of this section stand inside of it.",
        };
        return located(std::move(error), origin_of(key), key);
    }

    Result<void> read_entry(const IniEntry& entry) {
        Origin where = origin(entry.line);
        const Option* option = find_by_key(entry.key);
        if (option == nullptr) option = find_short(entry.key);
        if (option != nullptr && option->type != Type::OpenSection) {
            return assign_text(assignments_of(*option, entry.key), *option, entry.key, entry.value, where,
                               directory_);
        }
        return read_inner_entry(entry, where);
    }

    // Reads a member of a map, of an object or of an open section.
    Result<void> read_inner_entry(const IniEntry& entry, const Origin& where) {
        json::value value = entry.quoted ? json::value(entry.value) : from_undeclared_text(entry.value);
        for (std::string_view path = parent(entry.key); !path.empty(); path = parent(path)) {
            std::string_view rest = std::string_view(entry.key).substr(path.size() + 1);
            const Option* holder = find_by_key(path);
            if (holder == nullptr && is_section(path)) break;
            if (holder == nullptr) continue;
            if (holder->type == Type::OpenSection) {
                keep_undeclared(*holder, rest, std::move(value), where);
                return ok();
            }
            if (holder->type != Type::Map && holder->type != Type::Json) break;
            json::object member =
                holder->type == Type::Map ? json::object{{rest, entry.value}} : nest(rest, value);
            auto checked = from_json(*holder, std::move(member));
            if (!checked) return located(std::move(checked).error(), where, entry.key);
            return assign(assignments_, *holder, std::move(*checked), where, directory_);
        }
        return note_unknown(where, entry.key);
    }

    // An unknown key of another version of @playwright/mcp is harmless. One that may be a rule, a proxy or
    // one of our own options must not be ignored.
    Result<void> note_unknown(const Origin& where, std::string_view key) {
        Error error = unknown_key(where, key);
        std::string named = nearest_key(key);
        const Option* near = find_by_key(named);
        bool matters = near != nullptr && (near->source == Source::Troupe || near->group == "Access" ||
                                           near->key.contains(".proxy."));
        for (std::string_view each : {key, std::string_view(named)})
            matters |= has_only_ours(each.substr(0, each.find('.')));
        if (matters) return error;
        warnings_.push_back(error.message + (named.empty() ? " It is ignored." : " " + error.hint));
        return ok();
    }
    // Whether Playwright has no options in the section.
    static bool has_only_ours(std::string_view section) {
        bool known = false;
        for (const Option& option : kOptions) {
            if (option.key.substr(0, option.key.find('.')) != section) continue;
            if (option.source == Source::Playwright) return false;
            known = true;
        }
        return known;
    }

    // Accepts "browser.headless" for "browser.launchOptions.headless".
    static const Option* find_short(std::string_view key) {
        constexpr std::string_view kBrowser = "browser.";
        if (!key.starts_with(kBrowser)) return nullptr;
        std::string rest(key.substr(kBrowser.size()));
        if (const Option* option = find_by_key("browser.launchOptions." + rest)) return option;
        return find_by_key("browser.contextOptions." + rest);
    }

    // Keeps an unknown key for Playwright, which may have an option that we do not have.
    void keep_undeclared(const Option& open, std::string_view name, json::value value, const Origin& where) {
        std::vector<std::string> known;
        for (const Option& option : kOptions) {
            if (parent(option.key) == open.key) known.emplace_back(option.key.substr(open.key.size() + 1));
        }
        std::string near = nearest_name(name, known);
        warnings_.push_back(name_ + ": " + child(open.key, name) + " is none of the options we know. " +
                            (near.empty() ? "Only the engine upstream may have a use for it."
                                          : "Did you mean " + child(open.key, near) + "?"));
        assignments_.push_back({.option = &open, .value = nest(name, std::move(value)), .origin = where});
    }

    const std::string& name_;
    const std::filesystem::path& directory_;
    std::vector<Assignment>& assignments_;
    std::vector<std::string>& warnings_;
    std::vector<Assignment> by_other_names_;
    std::string_view text_ = {};
};

}  // namespace

Result<void> read_settings(std::string_view text, const std::string& name,
                           const std::filesystem::path& directory, std::vector<Assignment>& assignments,
                           std::vector<std::string>& warnings) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    Reader reader(name, directory, assignments, warnings);
    return trim(text).starts_with('{') ? reader.read_json(text) : reader.read_ini(text);
}

}  // namespace config
