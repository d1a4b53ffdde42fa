#include "config/checks.h"

#include <algorithm>
#include <optional>

#include "config/checks_oauth.h"
#include "config/config.h"
#include "config/rules.h"
#include "util/loopback.h"
#include "util/strings.h"

namespace config {

namespace {

// An option as the user gave it: "--isolated", "session.persistentSessions in troupe.json".
std::string said(const Values& values, Key key) {
    const Origin& origin = values.at(key).origin;
    if (origin.layer == Layer::File)
        return (origin.key.empty() ? std::string(key.option().key) : origin.key) + " in " + origin.name;
    return origin.name.empty() ? "--" + std::string(key.option().flag) : origin.name;
}

Error contradiction(std::string message, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message), .hint = std::move(hint)};
}

// A proxy given in one place must not get the credentials of another one, nor give way to one from a layer of
// lower precedence: --proxy-server wins over a file's contextOptions.proxy.
void resolve_proxy(Values& values) {
    constexpr Key kContext("browser.contextOptions.proxy");
    Layer server = values.at("browser.launchOptions.proxy.server").origin.layer;
    if (values.has(kContext) && values.at(kContext).origin.layer < server) values.unset(kContext);
    for (Key key : {Key("browser.launchOptions.proxy.bypass"), Key("browser.launchOptions.proxy.username"),
                    Key("browser.launchOptions.proxy.password")}) {
        if (values.has(key) && values.at(key).origin.layer < server) values.unset(key);
    }
}

void resolve_channel(Values& values) {
    constexpr Key kChannel("browser.launchOptions.channel");
    bool chromium = values.get<std::string>("browser.browserName") == "chromium";
    if (!chromium && !values.get<std::string>(kChannel).starts_with("moz-")) values.unset(kChannel);
}

// Implements --caps all.
void expand_all_capabilities(Values& values, Key capabilities) {
    constexpr std::string_view kAll = "all";
    std::vector<std::string> names = values.get<std::vector<std::string>>(capabilities);
    if (std::ranges::find(names, kAll) == names.end()) return;
    json::array every;
    for (const std::string& name : choices(capabilities.option())) {
        if (name != kAll) every.emplace_back(name);
    }
    for (const std::string& name : names) {
        if (std::ranges::find(every, json::value(name)) == every.end() && name != kAll)
            every.emplace_back(name);
    }
    Origin origin = values.at(capabilities).origin;
    values.unset(capabilities);
    values.apply({&capabilities.option(), std::move(every), std::move(origin)});
}

void resolve_capabilities(Values& values, std::vector<std::string>& warnings) {
    constexpr Key kCapabilities("capabilities");
    expand_all_capabilities(values, kCapabilities);
    std::vector<std::string> known = choices(kCapabilities.option());
    std::vector<std::string> names = values.get<std::vector<std::string>>(kCapabilities);
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) != known.end()) continue;
        std::string near = nearest_name(name, known);
        warnings.push_back("There is no capability " + name + " (" +
                           values.at(kCapabilities).origin.to_string() + ")." +
                           (near.empty() ? "" : " Did you mean " + near + "?"));
    }
    // "tracing" is the former name of a part of devtools.
    bool traces = std::ranges::find(names, "tracing") != names.end();
    if (traces && std::ranges::find(names, "devtools") == names.end()) {
        values.apply({&kCapabilities.option(), json::array{"devtools"}, values.at(kCapabilities).origin});
    }
    if (values.at(kCapabilities).origin.name == "--vision") {
        warnings.push_back("--vision is a former name: write --caps=vision.");
    }
}

// Features that only Playwright has select the upstream engine, unless an engine is given explicitly.
void resolve_engine(Values& values) {
    constexpr Key kEngine("browser.engine"), kName("browser.browserName"),
        kEndpoint("browser.remoteEndpoint"), kExtension("extension");
    if (values.given(kEngine)) return;
    std::optional<Key> reason;
    if (values.get<std::string>(kName) != "chromium") reason = kName;
    if (values.has(kEndpoint)) reason = kEndpoint;
    if (values.get<bool>(kExtension)) reason = kExtension;
    if (!reason) return;
    Origin origin = values.at(*reason).origin;
    if (origin.key.empty()) origin.key = reason->option().key;
    values.apply({&kEngine.option(), "upstream", std::move(origin)});
}

// The listening address decides the transport; an explicit transport wins over a setting of lower precedence.
void resolve_transport(Values& values) {
    constexpr Key kTransport("server.transport"), kPort("server.port");
    if (!values.has(kTransport) || values.get<std::string>(kTransport) != "stdio") return;
    if (values.at(kPort).origin.layer <= values.at(kTransport).origin.layer) values.unset(kPort);
}

