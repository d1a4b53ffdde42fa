#include <algorithm>

#include "config/dotenv.h"
#include "doctor/process.h"
#include "settings.h"
#include "tools/same_work.h"
#include "tools/tool_names.h"
#include "upstream/command.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

constexpr std::chrono::seconds kSecretsTimeout{30};

policy::Subject subject_of(const engine::SessionIdentity& identity) {
    return {.session = identity.session, .principal = identity.principal};
}

constexpr std::string_view kNoPeers = "the rule that WebRTC goes through the proxy or nowhere";

// Creates the network access of a new context. A null proxy adds no proxy port.
Result<std::shared_ptr<engine::NetworkAccess>> make_network_access(policy::Guard& guard,
                                                                   policy::EgressProxy* egress_proxy,
                                                                   const OnDenied& on_denied) {
    auto network_access = std::make_shared<engine::NetworkAccess>();
    if (guard.policies().judges_addresses()) {
        network_access->may_request = [&guard](const std::string& url,
                                               const engine::SessionIdentity* identity) {
            if (!identity) return guard.may_request(url, nullptr);
            policy::Subject who = subject_of(*identity);
            return guard.may_request(url, &who);
        };
    }
    if (!egress_proxy) return network_access;
    network_access->peers_sought = [on_denied](const std::string& servers,
                                               const engine::SessionIdentity* identity) {
        on_denied({"WebRTC " + servers, std::string(kNoPeers),
                   subject_of(identity ? *identity : engine::SessionIdentity{})});
    };
    auto proxy_port = TRY(
        egress_proxy->open_port([weak = std::weak_ptr(network_access)]() -> std::optional<policy::Subject> {
            auto known = weak.lock();
            if (!known || !known->identity) return std::nullopt;
            return subject_of(*known->identity);
        }));
    network_access->proxy_server = "http://127.0.0.1:" + std::to_string(proxy_port->port());
    network_access->proxy_port = std::move(proxy_port);
    return network_access;
}

Result<json::object> run_secrets_command(const json::value& setting) {
    auto words = upstream::parse_command(setting);
    if (!words) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "security.secretsCommand is no command.",
                     .hint = "Write it as a shell would take it, or as a list of words."};
    }
    std::filesystem::path program = words->front();
    if (!program.has_parent_path()) program = find_program(words->front());
    auto printed =
        doctor::run({.program = program, .arguments = {words->begin() + 1, words->end()}}, kSecretsTimeout);
    if (printed) return config::parse_dotenv(*printed);
    // The output may contain secrets, so the error omits it.
    return Error{.code = printed.error().code,
                 .message = "security.secretsCommand failed: " + printed.error().message,
                 .hint = "Try it by hand: it is to print NAME=value lines."};
}

std::vector<policy::CallRule> call_rules(const config::SecurityConfig& security) {
    std::vector<policy::CallRule> rules;
    for (const config::CallRuleConfig& rule : security.rules)
        rules.push_back({.principal = rule.principal,
                         .session = rule.session,
                         .scopes = rule.scopes,
                         .tools = rule.tools,
                         .capabilities = rule.capabilities,
                         .denied = rule.deny,
                         .allowed_domains = rule.allowed_domains,
                         .blocked_domains = rule.blocked_domains,
                         .calls_per_minute = rule.rate});
    return rules;
}

// Returns the rule that forbids a tool to all callers.
// Empty when nothing is forbidden.
tools::RefuseTool tool_rules(const config::SecurityConfig& given) {
    if (given.enable_script_evaluation && given.enable_file_upload && given.blocked_tools.empty() &&
        given.allowed_tools.empty())
        return {};
    return [security = given](const std::string& name) -> std::optional<std::string> {
        auto fits = [&](const std::string& pattern) { return matches_glob(name, pattern); };
        // The gate applies these to the other tools that do the same.
        if (!security.enable_script_evaluation && name == tools::kEvaluate)
            return "security.enableScriptEvaluation";
        if (!security.enable_file_upload && name == tools::kFileUpload) return "security.enableFileUpload";
        if (std::ranges::any_of(security.blocked_tools, fits)) return "security.blockedTools";
        if (!security.allowed_tools.empty() && std::ranges::none_of(security.allowed_tools, fits))
            return std::string(tools::kAllowedToolsRule);
        return std::nullopt;
    };
}

}  // namespace

policy::Policies policies(const config::Config& config) {
    policy::Rules everybody{.allowed_origins = config.allowed_origins,
                            .blocked_origins = config.blocked_origins,
                            .allowed_domains = config.security.allowed_domains,
                            .blocked_domains = config.security.blocked_domains,
                            .deny_private_networks = config.security.deny_private_networks};
    return policy::Policies(std::move(everybody), call_rules(config.security));
}

