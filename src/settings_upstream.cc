#include <algorithm>
#include <unistd.h>

#include "doctor/process.h"
#include "settings.h"
#include "upstream/command.h"
#include "util/crypto.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

using config::Key;
using Words = std::vector<std::string>;

constexpr std::chrono::milliseconds kHelpTimeout = std::chrono::seconds(10);
constexpr auto kTraitsLifetime = std::chrono::days(1);

// Options passed on to the upstream server when given explicitly: the flags that @playwright/mcp has, too.
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

// The option as flags; nothing for values that flags cannot express.
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
        // @playwright/mcp keeps only the last of several words, unlike with paths.
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

// Whether there is only one session at a time, that of the client on standard input.
bool has_one_session(const config::Config& config) {
    const config::ServerConfig& server = config.server;
    return config.browser.engine == config::Engine::Upstream && !server.port && server.socket.empty() &&
           !server.daemon && session_param(config).when == tools::SessionParam::Off;
}

bool shares_context(const config::Config& config) {
    return config.browser.shared_context || config.session.isolation == config::Isolation::Shared;
}

// Whether one server has the context that all sessions share.
bool shares_server(const config::Config& config, const upstream::ServerTraits& traits) {
    return traits.shared_context && shares_context(config) && !has_one_session(config);
}

// Whether the user chose the profile or the browser of the upstream servers.
bool has_chosen_profile(const config::Loaded& loaded, const Words& command) {
    const config::Values& values = loaded.values;
    const config::Strings& variables = loaded.config.upstream.env;
    return values.given("browser.isolated") || values.given("browser.userDataDir") ||
           values.given("browser.cdpEndpoint") || values.get<bool>("extension") ||
           upstream::names_profile(command) || std::ranges::any_of(variables, [](const auto& variable) {
               return variable.first == "PLAYWRIGHT_MCP_ISOLATED" ||
                      variable.first == "PLAYWRIGHT_MCP_USER_DATA_DIR" ||
                      variable.first == "PLAYWRIGHT_MCP_CDP_ENDPOINT";
           });
}

// Gives each session's server a browser profile of its own.
void isolate_profiles(const config::Loaded& loaded, upstream::Options& options) {
    config::UpstreamIsolate isolate = loaded.config.upstream.isolate;
    if (isolate == config::UpstreamIsolate::Never || has_one_session(loaded.config) || options.shared ||
        has_chosen_profile(loaded, options.command))
        return;
    // A wrapper may drop flags, but the server inside it inherits the environment.
    options.environment.emplace_back("PLAYWRIGHT_MCP_ISOLATED", "true");
    if (options.traits.isolated || isolate == config::UpstreamIsolate::Always) {
        options.command.emplace_back("--isolated");
        return;
    }
    options.own_profile =
        options.traits.user_data_dir ? upstream::OwnProfile::UserDataDir : upstream::OwnProfile::Environment;
}

// Each client on the network has its own folder below the output directory, which its server gets as its
// root: with one directory for all, every client would see the files of the others.
bool has_folders(const config::Config& config) { return config.server.port && !config.server.trust_roots; }

// Servers in one directory would overwrite each other's files, which are named by time. A spare server is
// started before its client's folder is known.
bool separates_outputs(const config::Loaded& loaded, const upstream::ServerTraits& traits) {
    const config::Config& config = loaded.config;
    bool has_own = std::ranges::any_of(config.upstream.env, [](const auto& variable) {
        return variable.first == "PLAYWRIGHT_MCP_OUTPUT_DIR";
    });
    return !has_own && !has_one_session(config) && !shares_server(config, traits) &&
           !(config.upstream.warm && has_folders(config));
}

Words flags_for(const config::Loaded& loaded, const upstream::ServerTraits& traits) {
    const config::Values& values = loaded.values;
    Words flags;
    for (Key key : kPassedOn) {
        if (!values.given(key)) continue;
        bool is_elsewhere = has_folders(loaded.config) || separates_outputs(loaded, traits);
        if (key.option().key == "outputDir" && is_elsewhere) continue;
        for (std::string& word : flags_of(values, key)) flags.push_back(std::move(word));
    }
    // --browser covers two settings.
    std::string channel = values.get<std::string>("browser.launchOptions.channel");
    bool named = values.given("browser.browserName");
    if (values.given("browser.launchOptions.channel") || named) {
        flags.insert(
            flags.end(),
            {"--browser", channel.empty() ? values.get<std::string>("browser.browserName") : channel});
    }
    if (shares_server(loaded.config, traits) && !values.given("sharedBrowserContext"))
        flags.emplace_back("--shared-browser-context");
    return flags;
}

// Sets the member at a path such as "browser.contextOptions.locale".
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