void resolve_log(Values& values, std::vector<std::string>& warnings) {
    constexpr Key kDestination("logging.destination"), kFile("logging.file");
    std::string destination = values.get<std::string>(kDestination);
    if (destination == "stdout")
        warnings.push_back(
            "logging.destination stdout: the log goes to stderr, for stdout is the protocol's.");
    if (destination == "stderr" && values.at(kFile).origin.layer <= values.at(kDestination).origin.layer)
        values.unset(kFile);
}

// Warns of options that only the other engine reads.
void warn_of_unread(const Values& values, std::vector<std::string>& warnings) {
    bool proxies = values.get<std::string>("browser.engine") == "upstream";
    bool has_upstream = proxies || values.given("upstream.command");
    for (const Option& option : kOptions) {
        Key key = key_of(option);
        if (option.needs.empty() || !values.given(key)) continue;
        if (option.needs == "--engine native" ? !proxies : has_upstream) continue;
        warnings.push_back(std::string(option.key) + " (" + values.at(key).origin.to_string() +
                           ") has no effect without " + std::string(option.needs) + ".");
    }
}

// Pages of an attached browser use that browser's own network settings.
void warn_of_attached(const Values& values, std::vector<std::string>& warnings) {
    if (!values.has("browser.cdpEndpoint") || values.get<std::string>("browser.engine") == "upstream") return;
    std::vector<Key> ignored = {"browser.launchOptions.proxy.server", "browser.launchOptions.proxy.username",
                                "browser.launchOptions.executablePath", "browser.launchOptions.args"};
    if (!values.get<bool>("browser.isolated")) ignored.push_back(Key("browser.contextOptions.proxy"));
    for (Key key : ignored) {
        if (!values.given(key)) continue;
        warnings.push_back(std::string(key.option().key) + " (" + values.at(key).origin.to_string() +
                           ") has no effect on the browser at --cdp-endpoint.");
    }
}

// Clients of one daemon would otherwise compete for the profile.
void resolve_daemon(Values& values) {
    constexpr Key kIsolated("browser.isolated"), kShared("sharedBrowserContext");
    bool elsewhere = values.has("browser.cdpEndpoint") || values.has("browser.remoteEndpoint") ||
                     values.get<bool>("extension");
    if (!values.get<bool>("server.daemon") || elsewhere || values.given(kIsolated) || values.given(kShared))
        return;
    Origin origin{.layer = Layer::Default, .name = "server.daemon"};
    // A profile has only one context: each client has its tabs there.
    if (values.get<std::string>("browser.userDataDir").empty())
        values.apply({&kIsolated.option(), true, std::move(origin)});
    else if (!values.has("session.isolation"))
        values.apply({find_by_key("session.isolation"), "shared", std::move(origin)});
}

// Without a window, pages have no size to inherit. Tabs of an attached browser have their own.
void resolve_viewport(Values& values) {
    constexpr Key kViewport("browser.contextOptions.viewport");
    bool device = !values.get<std::string>("browser.device").empty() || values.get<bool>("browser.mobile");
    bool attached =
        !values.get<std::string>("browser.cdpEndpoint").empty() && !values.get<bool>("browser.isolated");
    if (values.has(kViewport) || device || attached || !values.get<bool>("browser.launchOptions.headless"))
        return;
    values.apply({&kViewport.option(), json::object{{"width", 1280}, {"height", 720}}, {}});
}

