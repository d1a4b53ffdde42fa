#include "config/build.h"

namespace config {

namespace {

using Text = std::string;
using Texts = std::vector<std::string>;
using Path = std::filesystem::path;
using Paths = std::vector<std::filesystem::path>;

Path absolute(const Path& path, const Path& directory) {
    return path.empty() ? path : (directory / path).lexically_normal();
}

OAuthConfig build_oauth(const Values& values) {
    Text resource = values.get<Text>("server.oauth.resource");
    while (resource.ends_with('/')) resource.pop_back();
    return {
        .issuer = values.get<Text>("server.oauth.issuer"),
        .resource = std::move(resource),
        .audience = values.get<Texts>("server.oauth.audience"),
        .principal_claim = values.get<Text>("server.oauth.principalClaim"),
        .scopes = values.get<Texts>("server.oauth.scopes"),
    };
}

ServerConfig build_server(const Values& values, const Path& directory) {
    return {
        .name = values.get<Text>("server.name"),
        .version = values.get<Text>("server.version"),
        .host = values.get<Text>("server.host"),
        .port = values.get<std::optional<std::uint16_t>>("server.port"),
        .socket = absolute(values.get<Path>("server.socket"), directory),
        .daemon = values.get<bool>("server.daemon"),
        .daemon_idle = values.get<milliseconds>("server.daemonIdle"),
        .allowed_hosts = values.get<Texts>("server.allowedHosts"),
        .allowed_http_origins = values.get<Texts>("server.allowedHttpOrigins"),
        .auth_token = values.get<Text>("server.authToken"),
        .auth_tokens = values.get<Strings>("server.authTokens"),
        .oauth = build_oauth(values),
        .insecure = values.get<bool>("server.insecure"),
        .trust_roots = values.get<bool>("server.trustRoots"),
        .max_connections = values.get<std::size_t>("server.maxConnections"),
        .max_message_bytes = values.get<std::size_t>("server.maxMessageBytes"),
        .max_header_bytes = values.get<std::size_t>("server.maxHeaderBytes"),
        .header_timeout = values.get<milliseconds>("server.headerTimeout"),
        .idle_timeout = values.get<milliseconds>("server.idleTimeout"),
        .session_timeout = values.get<milliseconds>("server.sessionTimeout"),
        .call_timeout = values.get<milliseconds>("server.callTimeout"),
        .ping_timeout = values.get<milliseconds>("server.pingTimeout"),
    };
}

ProxyConfig build_proxy(const json::value& given) {
    ProxyConfig proxy;
    const json::object* members = given.if_object();
    if (members == nullptr) return proxy;
    auto text = [&](std::string_view name) { return Text(json::find_string(*members, name).value_or("")); };
    return {.server = text("server"),
            .bypass = text("bypass"),
            .username = text("username"),
            .password = text("password")};
}

ContextConfig build_context(const Values& values) {
    return {
        .viewport = values.get<std::optional<Size>>("browser.contextOptions.viewport"),
        .screen = values.get<std::optional<Size>>("browser.contextOptions.screen"),
        .user_agent = values.get<Text>("browser.contextOptions.userAgent"),
        .locale = values.get<Text>("browser.contextOptions.locale"),
        .timezone_id = values.get<Text>("browser.contextOptions.timezoneId"),
        .base_url = values.get<Text>("browser.contextOptions.baseURL"),
        .color_scheme = values.get<Text>("browser.contextOptions.colorScheme"),
        .contrast = values.get<Text>("browser.contextOptions.contrast"),
        .forced_colors = values.get<Text>("browser.contextOptions.forcedColors"),
        .reduced_motion = values.get<Text>("browser.contextOptions.reducedMotion"),
        .permissions = values.get<Texts>("browser.contextOptions.permissions"),
        .extra_http_headers = values.get<Strings>("browser.contextOptions.extraHTTPHeaders"),
        .device_scale_factor = values.get<std::optional<double>>("browser.contextOptions.deviceScaleFactor"),
        .is_mobile = values.get<std::optional<bool>>("browser.contextOptions.isMobile"),
        .has_touch = values.get<std::optional<bool>>("browser.contextOptions.hasTouch"),
        .ignore_https_errors = values.get<bool>("browser.contextOptions.ignoreHTTPSErrors"),
        .bypass_csp = values.get<bool>("browser.contextOptions.bypassCSP"),
        .java_script_enabled =
            values.get<std::optional<bool>>("browser.contextOptions.javaScriptEnabled").value_or(true),
        .offline = values.get<bool>("browser.contextOptions.offline"),
        .accept_downloads =
            values.get<std::optional<bool>>("browser.contextOptions.acceptDownloads").value_or(true),
        .proxy = build_proxy(values.get<json::value>("browser.contextOptions.proxy")),
        .service_workers = values.choice<ServiceWorkers>("browser.contextOptions.serviceWorkers"),
        .storage_state = values.get<json::value>("browser.contextOptions.storageState"),
        .geolocation = values.get<json::value>("browser.contextOptions.geolocation"),
        .http_credentials = values.get<json::value>("browser.contextOptions.httpCredentials"),
        // Valid, because check() has accepted it.
        .record_video =
            read_record_video(values.get<json::value>("browser.contextOptions.recordVideo")).value(),
        .record_har = read_record_har(values.get<json::value>("browser.contextOptions.recordHar")).value(),
    };
}

// The meaning of --mobile for each browser.
Text device(const Values& values) {
    if (!values.get<bool>("browser.mobile")) return values.get<Text>("browser.device");
    return values.get<Text>("browser.browserName") == "webkit" ? "iPhone 17" : "Pixel 10";
}

BrowserConfig build_browser(const Values& values, const Path& directory) {
    return {
        .engine = values.choice<Engine>("browser.engine"),
        .browser_name = values.choice<BrowserName>("browser.browserName"),
        .channel = values.get<Text>("browser.launchOptions.channel"),
        .executable_path = values.get<Path>("browser.launchOptions.executablePath"),
        .headless = values.get<bool>("browser.launchOptions.headless"),
        .sandbox = values.get<std::optional<bool>>("browser.launchOptions.chromiumSandbox"),
        .args = values.get<Texts>("browser.launchOptions.args"),
        .ignore_default_args = values.get<json::value>("browser.launchOptions.ignoreDefaultArgs"),
        .env = values.get<Strings>("browser.launchOptions.env"),
        .proxy =
            {
                .server = values.get<Text>("browser.launchOptions.proxy.server"),
                .bypass = values.get<Text>("browser.launchOptions.proxy.bypass"),
                .username = values.get<Text>("browser.launchOptions.proxy.username"),
                .password = values.get<Text>("browser.launchOptions.proxy.password"),
            },
        .downloads_path = absolute(values.get<Path>("browser.launchOptions.downloadsPath"), directory),
        .launch_timeout = values.get<milliseconds>("browser.launchOptions.timeout"),
        .isolated = values.get<bool>("browser.isolated"),
        .user_data_dir = absolute(values.get<Path>("browser.userDataDir"), directory),
        .cdp_endpoint = values.get<Text>("browser.cdpEndpoint"),
        .cdp_headers = values.get<Strings>("browser.cdpHeaders"),
        .cdp_timeout = values.get<milliseconds>("browser.cdpTimeout"),
        .remote_endpoint = values.get<json::value>("browser.remoteEndpoint"),
        .extension = values.get<bool>("extension"),
        .shared_context = values.get<bool>("sharedBrowserContext"),
        .device = device(values),
        .init_script = values.get<Paths>("browser.initScript"),
        .init_page = values.get<Paths>("browser.initPage"),
        .context = build_context(values),
    };
}

PoolConfig build_pool(const Values& values) {
    return {
        .min_browsers = values.get<std::size_t>("pool.minBrowsers"),
        .max_browsers = values.get<std::size_t>("pool.maxBrowsers"),
        .idle_timeout = values.get<std::optional<milliseconds>>("pool.idleTimeout"),
        .warm_contexts = values.get<std::optional<std::size_t>>("pool.warmContexts"),
        .max_memory = values.get<std::optional<std::size_t>>("pool.maxMemory"),
        .queue_timeout = values.get<milliseconds>("pool.queueTimeout"),
        .spare_processor = values.get<bool>("pool.spareProcessor"),
    };
}

std::optional<Isolation> isolation_of(const Values& values) {
    if (!values.has("session.isolation")) return std::nullopt;
    return values.choice<Isolation>("session.isolation");
}

}  // namespace

Config build(const Values& values, const Path& directory) {
    return {
        .server = build_server(values, directory),
        .session = {.param = values.get<std::optional<bool>>("session.param"),
                    .require_id = values.get<bool>("session.requireId"),
                    .isolation = isolation_of(values),
                    .tab_ids = values.get<bool>("session.tabIds"),
                    .require_tab_id = values.get<bool>("session.requireTabId"),
                    .auto_assign_tab = values.get<bool>("session.autoAssignTab"),
                    .agent_id = values.get<std::string>("session.agentId"),
                    .max_sessions = values.get<std::size_t>("session.maxSessions"),
                    .max_tabs = values.get<std::size_t>("session.maxTabs"),
                    .max_workers = values.get<std::size_t>("session.maxWorkers"),
                    .max_download_bytes = values.get<std::uint64_t>("session.maxDownloadBytes"),
                    .max_console_bytes = values.get<std::uint64_t>("session.maxConsoleBytes"),
                    .max_result_bytes = values.get<std::size_t>("session.maxResultBytes"),
                    .max_heap = values.get<std::optional<std::size_t>>("session.maxHeap"),
                    .max_script_time = values.get<milliseconds>("session.maxScriptTime"),
                    .sweep_interval = values.get<milliseconds>("session.sweepInterval"),
                    .idle_timeout = values.get<milliseconds>("session.idleTimeout"),
                    .grace = values.get<milliseconds>("session.grace")},
        .store = {.enabled = values.get<bool>("store.enabled"),
                  .path = absolute(values.get<Path>("store.path"), directory),
                  .durability = values.choice<Durability>("store.durability"),
                  .max_age = values.get<milliseconds>("store.maxAge"),
                  .max_bytes = values.get<std::uint64_t>("store.maxBytes"),
                  .key_file = absolute(values.get<Path>("store.keyFile"), directory)},
        .answers = {.mode = values.choice<ResponseMode>("session.response"),
                    .max_chars = values.get<std::optional<std::size_t>>("session.maxOutputChars"),
                    .budget = values.get<std::optional<std::size_t>>("session.outputBudget")},
        .pool = build_pool(values),
        .logging = {.level = values.choice<LogLevel>("logging.level"),
                    .format = values.choice<LogFormat>("logging.format"),
                    .file = absolute(values.get<Path>("logging.file"), directory)},
        .browser = build_browser(values, directory),
        .upstream = {.offered = values.choice<Engine>("browser.engine") == Engine::Upstream ||
                                values.given("upstream.command"),
                     .command = values.get<json::value>("upstream.command"),
                     .env = values.get<Strings>("upstream.env"),
                     .cwd = absolute(values.get<Path>("upstream.cwd"), directory),
                     .transport = values.choice<UpstreamTransport>("upstream.transport"),
                     .start_timeout = values.get<milliseconds>("upstream.startTimeout"),
                     .ping_interval = values.get<milliseconds>("upstream.pingInterval"),
                     .isolate = values.choice<UpstreamIsolate>("upstream.isolate"),
                     .warm = values.get<bool>("upstream.warm")},
        .timeouts = {.action = values.get<milliseconds>("timeouts.action"),
                     .navigation = values.get<milliseconds>("timeouts.navigation"),
                     .expect = values.get<milliseconds>("timeouts.expect"),
                     .settle = values.get<milliseconds>("timeouts.settle"),
                     .idle = values.get<std::optional<milliseconds>>("timeouts.idle")},
        .security = {.allowed_domains = values.get<Texts>("security.allowedDomains"),
                     .blocked_domains = values.get<Texts>("security.blockedDomains"),
                     .deny_private_networks = values.get<bool>("security.denyPrivateNetworks"),
                     .enable_script_evaluation = values.get<bool>("security.enableScriptEvaluation"),
                     .enable_file_upload = values.get<bool>("security.enableFileUpload"),
                     .max_screenshot_size =
                         values.get<std::optional<std::size_t>>("security.maxScreenshotSize"),
                     .allowed_tools = values.get<Texts>("security.allowedTools"),
                     .blocked_tools = values.get<Texts>("security.blockedTools"),
                     .rules = read_rules(values.get<json::value>("security.rules")).value_or({}),
                     .confirm = values.get<Texts>("security.confirm"),
                     .confirm_timeout = values.get<milliseconds>("security.confirmTimeout"),
                     .secret_origins =
                         read_secret_origins(values.get<json::value>("security.secretOrigins")).value_or({}),
                     .secrets_command = values.get<json::value>("security.secretsCommand"),
                     .mark_untrusted = values.get<bool>("security.markUntrusted"),
                     .audit_log = absolute(values.get<Path>("security.auditLog"), directory),
                     .writable_dot_names = values.get<Texts>("security.writableDotNames")},
        .capabilities = values.get<Texts>("capabilities"),
        .allowed_origins = values.get<Texts>("network.allowedOrigins"),
        .blocked_origins = values.get<Texts>("network.blockedOrigins"),
        .secrets = values.get<Strings>("secrets"),
        .snapshot_mode = values.choice<SnapshotMode>("snapshot.mode"),
        .snapshot_delivery = values.choice<SnapshotDelivery>("snapshot.delivery"),
        .snapshot_boxes = values.get<bool>("snapshot.boxes"),
        .codegen = values.choice<Codegen>("codegen"),
        .image_responses = values.choice<ImageResponses>("imageResponses"),
        .file_paths = values.choice<FilePaths>("filePaths"),
        .console_level = values.choice<ConsoleLevel>("console.level"),
        .test_id_attribute = values.get<Text>("testIdAttribute"),
        .playwright_module = absolute(values.get<Path>("playwright.module"), directory),
        .prompts_dir = absolute(values.get<Path>("prompts.dir"), directory),
        .output_dir = absolute(values.get<Path>("outputDir"), directory),
        .output_max_size = values.get<std::optional<std::uint64_t>>("outputMaxSize"),
        .save_session = values.get<bool>("saveSession"),
        .save_video = values.get<std::optional<Size>>("saveVideo"),
        .webmcp = values.get<bool>("webmcp"),
        .redact_url_params = values.get<Texts>("redactUrlParams"),
        .ignore_roots = values.get<bool>("ignoreRoots"),
        .allow_unrestricted_file_access = values.get<bool>("allowUnrestrictedFileAccess"),
    };
}

}  // namespace config
