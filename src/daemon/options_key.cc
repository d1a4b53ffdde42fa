#include "daemon/options_key.h"

#include "util/crypto.h"
#include "util/files.h"
#include "util/json.h"
#include "util/strings.h"

namespace daemons {
namespace {

constexpr const char* kSurroundings[] = {"HOME",    "XDG_CACHE_HOME",  "XDG_STATE_HOME",
                                         "DISPLAY", "WAYLAND_DISPLAY", "PWMCP_PROFILES_DIR_FOR_TEST"};

bool matters(const config::Option& option) {
    return !option.key.empty() && !option.key.starts_with("logging.") && option.key != "server.daemonIdle" &&
           option.key != "session.agentId";
}

json::value absolute(const config::Option& option, const json::value& value,
                     const std::filesystem::path& directory) {
    if (option.type != config::Type::Path || !value.is_string() || value.get_string().empty()) return value;
    return json::value((directory / std::string(value.get_string())).lexically_normal().string());
}

}  // namespace

bool depends_on_directory(const config::Config& config) {
    const std::filesystem::path& program = config.browser.executable_path;
    if (!program.empty() && program.is_relative()) return true;
    const json::value& state = config.browser.context.storage_state;
    return state.is_string() && !state.get_string().starts_with('/');
}

std::string options_key(const config::Loaded& loaded, const std::filesystem::path& directory) {
    json::array parts;
    for (const config::Option& option : config::kOptions) {
        const config::Setting& setting = loaded.values.at(config::key_of(option));
        if (!setting.value || !matters(option)) continue;
        parts.emplace_back(json::array{option.key, absolute(option, *setting.value, directory)});
    }
    for (const char* name : kSurroundings) parts.emplace_back(json::array{name, environment(name)});
    if (depends_on_directory(loaded.config)) parts.emplace_back(directory.string());
    return hex_encode(sha256(json::serialize(parts))).substr(0, 16);
}

}  // namespace daemons