Result<void> check_proxy(std::string_view key, std::string_view server, bool has_credentials) {
    if (server.empty())
        return contradiction(std::string(key) + " names no server.",
                             R"(Such as {"server": "http://proxy:3128", "username": "me"}.)");
    if (has_credentials && server.starts_with("socks"))
        return contradiction(std::string(key) + ": browsers cannot log in to a SOCKS proxy.",
                             "Use an HTTP proxy, or one on this machine that logs in there.");
    return ok();
}

Result<void> check_proxies(const Values& values) {
    constexpr Key kServer("browser.launchOptions.proxy.server"),
        kUser("browser.launchOptions.proxy.username"), kPassword("browser.launchOptions.proxy.password");
    bool has_user = values.has(kUser) || values.has(kPassword);
    if (values.has(kServer) || has_user)
        TRY(check_proxy("browser.launchOptions.proxy", values.get<std::string>(kServer), has_user));
    json::value context = values.get<json::value>("browser.contextOptions.proxy");
    const json::object* proxy = context.if_object();
    if (!proxy) return ok();
    return check_proxy("browser.contextOptions.proxy", json::find_string(*proxy, "server").value_or(""),
                       proxy->contains("username") || proxy->contains("password"));
}

Result<void> check_base_url(const Values& values) {
    std::string base = values.get<std::string>("browser.contextOptions.baseURL");
    if (base.empty() || base.starts_with("http://") || base.starts_with("https://")) return ok();
    return contradiction("browser.contextOptions.baseURL " + base + " is no whole address.",
                         "Such as https://example.com/app/.");
}

Result<void> check_browser(const Values& values) {
    bool device = !values.get<std::string>("browser.device").empty();
    bool mobile = values.get<bool>("browser.mobile");
    if (device && mobile) {
        return contradiction("--mobile and --device both name a device to imitate.", "Keep one of them.");
    }
    if (mobile && values.get<std::string>("browser.browserName") == "firefox") {
        return contradiction("Firefox cannot imitate a phone.",
                             "Leave out --mobile, or use another --browser.");
    }
    if ((device || mobile) && !values.get<std::string>("browser.cdpEndpoint").empty()) {
        // Clients of @playwright/mcp look for this sentence.
        return contradiction("Device emulation is not supported with cdpEndpoint.",
                             "Leave out --device and --mobile, or --cdp-endpoint.");
    }
    TRY(read_record_video(values.get<json::value>("browser.contextOptions.recordVideo")));
    TRY(read_record_har(values.get<json::value>("browser.contextOptions.recordHar")));
    TRY(check_proxies(values));
    TRY(check_base_url(values));
    if (values.get<bool>("browser.isolated") && !values.get<std::string>("browser.userDataDir").empty()) {
        return contradiction(said(values, Key("browser.isolated")) + " forgets its profile, and " +
                                 said(values, Key("browser.userDataDir")) + " names one to keep.",
                             "Keep one of them.");
    }
    return ok();
}

// Names the engine with the option that chose it: "the engine upstream (--browser)".
std::string engine_upstream(const Values& values) {
    constexpr Key kEngine("browser.engine");
    return "the engine upstream" + (values.given(kEngine) ? " (" + said(values, kEngine) + ")" : "");
}

// Rejects rules that cannot be read or enforced: they are worse than none.
Result<void> check_security(const Values& values) {
    auto rules = TRY(read_rules(values.get<json::value>("security.rules")));
    if (!TRY(read_secret_origins(values.get<json::value>("security.secretOrigins"))).empty() &&
        values.get<std::string>("browser.engine") == "upstream")
        return contradiction(
            "security.secretOrigins cannot be enforced with " + engine_upstream(values) + ".",
            "Leave out one of them.");
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (rules[i].scopes.empty() || !values.get<std::string>("server.oauth.issuer").empty()) continue;
        return contradiction("security.rules[" + std::to_string(i) +
                                 "] names scopes, which only tokens of server.oauth.issuer have.",
                             "Set server.oauth.issuer, or leave out the scopes.");
    }
    std::optional<Key> rule;
    for (Key key : {Key("security.allowedDomains"), Key("security.blockedDomains")}) {
        auto domains = values.get<std::vector<std::string>>(key);
        TRY(check_domains(domains, std::string(key.option().key)));
        if (!domains.empty()) rule = key;
    }
    if (values.get<bool>("security.denyPrivateNetworks")) rule = Key("security.denyPrivateNetworks");
    if (std::ranges::any_of(rules, &CallRuleConfig::names_domains)) {
        rule = Key("security.rules");
        if (values.get<bool>("sharedBrowserContext") ||
            values.get<std::string>("session.isolation") == "shared")
            return contradiction(
                "security.rules names domains, and sessions that share a browser context share its "
                "connections.",
                "Use --isolation context, or security.allowedDomains and blockedDomains for everybody.");
    }
    if (!rule) return ok();
    std::string name(rule->option().key);
    for (Key key : {Key("browser.launchOptions.proxy.server"), Key("browser.contextOptions.proxy"),
                    Key("browser.cdpEndpoint"), Key("browser.remoteEndpoint")}) {
        if (!values.given(key)) continue;
        return contradiction(name + " is enforced by a proxy of our own, and " +
                                 std::string(key.option().key) + " (" + values.at(key).origin.to_string() +
                                 ") would lead around it.",
                             "Leave out one of them.");
    }
    if (values.get<std::string>("browser.engine") == "upstream" || values.given("upstream.command"))
        return contradiction(name + " cannot be enforced with " + engine_upstream(values) + ".",
                             "Leave out one of them.");
    return ok();
}

Result<void> check_daemon(const Values& values) {
    if (!values.get<bool>("server.daemon")) return ok();
    for (Key key : {Key("server.port"), Key("server.socket")}) {
        if (!values.has(key)) continue;
        return contradiction("--daemon hands stdin and stdout on to a server with a socket of its own; " +
                                 std::string(key.option().key) + " (" + values.at(key).origin.to_string() +
                                 ") cannot be given with it.",
                             "Leave out one of them.");
    }
    return ok();
}

