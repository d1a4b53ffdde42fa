#include <algorithm>
#include <array>

#include "config/dotenv.h"
#include "doctor/process.h"
#include "settings.h"
#include "upstream/command.h"
#include "util/files.h"
#include "util/strings.h"

namespace {

constexpr std::chrono::seconds kSecretsTimeout{30};

policy::Subject subject_of(const engine::Holder& holder) {
    return {.session = holder.session, .principal = holder.principal};
}

constexpr std::string_view kNoPeers = "the rule that WebRTC goes through the proxy or nowhere";

// What a new context is given to go to the network by. A null gate leads nowhere of its own.
Result<std::shared_ptr<engine::Way>> make_way(policy::Guard& guard, policy::NetworkGate* gate,
                                              const Told& denied) {
    auto way = std::make_shared<engine::Way>();
    if (guard.policies().judges_addresses()) {
        way->may_request = [&guard](const std::string& url, const engine::Holder* holder) {
            if (!holder) return guard.may_request(url, nullptr);
            policy::Subject who = subject_of(*holder);
            return guard.may_request(url, &who);
        };
    }
    if (!gate) return way;
    way->peers_sought = [denied](const std::string& servers, const engine::Holder* holder) {
        denied({"WebRTC " + servers, std::string(kNoPeers), subject_of(holder ? *holder : engine::Holder{})});
    };
    auto door = TRY(gate->open_door([weak = std::weak_ptr(way)]() -> std::optional<policy::Subject> {
        auto known = weak.lock();
        if (!known || !known->holder) return std::nullopt;
        return subject_of(*known->holder);
    }));
    way->proxy_server = "http://127.0.0.1:" + std::to_string(door->port());
    way->door = std::move(door);
    return way;
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
    // What it printed is nobody's to read.
    return Error{.code = printed.error().code,
                 .message = "security.secretsCommand failed: " + printed.error().message,
                 .hint = "Try it by hand: it is to print NAME=value lines."};
}

std::vector<policy::CallRule> call_rules(const config::SecurityConfig& security) {
    std::vector<policy::CallRule> rules;
    for (const config::CallRuleConfig& rule : security.rules)
        rules.push_back({.principal = rule.principal,
                         .session = rule.session,
                         .tools = rule.tools,
                         .capabilities = rule.capabilities,
                         .denied = rule.deny,
                         .allowed_domains = rule.allowed_domains,
                         .blocked_domains = rule.blocked_domains,
                         .calls_per_minute = rule.rate});
    return rules;
}

// Which tools are forbidden to everybody, and by which rule.
tools::RefuseTool tool_rules(const config::SecurityConfig& given) {
    return [security = given](const std::string& name) -> std::optional<std::string> {
        // An answer that is made up may have scripts in it, of whatever origin.
        static constexpr std::array<std::string_view, 5> kScripts = {
            "browser_evaluate", "browser_run_code_unsafe", "evaluate", "browser_route", "mock_response"};
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

}  // namespace

policy::Policies policies(const config::Config& config) {
    policy::Rules everybody{.allowed_origins = config.allowed_origins,
                            .blocked_origins = config.blocked_origins,
                            .allowed_domains = config.security.allowed_domains,
                            .blocked_domains = config.security.blocked_domains,
                            .deny_private_networks = config.security.deny_private_networks};
    return policy::Policies(std::move(everybody), call_rules(config.security));
}

Result<void> enforce(policy::Guard& guard, policy::NetworkGate& gate, const Told& denied,
                     const Permit& permit_to, session::SessionsOptions& options) {
    // A session that changes hands is judged by whose it is then.
    options.prepare = [&guard, denied, permit_to](const std::shared_ptr<const engine::Holder>& holder,
                                                  session::SessionOptions& session) {
        if (!session.init_page.empty() && !permit_to(*holder, tools::kInitPage)) session.init_page.clear();
        session.may_visit = [&guard, holder, permit_to](const std::string& url) -> Result<void> {
            if (policy::is_script(url)) TRY(permit_to(*holder, "browser_evaluate"));
            return guard.may_visit(url, subject_of(*holder));
        };
        session.denied = [denied, holder](const std::string& what, const std::string& rule) {
            denied({what, rule, subject_of(*holder)});
        };
        session.why_denied = [&guard, holder](const std::string& url) {
            auto denial = guard.why(url, subject_of(*holder));
            return denial ? std::optional(denial->rule) : std::nullopt;
        };
    };
    if (!guard.policies().judges_connections()) return ok();
    // Somebody's own proxy or browser: there the rules about origins hold for requests alone, as upstream's
    // do.
    engine::LaunchOptions& launch = options.pool.launch;
    bool elsewhere = !launch.proxy_server.empty() || !options.pool.connect.endpoint.empty();
    options.pool.context = [&guard, gate = elsewhere ? nullptr : &gate, denied,
                            context = std::move(options.pool.context)]() -> Result<engine::ContextOptions> {
        engine::ContextOptions settings = TRY(context());
        settings.way = TRY(make_way(guard, gate, denied));
        return settings;
    };
    if (elsewhere) return ok();
    int port = TRY(gate.listen());
    // After all that somebody else may have asked for. What takes no proxy does not go at all.
    launch.arguments.emplace_back("--proxy-server=http://127.0.0.1:" + std::to_string(port));
    launch.arguments.emplace_back("--proxy-bypass-list=<-loopback>");
    launch.arguments.emplace_back("--force-webrtc-ip-handling-policy=disable_non_proxied_udp");
    launch.arguments.emplace_back("--disable-quic");
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
