#include "upstream/server_traits.h"

#include <algorithm>

#include "util/strings.h"

namespace upstream {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }

// Whether the text contains the option as a whole: "--config-file" does not contain "--config".
bool lists(std::string_view help, std::string_view option) {
    for (std::size_t at = help.find(option); at != help.npos; at = help.find(option, at + 1)) {
        std::size_t end = at + option.size();
        bool begins = at == 0 || !is_word(help[at - 1]);
        if (begins && (end == help.size() || !is_word(help[end]))) return true;
    }
    return false;
}

struct Field {
    std::string_view name;
    bool ServerTraits::* member;
};
constexpr Field kFields[] = {
    {"isolated", &ServerTraits::isolated},
    {"userDataDir", &ServerTraits::user_data_dir},
    {"sharedContext", &ServerTraits::shared_context},
    {"config", &ServerTraits::config},
    {"contextOptions", &ServerTraits::context_options},
};

// "--user-data-dir=/x" and "--userDataDir" as "userdatadir"; empty for a word that is no option.
std::string option_name(std::string_view word) {
    if (!word.starts_with("--")) return "";
    std::string name;
    for (char c : word.substr(0, word.find('='))) {
        if (c != '-') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name;
}

}  // namespace

ServerTraits ServerTraits::playwright() { return {true, true, true, true, true}; }

ServerTraits ServerTraits::from_help(std::string_view help) {
    return {.isolated = lists(help, "--isolated"),
            .user_data_dir = lists(help, "--user-data-dir"),
            .shared_context = lists(help, "--shared-browser-context"),
            .config = lists(help, "--config"),
            .context_options = lists(help, "--viewport-size") && lists(help, "--user-agent")};
}

ServerTraits ServerTraits::from_json(const json::object& object) {
    ServerTraits traits;
    for (const Field& field : kFields)
        traits.*field.member = json::find_bool(object, field.name).value_or(false);
    return traits;
}

json::object ServerTraits::to_json() const {
    json::object object;
    for (const Field& field : kFields) object[field.name] = this->*field.member;
    return object;
}

bool is_playwright_package(const std::vector<std::string>& command) {
    constexpr std::string_view kPackage = "@playwright/mcp";
    return std::ranges::any_of(command, [&](std::string_view word) {
        std::size_t at = word.find(kPackage);
        if (at == word.npos || (at != 0 && word[at - 1] != '/')) return false;
        std::string_view rest = word.substr(at + kPackage.size());
        return rest.empty() || rest[0] == '@' || rest[0] == '/';
    });
}

bool names_profile(const std::vector<std::string>& command) {
    // Options of Playwright's server, then those of the Chrome DevTools server.
    constexpr std::string_view kOptions[] = {"isolated",  "userdatadir", "cdpendpoint", "endpoint",
                                             "extension", "browserurl",  "wsendpoint",  "autoconnect"};
    return std::ranges::any_of(command, [&](const std::string& word) {
        std::string name = option_name(word);
        return !name.empty() && std::ranges::find(kOptions, name) != std::end(kOptions);
    });
}

}  // namespace upstream