// The listening address is not passed to an upstream server that listens itself.
bool is_for_them(const config::Option& option, const config::Config& config) {
    if (option.source != config::Source::Playwright || option.key.empty()) return false;
    if (option.key == "outputDir" && has_folders(config)) return false;
    bool listens = config.upstream.transport == config::UpstreamTransport::Http || shares_context(config);
    return !option.key.starts_with("server") || (option.key == "server.host" && !listens);
}

// The server's standard error names the folder of a saved session. When DEBUG is set or logging is verbose,
// all of it is shown.
std::function<bool(std::string_view)> shown_lines(const LogOptions& logging) {
    if (logging.format != LogFormat::Text) return {};
    bool all = !environment("DEBUG").empty() || (logging.level <= LogLevel::Debug && logging.file.empty());
    return [all](std::string_view line) { return all || line.starts_with("Session: "); };
}

// Reads the traits from the server's --help, at most once a day, because starting it may take seconds.
upstream::ServerTraits ask_traits(const Words& command, std::chrono::milliseconds limit) {
    std::filesystem::path file = cache_directory() / "upstream-options" /
                                 (hex_encode(sha256(join(command, "\n"))).substr(0, 32) + ".json");
    std::error_code failed;
    auto written = std::filesystem::last_write_time(file, failed);
    if (!failed && std::filesystem::file_time_type::clock::now() - written < kTraitsLifetime) {
        auto text = read_file(file);
        auto kept = text ? json::parse(*text) : Result<json::value>(Error{});
        if (kept && kept->is_object()) return upstream::ServerTraits::from_json(kept->get_object());
    }
    std::filesystem::path program = command.front();
    if (!program.has_parent_path()) program = find_program(command.front());
    Words arguments(command.begin() + 1, command.end());
    arguments.emplace_back("--help");
    auto printed = doctor::run({.program = program, .arguments = arguments}, std::min(limit, kHelpTimeout));
    if (!printed) return {};
    auto traits = upstream::ServerTraits::from_help(*printed);
    std::filesystem::create_directories(file.parent_path(), failed);
    (void)write_file(file, json::serialize(traits.to_json()));
    return traits;
}

// The cache file of a server's tool list, named by everything that the list depends on.
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
    bool has_settings = std::ranges::any_of(
        options.command, [](const std::string& word) { return word.starts_with("--config"); });
    std::string settings = upstream_settings(loaded);
    if (upstream::is_playwright_package(options.command))
        options.traits = upstream::ServerTraits::playwright();
    else if (!has_one_session(loaded.config) || !settings.empty())
        options.traits = ask_traits(options.command, from.start_timeout);
    for (std::string& flag : flags_for(loaded, options.traits)) options.command.push_back(std::move(flag));
    // The upstream server inherits the environment, but must not use this server's address.
    for (const char* name : {"PLAYWRIGHT_MCP_PORT", "PLAYWRIGHT_MCP_HOST", "PLAYWRIGHT_MCP_ALLOWED_HOSTS"})
        if (!environment(name).empty()) options.environment.emplace_back(name, "");
    if (has_folders(loaded.config) && !environment("PLAYWRIGHT_MCP_OUTPUT_DIR").empty())
        options.environment.emplace_back("PLAYWRIGHT_MCP_OUTPUT_DIR", "");
    options.environment.insert(options.environment.end(), from.env.begin(), from.env.end());
    options.directory = from.cwd.empty() ? directory : from.cwd;
    options.shared = shares_server(loaded.config, options.traits);
    options.separates_outputs = separates_outputs(loaded, options.traits);
    isolate_profiles(loaded, options);
    if (options.shared || from.transport == config::UpstreamTransport::Http)
        options.transport = upstream::Transport::Http;
    options.shows = shown_lines(loaded.config.logging);
    options.client_version = TROUPE_VERSION;
    options.max_message = loaded.config.server.max_message_bytes;
    options.session_param = session_param(loaded.config);
    options.session_param.tab_ids = options.session_param.tab_required = false;
    options.session_param.can_have_tab_ids = false;
    options.max_sessions = loaded.config.session.max_sessions;
    options.warm = from.warm;
    options.tool_cache = tool_cache(options, settings);
    if (options.traits.config && !has_settings && !settings.empty())
        options.command.insert(options.command.end(), {"--config", settings_file.string()});
    options.timing.handshake = from.start_timeout;
    options.timing.ping_interval = from.ping_interval;
    if (loaded.config.timeouts.idle) options.timing.idle = *loaded.config.timeouts.idle;
    // The default is for sessions that can be woken again, and upstream sessions cannot.
    if (loaded.values.given("session.idleTimeout")) options.timing.idle = loaded.config.session.idle_timeout;
    return options;
}
