#include <algorithm>
#include <unistd.h>

#include "settings.h"
#include "upstream/command.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

using config::Key;
using Words = std::vector<std::string>;

// What goes on to the server behind us when it was asked for in so many words: the flags that
// @playwright/mcp has, too.
constexpr Key kPassedOn[] = {
    "browser.launchOptions.headless",
    "browser.launchOptions.executablePath",
    "browser.launchOptions.chromiumSandbox",
    "browser.launchOptions.proxy.server",
    "browser.launchOptions.proxy.bypass",
    "browser.isolated",
    "browser.userDataDir",
    "browser.cdpEndpoint",
    "browser.cdpTimeout",
    "browser.device",
    "browser.mobile",
    "browser.initScript",
    "browser.initPage",
    "browser.contextOptions.viewport",
    "browser.contextOptions.userAgent",
    "browser.contextOptions.permissions",
    "browser.contextOptions.storageState",
    "browser.contextOptions.ignoreHTTPSErrors",
    "sharedBrowserContext",
    "capabilities",
    "network.allowedOrigins",
    "network.blockedOrigins",
    "allowUnrestrictedFileAccess",
    "snapshot.mode",
    "snapshot.boxes",
    "codegen",
    "imageResponses",
    "console.level",
    "testIdAttribute",
    "outputDir",
    "outputMaxSize",
    "saveSession",
    "timeouts.action",
    "timeouts.navigation",
    "timeouts.settle",
};

// The option as flags; nothing for what no flag can say.
Words flags_of(const config::Values& values, Key key) {
    const config::Option& option = key.option();
    std::string flag = "--" + std::string(option.flag);
    switch (option.type) {
        case config::Type::Bool:
            if (values.get<bool>(key)) return {flag};
            return option.flag == "sandbox" ? Words{"--no-sandbox"} : Words{};
        case config::Type::Size: {
            auto size = values.get<std::optional<config::Size>>(key);
            if (!size) return {};
            return {flag, std::to_string(size->width) + "x" + std::to_string(size->height)};
        }
        // Of several words @playwright/mcp would keep the last one, other than of several paths.
        case config::Type::List:
            return {flag, join(values.get<Words>(key), std::string(1, option.separator))};
        case config::Type::Paths: {
            Words words = values.get<Words>(key);
            words.insert(words.begin(), flag);
            return words;
        }
        default: {
            auto value = values.get<json::value>(key);
            if (value.is_object()) return {};
            return {flag, value.is_string() ? std::string(value.get_string()) : json::serialize(value)};
        }
    }
}

// Whether there is one session at a time, that of the client on standard input.
bool has_one_session(const config::Config& config) {
    const config::ServerConfig& server = config.server;
    return config.browser.engine == config::Engine::Upstream && !server.port && server.socket.empty() &&
           !server.daemon && session_param(config).when == tools::SessionParam::Off;
}

bool shares_context(const config::Config& config) {
    return config.browser.shared_context || config.session.isolation == config::Isolation::Shared;
}

// Whether the one context of all sessions is that of one server.
bool shares_server(const config::Config& config, bool playwright) {
    return playwright && shares_context(config) && !has_one_session(config);
}

Words flags_for(const config::Loaded& loaded, bool playwright) {
    const config::Values& values = loaded.values;
    Words flags;
    // Has the last word on whether people see the browser.
    std::string headless = environment("HEADLESS");
    if (headless == "true") flags.emplace_back("--headless");
    for (Key key : kPassedOn) {
        if (!values.given(key)) continue;
        if (key.option().flag == "headless" && !headless.empty()) continue;
        for (std::string& word : flags_of(values, key)) flags.push_back(std::move(word));
    }
    // --browser is one flag for two settings.
    std::string channel = values.get<std::string>("browser.launchOptions.channel");
    bool named = values.given("browser.browserName");
    if (values.given("browser.launchOptions.channel") || named) {
        flags.insert(
            flags.end(),
            {"--browser", channel.empty() ? values.get<std::string>("browser.browserName") : channel});
    }
    bool has_profile = values.given("browser.isolated") || values.given("browser.userDataDir") ||
                       values.given("browser.cdpEndpoint") || values.get<bool>("extension");
    if (shares_server(loaded.config, playwright)) {
        if (!values.given("sharedBrowserContext")) flags.emplace_back("--shared-browser-context");
    } else if (playwright && !has_profile && !has_one_session(loaded.config)) {
        // Sessions would fight over one profile.
        flags.emplace_back("--isolated");
    }
    return flags;
}

