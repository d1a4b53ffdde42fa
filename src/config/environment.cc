#include "config/environment.h"

#include <unistd.h>

#include "config/assign.h"
#include "config/parse.h"
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

// Upstream takes an empty variable for none. An empty token would leave a server open, so it is looked at.
bool counts(const Option& option, std::string_view value) {
    return !value.empty() || (option.secret && option.type == Type::String);
}

}  // namespace

Environment current_environment() {
    Environment found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        std::string_view text = *entry;
        std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view name = text.substr(0, equals);
        bool ours = name.starts_with(kTroupe) || name.starts_with(kPlaywright);
        if (ours || name == "PW_LANG_NAME" || name == "DISPLAY") found.emplace(name, text.substr(equals + 1));
    }
    return found;
}

Result<void> read_environment(const Environment& environment, const std::filesystem::path& directory,
                              std::vector<Assignment>& assignments, std::vector<std::string>& warnings) {
    for (const auto& [name, text] : environment) {
        bool ours = name.starts_with(kTroupe);
        if (!ours && !name.starts_with(kPlaywright)) continue;
        auto [option, negated] = meaning_of(name);
        if (option == nullptr) {
            if (!ours) continue;  // perhaps of another version of @playwright/mcp
            std::string near = nearest_variable(name);
            warnings.push_back("Unknown environment variable " + name + "." +
                               (near.empty() ? "" : " Did you mean " + near + "?"));
            continue;
        }
        std::string_view value = trim(text);
        if (!counts(*option, value)) continue;
        Origin origin{.layer = ours ? Layer::Environment : Layer::PlaywrightEnvironment, .name = name};
        if (!negated) {
            TRY(assign_text(assignments, *option, value, origin, directory));
            continue;
        }
        auto yes = from_text(*option, value);
        if (!yes) return located(std::move(yes).error(), origin, option->key);
        TRY(assign(assignments, *option, !yes->get_bool(), origin, directory));
    }
    return ok();
}

}  // namespace config
