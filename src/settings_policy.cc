#include <algorithm>
#include <array>

#include "settings.h"
#include "util/strings.h"

policy::Rules policy_rules(const config::Config& config) {
    return {.allowed_origins = config.allowed_origins,
            .blocked_origins = config.blocked_origins,
            .allowed_domains = config.security.allowed_domains,
            .blocked_domains = config.security.blocked_domains,
            .deny_private_networks = config.security.deny_private_networks};
}

Result<void> enforce(policy::Guard& guard, policy::NetworkGate& gate, session::SessionsOptions& options) {
    options.session.may_visit = [&guard](const std::string& url) { return guard.may_visit(url); };
    options.session.why_denied = [&guard](const std::string& url) {
        auto denial = guard.why(url);
        return denial ? std::optional(denial->rule) : std::nullopt;
    };
    if (guard.policy().judges_addresses()) {
        options.pool.context =
            [&guard, context = std::move(options.pool.context)]() -> Result<engine::ContextOptions> {
            engine::ContextOptions settings = TRY(context());
            settings.may_request = [&guard](const std::string& url) { return guard.may_request(url); };
            return settings;
        };
    }
    // Somebody's own proxy or browser: there the rules about origins hold for requests alone, as upstream's
    // do.
    engine::LaunchOptions& launch = options.pool.launch;
    bool elsewhere = !launch.proxy_server.empty() || !options.pool.connect.endpoint.empty();
    if (!guard.policy().judges_connections() || elsewhere) return ok();
    int port = TRY(gate.listen());
    // After all that somebody else may have asked for. What takes no proxy does not go at all.
    launch.arguments.emplace_back("--proxy-server=http://127.0.0.1:" + std::to_string(port));
    launch.arguments.emplace_back("--proxy-bypass-list=<-loopback>");
    launch.arguments.emplace_back("--force-webrtc-ip-handling-policy=disable_non_proxied_udp");
    launch.arguments.emplace_back("--disable-quic");
    return ok();
}

void limit_screenshots(const config::SecurityConfig& security, policy::Guard& guard,
                       session::SessionOptions& options) {
    if (!security.max_screenshot_size) return;
    options.may_take_screenshot =
        [&guard, limit = *security.max_screenshot_size](std::uint64_t bytes) -> Result<void> {
        if (bytes <= limit) return ok();
        std::string size = std::to_string(bytes);
        guard.denied({"a screenshot of " + size + " bytes", "security.maxScreenshotSize"});
        return Error{.code = ErrorCode::PolicyDenied,
                     .message = "The screenshot has " + size + " bytes; security.maxScreenshotSize allows " +
                                std::to_string(limit) + ".",
                     .hint =
                         "Take a single element, only what is in view, or a smaller window; jpeg takes less "
                         "than png."};
    };
}

tools::RefuseTool tool_rules(const config::Config& config) {
    return [security = config.security](const std::string& name) -> std::optional<std::string> {
        static constexpr std::array<std::string_view, 3> kScripts = {"browser_evaluate",
                                                                     "browser_run_code_unsafe", "evaluate"};
        static constexpr std::array<std::string_view, 3> kUploads = {"browser_file_upload", "browser_drop",
                                                                     "upload_file"};
        auto is_one_of = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
        auto fits = [&](const std::string& pattern) { return matches_glob(name, pattern); };
        if (!security.enable_script_evaluation && is_one_of(kScripts))
            return "security.enableScriptEvaluation";
        if (!security.enable_file_upload && is_one_of(kUploads)) return "security.enableFileUpload";
        if (std::ranges::any_of(security.blocked_tools, fits)) return "security.blockedTools";
        if (!security.allowed_tools.empty() && std::ranges::none_of(security.allowed_tools, fits))
            return "security.allowedTools";
        return std::nullopt;
    };
}
