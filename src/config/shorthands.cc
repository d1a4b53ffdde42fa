#include "config/shorthands.h"

#include <string>

#include "config/dotenv.h"
#include "util/files.h"

namespace config {

Result<std::vector<KeyValue>> expand_browser(const json::value& given, const std::filesystem::path&) {
    std::string_view name = given.get_string();
    std::string_view family = "chromium";
    if (name == "webkit") family = "webkit";
    if (name == "firefox" || name.starts_with("moz-")) family = "firefox";

    std::vector<KeyValue> settings{{"browser.browserName", json::value(family)}};
    if (name == "chromium") {
        // Playwright uses this channel name for its own build of Chromium.
        settings.push_back({"browser.launchOptions.channel", "chrome-for-testing"});
    } else if (name != family) {
        settings.push_back({"browser.launchOptions.channel", json::value(name)});
    }
    return settings;
}

Result<std::vector<KeyValue>> expand_vision(const json::value& given, const std::filesystem::path&) {
    std::vector<KeyValue> settings;
    if (given.get_bool()) settings.push_back({"capabilities", json::array{"vision"}});
    return settings;
}

Result<std::vector<KeyValue>> expand_block_service_workers(const json::value& given,
                                                           const std::filesystem::path&) {
    return std::vector<KeyValue>{
        {"browser.contextOptions.serviceWorkers", given.get_bool() ? "block" : "allow"}};
}

Result<std::vector<KeyValue>> expand_default_timeout(const json::value& given, const std::filesystem::path&) {
    return std::vector<KeyValue>{{"timeouts.action", given}, {"timeouts.navigation", given}};
}

Result<std::vector<KeyValue>> expand_persistent_sessions(const json::value& given,
                                                         const std::filesystem::path&) {
    return std::vector<KeyValue>{{"browser.isolated", !given.get_bool()}};
}

Result<std::vector<KeyValue>> expand_secrets(const json::value& given,
                                             const std::filesystem::path& directory) {
    std::string text = TRY(read_file(directory / std::string_view(given.get_string())));
    return std::vector<KeyValue>{{"secrets", parse_dotenv(text)}};
}

}  // namespace config