// Sets what "browser.contextOptions.locale" names.
void set_path(json::object& settings, std::string_view key, const json::value& value) {
    std::size_t dot = key.find('.');
    if (dot == key.npos) {
        settings[key] = value;
        return;
    }
    json::value& section = settings[key.substr(0, dot)];
    if (!section.is_object()) section = json::object{};
    set_path(section.get_object(), key.substr(dot + 1), value);
}

bool has_flag(const config::Option& option) {
    return std::ranges::any_of(kPassedOn, [&](Key key) { return key.option().key == option.key; });
}

// Where we listen is not for one that listens itself.
bool is_for_them(const config::Option& option, const config::Config& config) {
    if (option.source != config::Source::Playwright || option.key.empty()) return false;
    bool listens = config.upstream.transport == config::UpstreamTransport::Http || shares_context(config);
    return !option.key.starts_with("server") || (option.key == "server.host" && !listens);
}

// On its standard error people find the folder of a saved session. Those who follow parts of it (DEBUG), or
// us closely, read all of it.
std::function<bool(std::string_view)> shown_lines(const LogOptions& logging) {
    if (logging.format != LogFormat::Text) return {};
    bool all = !environment("DEBUG").empty() || (logging.level <= LogLevel::Debug && logging.file.empty());
    return [all](std::string_view line) { return all || line.starts_with("Session: "); };
}

// What a server's tools depend on, and where their list is kept for it.
std::filesystem::path tool_cache(const upstream::Options& options, std::string_view settings) {
    std::string text = join(options.command, "\n") + "\n" + options.directory.string() + "\n";
    text += settings;
    for (const auto& [name, value] : options.environment) text += "\n" + name + "=" + value;
    for (char** variable = environ; *variable; ++variable)
        if (std::string_view(*variable).starts_with("PLAYWRIGHT_")) text += "\n" + std::string(*variable);
    return cache_directory() / "upstream-tools" / (hex_encode(sha256(text)).substr(0, 32) + ".json");
}

}  // namespace

std::string upstream_settings(const config::Loaded& loaded) {
    const config::Values& values = loaded.values;
    json::object settings;
    bool needed = false;
    for (const config::Option& option : config::kOptions) {
        if (!is_for_them(option, loaded.config) || !values.given(config::key_of(option))) continue;
        needed = needed || !has_flag(option);
        set_path(settings, option.key, *values.at(config::key_of(option)).value);
    }
    return needed ? json::serialize(settings) : "";
}

Result<upstream::Options> upstream_options(const config::Loaded& loaded,
                                           const std::filesystem::path& directory,
                                           const std::filesystem::path& settings_file) {
    const config::UpstreamConfig& from = loaded.config.upstream;
    upstream::Options options;
    options.command = TRY(upstream::parse_command(from.command));
    bool playwright = upstream::is_playwright(options.command);
    bool has_settings = std::ranges::any_of(
        options.command, [](const std::string& word) { return word.starts_with("--config"); });
    for (std::string& flag : flags_for(loaded, playwright)) options.command.push_back(std::move(flag));
    // It inherits our environment: what says where we listen is not for it.
    for (const char* name : {"PLAYWRIGHT_MCP_PORT", "PLAYWRIGHT_MCP_HOST", "PLAYWRIGHT_MCP_ALLOWED_HOSTS"})
        if (!environment(name).empty()) options.environment.emplace_back(name, "");
    options.environment.insert(options.environment.end(), from.env.begin(), from.env.end());
    options.directory = from.cwd.empty() ? directory : from.cwd;
    options.shared = shares_server(loaded.config, playwright);
    if (options.shared || from.transport == config::UpstreamTransport::Http)
        options.transport = upstream::Transport::Http;
    options.shows = shown_lines(loaded.config.logging);
    options.client_version = TROUPE_VERSION;
    options.max_message = loaded.config.server.max_message_bytes;
    options.session_param = session_param(loaded.config);
    options.session_param.tab_ids = options.session_param.tab_required = false;
    options.max_sessions = loaded.config.session.max_sessions;
    options.warm = from.warm;
    std::string settings = upstream_settings(loaded);
    options.tool_cache = tool_cache(options, settings);
    if (playwright && !has_settings && !settings.empty())
        options.command.insert(options.command.end(), {"--config", settings_file.string()});
    options.timing.handshake = from.start_timeout;
    if (loaded.config.timeouts.idle) options.timing.idle = *loaded.config.timeouts.idle;
    return options;
}
