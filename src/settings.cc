#include "settings.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <thread>

#include "browsers/process_memory.h"
#include "daemon/answer_handshake.h"
#include "engine/browser_finder.h"
#include "engine/devices.h"
#include "engine/storage_state.h"
#include "session/secret_state.h"
#include "util/files.h"
#include "util/processes.h"

namespace {

constexpr std::string_view kInstructions =
    "Troupe drives real browsers. Tools named browser_* act on this connection's own browser session: "
    "navigate, take a snapshot, then act on the element refs it shows.";

// The value of an option for which zero means no limit.
template <class T>
std::optional<T> limit(T given) {
    return given > 0 ? std::optional(given) : std::nullopt;
}

std::optional<engine::Size> size_of(const std::optional<config::Size>& size) {
    if (!size) return std::nullopt;
    return engine::Size{size->width, size->height};
}

Result<engine::ContextOptions> context_options(const config::Config& config) {
    const config::ContextConfig& from = config.browser.context;
    engine::ContextOptions options;
    if (!config.browser.device.empty()) {
        engine::Device device = TRY(engine::find_device(config.browser.device));
        engine::apply(device, options);
    }
    if (from.viewport || config.browser.device.empty()) options.viewport = size_of(from.viewport);
    if (from.screen) options.screen = size_of(from.screen);
    if (from.device_scale_factor) options.device_scale_factor = from.device_scale_factor;
    if (from.is_mobile) options.is_mobile = *from.is_mobile;
    if (from.has_touch) options.has_touch = *from.has_touch;
    if (!from.user_agent.empty()) options.user_agent = from.user_agent;
    options.locale = from.locale;
    options.timezone = from.timezone_id;
    options.color_scheme = from.color_scheme;
    options.reduced_motion = from.reduced_motion;
    options.forced_colors = from.forced_colors;
    options.contrast = from.contrast;
    options.permissions = from.permissions;
    for (const auto& [name, value] : from.extra_http_headers) options.extra_headers.emplace_back(name, value);
    options.geolocation = from.geolocation;
    options.http_credentials = from.http_credentials;
    options.storage_state = from.storage_state;
    if (from.storage_state.is_string()) {
        std::string text = TRY(read_file(std::string(from.storage_state.get_string())));
        auto parsed = json::parse(text);
        auto saved = parsed ? engine::read_storage_state(std::move(*parsed)) : std::move(parsed);
        if (!saved)
            return Error{.code = ErrorCode::InvalidArgument,
                         .message = "The storage state file " + std::string(from.storage_state.get_string()) +
                                    " has no storage state: " + saved.error().message + ".",
                         .hint = "Give a file that save_state or browser_storage_state wrote."};
        session::Secrets secrets(config.secrets, config.security.secret_origins);
        options.storage_state = TRY(session::reveal_in_state(secrets, std::move(*saved)));
    }
    options.proxy_server = from.proxy.server;
    options.proxy_bypass = from.proxy.bypass;
    const config::ProxyConfig& proxy = from.proxy.server.empty() ? config.browser.proxy : from.proxy;
    options.proxy_credentials = {.username = proxy.username, .password = proxy.password};
    options.accept_downloads = from.accept_downloads;
    options.ignore_https_errors = from.ignore_https_errors;
    options.bypass_csp = from.bypass_csp;
    options.java_script_enabled = from.java_script_enabled;
    options.offline = from.offline;
    options.block_service_workers = from.service_workers == config::ServiceWorkers::Block;
    for (const auto& file : config.browser.init_script) {
        std::string script = TRY(read_file(file));
        options.init_scripts.push_back(std::move(script));
    }
    options.test_id_attribute = config.test_id_attribute;
    options.download_directory = config.browser.downloads_path;
    if (options.download_directory.empty()) options.download_directory = cache_directory() / "downloads";
    return options;
}

std::string browser_name(const config::BrowserConfig& browser) {
    if (!browser.channel.empty()) return browser.channel;
    return {};
}

browsers::Isolation isolation_of(config::Isolation isolation) {
    switch (isolation) {
        case config::Isolation::Context:
            return browsers::Isolation::Context;
        case config::Isolation::Browser:
            return browsers::Isolation::Browser;
        case config::Isolation::Shared:
            return browsers::Isolation::Shared;
    }
    return browsers::Isolation::Context;
}

std::vector<std::string> unwanted_arguments(const json::value& ignored) {
    if (ignored == json::value(true)) return {"*"};
    std::vector<std::string> arguments;
    if (const json::array* list = ignored.if_array()) {
        for (const json::value& each : *list) {
            if (each.is_string()) arguments.emplace_back(each.get_string());
        }
    }
    return arguments;
}

std::string why_unsupported(const config::BrowserConfig& browser) {
    if (browser.browser_name != config::BrowserName::Chromium)
        return "The engine native drives Chromium-based browsers only. Use --browser chromium, chrome or "
               "msedge, "
               "or --engine upstream.";
    if (!browser.remote_endpoint.is_null()) return "Playwright's own endpoints need --engine upstream.";
    if (browser.extension) return "Playwright's extension needs --engine upstream.";
    return {};
}

// The size of the viewport, reduced to fit into 800 by 800.
engine::Size video_size(const config::ContextConfig& context) {
    constexpr double kMaxSide = 800;
    engine::Size size = size_of(context.viewport).value_or(*engine::ContextOptions{}.viewport);
    double scale = std::min(1.0, kMaxSide / std::max(size.width, size.height));
    return {static_cast<int>(size.width * scale), static_cast<int>(size.height * scale)};
}

std::optional<session::RecordVideo> record_video(const config::Config& config,
                                                 const std::filesystem::path& directory) {
    if (const auto& video = config.browser.context.record_video) {
        return session::RecordVideo{
            .directory = video->dir.empty() ? std::filesystem::path() : directory / video->dir,
            .format = {.size = size_of(video->size).value_or(video_size(config.browser.context)),
                       .frames_per_second = video->fps}};
    }
    if (config.save_video) return session::RecordVideo{.format = {.size = *size_of(config.save_video)}};
    return std::nullopt;
}

std::optional<session::RecordHar> record_har(const config::Config& config,
                                             const std::filesystem::path& directory) {
    const auto& har = config.browser.context.record_har;
    if (!har) return std::nullopt;
    return session::RecordHar{.file = (directory / har->path).lexically_normal(),
                              .content = static_cast<session::RecordHar::Content>(har->content),
                              .url_filter = har->url_filter,
                              .creator_version = TROUPE_VERSION};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> credentials(const config::Config& config) {
    // Hiding a shorter one would spoil every text that contains it by chance.
    constexpr std::size_t kMinPassword = 4;
    std::vector<std::pair<std::string, std::string>> found;
    auto add = [&](std::string_view username, std::string_view password) {
        if (password.size() >= kMinPassword) found.emplace_back(username, password);
    };
    auto add_site = [&](const json::object& from) {
        add(json::find_string(from, "username").value_or(""),
            json::find_string(from, "password").value_or(""));
    };
    const json::value& sites = config.browser.context.http_credentials;
    if (const json::object* one = sites.if_object()) add_site(*one);
    if (const json::array* several = sites.if_array()) {
        for (const json::value& each : *several) {
            if (const json::object* one = each.if_object()) add_site(*one);
        }
    }
    for (const config::ProxyConfig* proxy : {&config.browser.proxy, &config.browser.context.proxy})
        add(proxy->username, proxy->password);
    return found;
}

config::Strings hidden_credentials(const config::Config& config) {
    config::Strings hidden;
    for (const auto& [name, token] : auth_tokens(config.server))
        hidden.emplace("AUTH_TOKEN of " + name, token);
    for (const auto& [user, password] : credentials(config)) {
        std::string text = user;
        text += ":" + password;
        hidden.emplace("CREDENTIALS " + std::to_string(hidden.size() + 1), text);
    }
    return hidden;
}

Result<std::vector<std::string>> check_machine(const config::Config& config) {
    const config::BrowserConfig& browser = config.browser;
    std::vector<std::string> warnings;
    if (browser.engine == config::Engine::Upstream) return warnings;
    if (!browser.device.empty()) TRY(engine::find_device(browser.device));
    if (!browser.executable_path.empty() && browser.cdp_endpoint.empty()) {
        auto found =
            engine::find_browser({.executable = browser.executable_path, .headless = browser.headless});
        if (!found) warnings.push_back("--executable-path: " + found.error().to_string());
    }
    auto read = context_options(config);
    // What is missing may come; what is wrong stays wrong.
    if (!read && read.error().code == ErrorCode::InvalidArgument) return read.error();
    if (!read) warnings.push_back("No browser context can be opened: " + read.error().to_string());
    return warnings;
}

config::Strings auth_tokens(const config::ServerConfig& server) {
    config::Strings tokens = server.auth_tokens;
    if (!server.auth_token.empty()) tokens.insert_or_assign("token", server.auth_token);
    return tokens;
}

bool has_several_principals(const config::ServerConfig& server) {
    return auth_tokens(server).size() > 1 || !server.oauth.issuer.empty();
}

bool has_own_tabs(const config::Config& config) {
    return config.session.isolation == config::Isolation::Shared || has_several_principals(config.server);
}

transport::ServiceOptions service_options(const config::Config& config) {
    const config::ServerConfig& server = config.server;
    config::Strings tokens = auth_tokens(server);
    transport::ServiceOptions options;
    options.server.name = server.name;
    options.server.version = server.version.empty() ? TROUPE_VERSION : server.version;
    options.server.instructions = kInstructions;
    options.server.call_timeout = server.call_timeout;
    options.server.max_result_bytes = config.session.max_result_bytes;
    options.server.agent_id = config.session.agent_id;
    options.http = {
        .max_connections = server.max_connections,
        .max_body = server.max_message_bytes,
        .max_header = server.max_header_bytes,
        .header_timeout = server.header_timeout,
        .idle_timeout = server.idle_timeout,
    };
    // For tests, which fail when a server that they started gives up a call.
    if (std::string file = environment("TROUPETEST_OVERDUE_FILE"); !file.empty())
        options.server.on_call_overdue = [file](const std::string& call) {
            std::ofstream(file, std::ios::app) << call << std::endl;
        };
    options.endpoints.version = TROUPE_VERSION;
    // Windows cannot send SIGINT to a child, so Playwright's tests request it.
    if (!environment("PWTEST_UNDER_TEST").empty()) options.endpoints.stop = [] { ::raise(SIGINT); };
    options.endpoints.lines.max_line = server.max_message_bytes;
    options.endpoints.streamable.session_timeout = server.session_timeout;
    options.endpoints.streamable.ping_timeout = server.ping_timeout;
    options.endpoints.streamable.grace = config.session.grace;
    options.endpoints.access = {
        .host = server.host,
        .allowed_hosts = server.allowed_hosts,
        .allowed_origins = server.allowed_http_origins,
        .authenticate = tokens.empty() ? nullptr : transport::static_tokens(tokens),
    };
    if (server.port) options.port = *server.port;
    options.socket = server.socket;
    return options;
}

void make_daemon(transport::ServiceOptions& options, const config::Config& config,
                 const std::filesystem::path& socket, std::function<void()> stop) {
    // Far apart, so that an answer to one daemon is never taken by its successor.
    constexpr std::int64_t kQuestionsOfOneDaemon = 1'000'000;
    options.socket = socket;
    options.peers = transport::Peers::SameUser;
    options.idle_end = config.server.daemon_idle;
    // The id belongs to the client that started the daemon; other clients have their own.
    options.server.agent_id.clear();
    options.endpoints.introduce = [stop = std::move(stop)](
                                      int descriptor, std::string_view line,
                                      std::size_t others) -> std::optional<transport::Introduction> {
        auto greeted = daemons::answer_handshake(descriptor, line, others, TROUPE_VERSION);
        if (!greeted) return std::nullopt;
        if (greeted->welcome.retired) stop();
        std::string answer = daemons::to_line(greeted->welcome);
        answer.pop_back();
        return transport::Introduction{.answer = std::move(answer),
                                       .directory = greeted->hello.directory,
                                       .first_question = greeted->hello.generation * kQuestionsOfOneDaemon,
                                       .agent = greeted->hello.agent,
                                       .lost_session = greeted->hello.had_session};
    };
}

session::SessionOptions session_options(const config::Config& config,
                                        const std::filesystem::path& directory) {
    session::SessionOptions options;
    options.codegen = static_cast<session::Codegen>(config.codegen);
    options.action_timeout = config.timeouts.action;
    options.navigation_timeout = config.timeouts.navigation;
    options.expect_timeout = config.timeouts.expect;
    options.settle_timeout = config.timeouts.settle;
    options.base_url = config.browser.context.base_url;
    options.stuck_tool = environment("TROUPETEST_STUCK_TOOL");
    options.snapshot_mode = static_cast<session::SnapshotMode>(config.snapshot_mode);
    options.snapshot_boxes = config.snapshot_boxes;
    bool remote = config.server.port || !config.server.socket.empty();
    if (config.snapshot_delivery == config::SnapshotDelivery::Inline) {
        options.snapshot_delivery = session::SnapshotDelivery::Inline;
    } else if (config.snapshot_delivery == config::SnapshotDelivery::Auto && remote) {
        options.snapshot_delivery = session::SnapshotDelivery::Both;
    }
    options.image_responses = static_cast<session::ImageResponses>(config.image_responses);
    options.file_paths = static_cast<session::FilePaths>(config.file_paths);
    options.console_level = static_cast<session::ConsoleLevel>(config.console_level);
    options.secrets = config.secrets;
    options.hidden = hidden_credentials(config);
    options.redact_url_params = config.redact_url_params;
    options.secret_origins = config.security.secret_origins;
    options.max_screenshot_size = config.security.max_screenshot_size;
    options.working_directory = directory;
    options.output_dir = config.output_dir;
    options.output_max_size = config.output_max_size;
    options.allow_unrestricted_file_access = config.allow_unrestricted_file_access;
    options.writable_dot_names = config.security.writable_dot_names;
    options.mark_untrusted = config.security.mark_untrusted;
    options.page_tools = config.webmcp;
    options.save_session = config.save_session;
    options.trusts_roots = !config.ignore_roots;
    options.record_video = record_video(config, directory);
    options.record_har = record_har(config, directory);
    options.announce = [](std::string_view line) { std::cerr << line << std::endl; };
    // The session has its own tabs in the context, and closing it closes these.
    options.shared_context = config.browser.shared_context && !has_own_tabs(config);
    options.tab_ids = has_tab_ids(config);
    options.auto_assign_tab = config.session.auto_assign_tab;
    options.budget.tabs = limit(config.session.max_tabs);
    options.budget.workers = limit(config.session.max_workers);
    options.budget.download_bytes = limit(config.session.max_download_bytes);
    options.budget.console_bytes = limit(config.session.max_console_bytes);
    options.budget.result_bytes = limit(config.session.max_result_bytes);
    options.budget.heap = static_cast<std::uint64_t>(config.session.max_heap.value_or(0)) << 20;
    options.budget.script_time = config.session.max_script_time;
    options.init_page = config.browser.init_page;
    options.downloads_path = config.browser.downloads_path;
    return options;
}

bool has_tab_ids(const config::Config& config) {
    const config::SessionConfig& session = config.session;
    return session.tab_ids || session.require_tab_id || session.auto_assign_tab ||
           session.isolation == config::Isolation::Shared;
}

tools::SessionParamOptions session_param(const config::Config& config) {
    const config::SessionConfig& session = config.session;
    tools::SessionParamOptions options{.required = session.require_id,
                                       .tab_ids = has_tab_ids(config),
                                       .tab_required = session.require_tab_id};
    bool listens = config.server.port || !config.server.socket.empty();
    if (session.param.value_or(session.require_id))
        options.when = tools::SessionParam::Always;
    else if (!session.param && listens)
        options.when = tools::SessionParam::Stateless;
    // When session ids can be created, every tool accepts one.
    options.tools = options.when;
    auto has = [&](std::string_view name) {
        return std::ranges::find(config.capabilities, name) != config.capabilities.end();
    };
    bool lists_creating =
        has("sessions") || (config.store.enabled && (has("history") || refers_to_record(config)));
    if (lists_creating) options.when = tools::SessionParam::Always;
    return options;
}

static std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

// A server for many clients keeps browsers and contexts ready; one for a single client keeps only what is
// configured.
static browsers::PoolSizing pool_sizing(const config::Config& config, Clients clients) {
    constexpr std::chrono::seconds kIdle{60};
    constexpr std::size_t kWarm = 2;
    // The hundredth context costs a browser as much as the tenth, but its main thread is a single one: with
    // more cores, more browsers use them.
    constexpr std::size_t kContexts = 200, kMinContexts = 25;
    bool many = clients == Clients::Many;
    const config::PoolConfig& pool = config.pool;
    return {.min_browsers = pool.min_browsers,
            .max_browsers = std::max(pool.max_browsers, pool.min_browsers),
            .contexts_per_browser = std::max(kMinContexts, kContexts / cores()),
            .idle_timeout = pool.idle_timeout.value_or(many ? kIdle : std::chrono::milliseconds(0)),
            // Blank windows of a visible browser would disturb the user.
            .warm_contexts = pool.warm_contexts.value_or(many && config.browser.headless ? kWarm : 0)};
}

static browsers::AdmissionOptions admission_options(const config::Config& config) {
    std::uint64_t memory = config.pool.max_memory ? static_cast<std::uint64_t>(*config.pool.max_memory) << 20
                                                  : browsers::available_memory() / 10 * 8;
    return {.max_contexts = config.session.max_sessions,
            .memory = memory,
            .at_once = std::max<std::size_t>(1, cores() / 2),
            .at_once_alone = cores(),
            .pause_factor = 4,
            .queue_timeout = config.pool.queue_timeout};
}

session::SessionsOptions sessions_options(const config::Config& config,
                                          const std::filesystem::path& directory, Clients clients) {
    constexpr std::chrono::hours kHeadlessIdle{1};
    session::SessionsOptions options;
    options.pool = browser_options(config);
    options.pool.sizing = pool_sizing(config, clients);
    options.pool.admission = admission_options(config);
    options.pool.machine_clipboard = !config.browser.headless && clients == Clients::Many;
    if (config.pool.spare_processor) options.pool.cpu_arbiter.spare_processors = spare_processors();
    options.session = session_options(config, directory);
    options.sweep_interval = config.session.sweep_interval;
    options.hibernate_after = config.session.idle_timeout;
    options.grace = config.session.grace;
    auto& capabilities = config.capabilities;
    options.resumable = session_param(config).tools == tools::SessionParam::Always ||
                        std::ranges::find(capabilities, "sessions") != capabilities.end();
    if (config.timeouts.idle)
        options.browser_idle = *config.timeouts.idle;
    else if (config.browser.headless)
        options.browser_idle = kHeadlessIdle;
    return options;
}

playwright::HelperOptions helper_options(const config::Config& config, const std::filesystem::path& directory,
                                         const std::filesystem::path& workspace) {
    return {.directory = workspace,
            .module = config.playwright_module,
            .server_directory = directory,
            .artifacts = cache_directory() / "playwright",
            .test_id_attribute = config.test_id_attribute};
}

// Agents that share a browser avoid every tab that is in use. A single agent works as @playwright/mcp does.
static engine::FirstTab first_tab(const config::Config& config, browsers::Isolation isolation) {
    if (isolation == browsers::Isolation::Shared) return engine::FirstTab::None;
    bool among_agents = has_tab_ids(config) || !config.session.agent_id.empty();
    return among_agents ? engine::FirstTab::Unattached : engine::FirstTab::Any;
}

browsers::PoolOptions browser_options(const config::Config& config) {
    const config::BrowserConfig& browser = config.browser;
    browsers::PoolOptions options;
    options.launch.browser = browser_name(browser);
    options.launch.executable = browser.executable_path;
    options.launch.headless = browser.headless;
    options.launch.sandbox = browser.sandbox;
    options.launch.arguments = browser.args;
    options.launch.unwanted_arguments = unwanted_arguments(browser.ignore_default_args);
    for (const auto& [name, value] : browser.env) options.launch.environment.emplace_back(name, value);
    options.launch.proxy_server = browser.proxy.server;
    options.launch.proxy_bypass = browser.proxy.bypass;
    if (browser.launch_timeout.count() > 0) options.launch.timeout = browser.launch_timeout;
    options.context = [config] { return context_options(config); };
    options.isolation = browser.isolated ? browsers::Isolation::Context : browsers::Isolation::Profile;
    if (config.session.isolation) options.isolation = isolation_of(*config.session.isolation);
    options.shared_context = browser.shared_context;
    options.own_tabs = browser.shared_context && has_own_tabs(config);
    options.user_data_dir = browser.user_data_dir;
    options.profiles = environment("PWMCP_PROFILES_DIR_FOR_TEST");
    options.connect.endpoint = browser.cdp_endpoint;
    options.connect.headers.assign(browser.cdp_headers.begin(), browser.cdp_headers.end());
    options.connect.timeout = browser.cdp_timeout;
    options.connect.first_tab = first_tab(config, options.isolation);
    options.unsupported = why_unsupported(browser);
    return options;
}
