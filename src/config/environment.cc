#include "config/environment.h"

#include <unistd.h>

#include "config/assign.h"
#include "config/dotenv.h"
#include "config/parse.h"
#include "util/files.h"
#include "util/strings.h"

namespace config {

namespace {

constexpr std::string_view kTroupe = "TROUPE_";
constexpr std::string_view kPlaywright = "PLAYWRIGHT_MCP_";

struct Meaning {
    const Option* option = nullptr;
    bool negated = false;
};

// PLAYWRIGHT_MCP_NO_SANDBOX=true is PLAYWRIGHT_MCP_SANDBOX=false.
Meaning meaning_of(std::string_view name) {
    if (const Option* option = find_by_variable(name)) return {.option = option};
    std::string_view prefix = name.starts_with(kTroupe) ? kTroupe : kPlaywright;
    std::string_view rest = name.substr(prefix.size());
    if (!rest.starts_with("NO_")) return {};
    const Option* option = find_by_variable(std::string(prefix) + std::string(rest.substr(3)));
    if (option == nullptr || option->type != Type::Bool) return {};
    return {.option = option, .negated = true};
}

// Upstream ignores an empty variable. An empty token would leave a server open, so it is not ignored.
bool counts(const Option& option, std::string_view value) {
    return !value.empty() || (option.secret && option.type == Type::String);
}

bool is_ours(std::string_view name) { return name.starts_with(kTroupe); }
bool has_our_prefix(std::string_view name) { return is_ours(name) || name.starts_with(kPlaywright); }

Layer layer_of(std::string_view name) {
    return is_ours(name) ? Layer::Environment : Layer::PlaywrightEnvironment;
}

// Reads the variables one after the other.
class Reader {
public:
    Reader(const std::filesystem::path& directory, std::vector<Assignment>& assignments,
           std::vector<std::string>& warnings)
        : directory_(directory), assignments_(assignments), warnings_(warnings) {}

    Result<void> read(const std::string& name, std::string_view text, Layer layer) {
        auto [option, negated] = meaning_of(name);
        if (option == nullptr) {
            if (!is_ours(name)) return ok();  // perhaps of another version of @playwright/mcp
            std::string near = nearest_variable(name);
            warnings_.push_back("Unknown environment variable " + name + "." +
                                (near.empty() ? "" : " Did you mean " + near + "?"));
            return ok();
        }
        std::string_view value = trim(text);
        if (!counts(*option, value)) return ok();
        if (layer == Layer::Dotenv && !may_come_from_dotenv(*option)) {
            warnings_.push_back(name +
                                " in .env is ignored: such a file may come with a repository. Set it in "
                                "the environment.");
            return ok();
        }
        auto read = assign_value(*option, value, {.layer = layer, .name = name}, negated);
        if (read || !is_shared_variable(name)) return read;
        warnings_.push_back(read.error().message + " It is ignored.");
        return ok();
    }

    // Variables meant for us take precedence over shared ones.
    template <class LayerOf>
    Result<void> read_all(const Environment& variables, LayerOf layer_of) {
        for (const auto& [name, text] : variables) {
            if (is_shared_variable(name)) TRY(read(name, text, layer_of(name)));
        }
        for (const auto& [name, text] : variables) {
            if (has_our_prefix(name)) TRY(read(name, text, layer_of(name)));
        }
        return ok();
    }

private:
    Result<void> assign_value(const Option& option, std::string_view value, const Origin& origin,
                              bool negated) {
        if (!negated) return assign_text(assignments_, option, option.key, value, origin, directory_);
        auto yes = from_text(option, value);
        if (!yes) return located(std::move(yes).error(), origin, option.key);
        return assign(assignments_, option, !yes->get_bool(), origin, directory_);
    }

    const std::filesystem::path& directory_;
    std::vector<Assignment>& assignments_;
    std::vector<std::string>& warnings_;
};

}  // namespace

bool is_shared_variable(std::string_view name) {
    return !has_our_prefix(name) && find_by_variable(name) != nullptr;
}

Environment current_environment() {
    Environment found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        std::string_view text = *entry;
        std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view name = text.substr(0, equals);
        bool matters =
            has_our_prefix(name) || name == "PW_LANG_NAME" || name == "DISPLAY" || is_shared_variable(name);
        if (matters) found.emplace(name, text.substr(equals + 1));
    }
    return found;
}

Result<void> read_environment(const Environment& environment, const std::filesystem::path& directory,
                              std::vector<Assignment>& assignments, std::vector<std::string>& warnings) {
    Reader reader(directory, assignments, warnings);
    return reader.read_all(environment, layer_of);
}

Result<void> read_dotenv(const Environment& environment, const std::filesystem::path& directory,
                         std::vector<Assignment>& assignments, std::vector<std::string>& warnings) {
    auto text = read_file(directory / ".env");
    if (!text) return ok();
    Environment variables;
    std::vector<std::string> shared;
    std::string foreign;
    bool is_for_us = false;
    for (const auto& [key, value] : parse_dotenv(*text)) {
        std::string name(key);
        bool is_playwrights = name.starts_with("PLAYWRIGHT_") && find_by_variable(name) != nullptr;
        is_for_us |= has_our_prefix(name) || is_playwrights;
        bool is_shared = is_shared_variable(name);
        if (!is_shared && !has_our_prefix(name)) foreign = name;
        if (environment.contains(name)) continue;
        if (is_shared) shared.push_back(name);
        variables[name] = std::string(value.get_string());
    }
    if (!is_for_us && !foreign.empty() && !shared.empty()) {
        warnings.push_back(join(shared, ", ") + " in .env " + (shared.size() == 1 ? "is" : "are") +
                           " ignored: the file also has " + foreign +
                           ", so it may be another program's. Add a variable of ours, or set it in the "
                           "environment.");
        return ok();
    }
    Reader reader(directory, assignments, warnings);
    return reader.read_all(variables, [](std::string_view) { return Layer::Dotenv; });
}

}  // namespace config