Result<void> check_scripts(const Values& values) {
    for (Key key : {Key("browser.initScript"), Key("browser.initPage")}) {
        for (const auto& path : values.get<std::vector<std::filesystem::path>>(key)) {
            std::error_code error;
            if (std::filesystem::is_regular_file(path, error)) continue;
            return contradiction(std::string(key.option().key) + ": there is no file " + path.string() + ".",
                                 "It is named by " + values.at(key).origin.to_string() + ".");
        }
    }
    return ok();
}

Result<void> check_token(const std::string& name, const Origin& origin, const std::string& token) {
    bool sendable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
    if (!token.empty() && sendable) return ok();
    return contradiction(
        name + " (" + origin.to_string() + ") is " +
            (token.empty() ? "empty." : "not sendable: it has spaces or characters beyond ASCII."),
        "Give it a long random text, such as the output of: openssl rand -hex 32");
}

Result<void> check_tokens(const Values& values) {
    constexpr Key kToken("server.authToken"), kTokens("server.authTokens");
    std::map<std::string, std::string> owners;  // principals by token
    if (values.has(kToken)) {
        TRY(check_token("server.authToken", values.at(kToken).origin, values.get<std::string>(kToken)));
        owners.emplace(values.get<std::string>(kToken), "server.authToken");
    }
    for (const auto& [name, token] : values.get<Strings>(kTokens)) {
        if (name.empty())
            return contradiction("server.authTokens has a token without a name.", "Name who sends it.");
        TRY(check_token("server.authTokens." + name, values.at(kTokens).origin, token));
        auto [other, is_new] = owners.emplace(token, "server.authTokens." + name);
        if (!is_new)
            return contradiction(other->second + " and server.authTokens." + name + " are the same token.",
                                 "Give each its own: a token says who calls.");
    }
    return ok();
}

Result<void> check_exposure(const Values& values) {
    std::string host = values.get<std::string>("server.host");
    bool guarded = values.has("server.authToken") || !values.get<Strings>("server.authTokens").empty() ||
                   values.has("server.oauth.issuer");
    bool open = values.has("server.port") && !is_loopback(host) && !guarded;
    if (!open || values.get<bool>("server.insecure")) return ok();
    return contradiction(
        "server.host " + host + " (" + values.at("server.host").origin.to_string() +
            ") is reachable from other machines, and nothing keeps them from using your browser.",
        "Set TROUPE_AUTH_TOKEN (or --auth-token) to a secret that clients send, or say --insecure if the "
        "network around it is closed.");
}

Result<void> check_transport(const Values& values) {
    constexpr Key kTransport("server.transport"), kDestination("logging.destination");
    std::string transport = values.get<std::string>(kTransport);
    if (!transport.empty() && transport != "stdio" && !values.has("server.port"))
        return contradiction("server.transport (" + values.at(kTransport).origin.to_string() + ") is " +
                                 transport + ", and there is no server.port to listen on.",
                             "Give --port.");
    if (values.get<std::string>(kDestination) == "file" && !values.has("logging.file"))
        return contradiction("logging.destination is file, and logging.file names none.", "Give --log-file.");
    return ok();
}

Result<void> check_sizes(const Values& values) {
    if (values.get<std::int64_t>("pool.minBrowsers") > values.get<std::int64_t>("pool.maxBrowsers")) {
        return contradiction("pool.minBrowsers is greater than pool.maxBrowsers.",
                             "Lower the one or raise the other.");
    }
    std::filesystem::path output = values.get<std::filesystem::path>("outputDir");
    if (output.lexically_normal() == "/") {
        return contradiction("outputDir is the root directory, where old files would be deleted.",
                             "Name a directory of its own.");
    }
    return ok();
}

// Refs need the record to resolve them.
Result<void> check_record(const Values& values) {
    if (!values.get<bool>("store.enabled") &&
        values.choice<ResponseMode>("session.response") == ResponseMode::Ref) {
        return contradiction("--response ref answers with references to the record, which is off.",
                             "Leave out --no-record, or use --response delta.");
    }
    return ok();
}

}  // namespace

void resolve_values(Values& values, std::vector<std::string>& warnings) {
    resolve_proxy(values);
    resolve_channel(values);
    resolve_capabilities(values, warnings);
    resolve_engine(values);
    resolve_transport(values);
    resolve_log(values, warnings);
    resolve_daemon(values);
    resolve_viewport(values);
    warn_of_unread(values, warnings);
    warn_of_attached(values, warnings);
}

Result<void> check(const Values& values) {
    TRY(check_tokens(values));
    TRY(check_oauth(values));
    TRY(check_transport(values));
    TRY(check_exposure(values));
    TRY(check_daemon(values));
    TRY(check_browser(values));
    TRY(check_scripts(values));
    TRY(check_record(values));
    TRY(check_security(values));
    return check_sizes(values);
}

}  // namespace config