Result<void> enforce(policy::Guard& guard, policy::EgressProxy& egress_proxy, const OnDenied& on_denied,
                     const Permit& permit_to, session::SessionsOptions& options) {
    // The rules always apply to the session's current identity, which can change.
    options.prepare = [&guard, &egress_proxy, on_denied, permit_to](
                          const std::shared_ptr<const engine::SessionIdentity>& identity,
                          session::SessionOptions& session) {
        if (!session.init_page.empty() && !permit_to(*identity, tools::kInitPage)) session.init_page.clear();
        session.may_visit = [&guard, identity](const std::string& url) {
            return guard.may_visit(url, subject_of(*identity));
        };
        session.denied = [on_denied, identity](const std::string& what, const std::string& rule) {
            on_denied({what, rule, subject_of(*identity)});
        };
        session.why_denied = [&guard, identity](const std::string& url) {
            auto denial = guard.why(url, subject_of(*identity));
            return denial ? std::optional(denial->rule) : std::nullopt;
        };
        session.why_unreachable = [&egress_proxy](const std::string& url) {
            return egress_proxy.failure(url);
        };
    };
    if (!guard.policies().judges_connections()) return ok();
    // With a configured proxy or browser, rules about origins apply only to requests, as upstream's do.
    engine::LaunchOptions& launch = options.pool.launch;
    bool elsewhere = !launch.proxy_server.empty() || !options.pool.connect.endpoint.empty();
    options.pool.context = [&guard, egress_proxy = elsewhere ? nullptr : &egress_proxy, on_denied,
                            context = std::move(options.pool.context)]() -> Result<engine::ContextOptions> {
        engine::ContextOptions settings = TRY(context());
        settings.network_access = TRY(make_network_access(guard, egress_proxy, on_denied));
        return settings;
    };
    if (elsewhere) return ok();
    int port = TRY(egress_proxy.listen());
    // Comes last, so that it overrides configured arguments. Traffic that cannot use a proxy is blocked.
    launch.arguments.emplace_back("--proxy-server=http://127.0.0.1:" + std::to_string(port));
    launch.arguments.emplace_back("--proxy-bypass-list=<-loopback>");
    // The first is the flag of the whole browser, the second that of headless-shell.
    launch.arguments.emplace_back("--webrtc-ip-handling-policy=disable_non_proxied_udp");
    launch.arguments.emplace_back("--force-webrtc-ip-handling-policy=disable_non_proxied_udp");
    launch.arguments.emplace_back("--disable-quic");
    // The proxy resolves names. Any other lookup by the browser, such as for a page's TURN servers or names
    // of peers, would send data of the page to the name server.
    launch.arguments.emplace_back("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1");
    return ok();
}

Result<void> check_tool_names(const config::SecurityConfig& security, const std::vector<std::string>& known) {
    TRY(tools::check_tool_names("security.allowedTools", security.allowed_tools, known));
    TRY(tools::check_tool_names("security.blockedTools", security.blocked_tools, known));
    TRY(tools::check_tool_names("security.confirm", security.confirm, known));
    for (std::size_t i = 0; i < security.rules.size(); ++i) {
        std::string rule = policy::rule_name(i);
        TRY(tools::check_tool_names(rule + ".tools", security.rules[i].tools, known));
        TRY(tools::check_tool_names(rule + ".deny", security.rules[i].deny, known));
    }
    return ok();
}

tools::CallGateOptions call_gate_options(const config::Config& config) {
    tools::CallGateOptions options{.refuse = tool_rules(config.security),
                                   .confirm = config.security.confirm,
                                   .confirm_timeout = config.security.confirm_timeout,
                                   .secrets = session::Secrets(config.secrets)};
    options.rules = call_rules(config.security);
    options.several_principals = has_several_principals(config.server);
    return options;
}

Result<void> add_secrets(config::Config& config) {
    const config::SecurityConfig& security = config.security;
    if (!security.secrets_command.is_null()) {
        json::object printed = TRY(run_secrets_command(security.secrets_command));
        for (const auto& [name, value] : printed)
            config.secrets.insert_or_assign(std::string(name), std::string(value.get_string()));
    }
    for (const auto& [name, origins] : security.secret_origins) {
        if (config.secrets.contains(name)) continue;
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "security.secretOrigins binds " + name + ", and there is no such secret.",
                     .hint = "Correct the name, or leave it out."};
    }
    return ok();
}
