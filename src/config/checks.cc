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

Error contradiction(std::string message, std::string hint) {
    return Error{.code = ErrorCode::InvalidArgument, .message = std::move(message), .hint = std::move(hint)};
}

// A proxy given in one place must not be sent the credentials of another one.
void settle_proxy(Values& values) {
    Layer server = values.at("browser.launchOptions.proxy.server").origin.layer;
    for (Key key : {Key("browser.launchOptions.proxy.bypass"), Key("browser.launchOptions.proxy.username"),
                    Key("browser.launchOptions.proxy.password")}) {
        if (values.has(key) && values.at(key).origin.layer < server) values.unset(key);
    }
}

void settle_channel(Values& values) {
    constexpr Key kChannel("browser.launchOptions.channel");
    bool chromium = values.get<std::string>("browser.browserName") == "chromium";
    if (!chromium && !values.get<std::string>(kChannel).starts_with("moz-")) values.unset(kChannel);
}

void settle_capabilities(Values& values, std::vector<std::string>& warnings) {
    constexpr Key kCapabilities("capabilities");
    std::vector<std::string> known = choices(kCapabilities.option());
    std::vector<std::string> names = values.get<std::vector<std::string>>(kCapabilities);
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) != known.end()) continue;
        std::string near = nearest_name(name, known);
        warnings.push_back("There is no capability " + name + " (" +
                           values.at(kCapabilities).origin.to_string() + ")." +
                           (near.empty() ? "" : " Did you mean " + near + "?"));
    }
    // The former name of what is now part of devtools.
    bool traces = std::ranges::find(names, "tracing") != names.end();
    if (traces && std::ranges::find(names, "devtools") == names.end()) {
        values.apply({&kCapabilities.option(), json::array{"devtools"}, values.at(kCapabilities).origin});
    }
    if (values.at(kCapabilities).origin.name == "--vision") {
        warnings.push_back("--vision is a former name: write --caps=vision.");
    }
}

// What only Playwright can do is done by a server of its own, unless somebody insists.
void settle_engine(Values& values) {
    constexpr Key kEngine("browser.engine"), kName("browser.browserName"),
        kEndpoint("browser.remoteEndpoint"), kExtension("extension");
    if (values.given(kEngine)) return;
    std::optional<Key> reason;
    if (values.get<std::string>(kName) != "chromium") reason = kName;
    if (values.has(kEndpoint)) reason = kEndpoint;
    if (values.get<bool>(kExtension)) reason = kExtension;
    if (reason) values.apply({&kEngine.option(), "upstream", values.at(*reason).origin});
}

// Clients of one daemon would otherwise be in each other's way at the profile.
void settle_daemon(Values& values) {
    constexpr Key kIsolated("browser.isolated"), kShared("sharedBrowserContext");
    bool elsewhere = values.has("browser.cdpEndpoint") || values.has("browser.remoteEndpoint") ||
                     values.get<bool>("extension");
    if (!values.get<bool>("server.daemon") || elsewhere || values.given(kIsolated) || values.given(kShared))
        return;
    Origin origin{.layer = Layer::Default, .name = "server.daemon"};
    // Of one profile there is one context: each client has its tabs there.
    if (values.get<std::string>("browser.userDataDir").empty())
        values.apply({&kIsolated.option(), true, std::move(origin)});
    else if (!values.has("session.isolation"))
        values.apply({find_by_key("session.isolation"), "shared", std::move(origin)});
}

// Without a window there is nothing that a page could take its size from. Tabs of somebody else's browser
// have theirs.
void settle_viewport(Values& values) {
    constexpr Key kViewport("browser.contextOptions.viewport");
    bool device = !values.get<std::string>("browser.device").empty() || values.get<bool>("browser.mobile");
    bool attached =
        !values.get<std::string>("browser.cdpEndpoint").empty() && !values.get<bool>("browser.isolated");
    if (values.has(kViewport) || device || attached || !values.get<bool>("browser.launchOptions.headless"))
        return;
    values.apply({&kViewport.option(), json::object{{"width", 1280}, {"height", 720}}, {}});
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
    if (values.get<bool>("browser.isolated") && !values.get<std::string>("browser.userDataDir").empty()) {
        return contradiction("--isolated forgets its profile, and --user-data-dir names one to keep.",
                             "Keep one of them.");
    }
    return ok();
}

// A rule that cannot be read or enforced is worse than none.
Result<void> check_security(const Values& values) {
    auto rules = TRY(read_rules(values.get<json::value>("security.rules")));
    if (!TRY(read_secret_origins(values.get<json::value>("security.secretOrigins"))).empty() &&
        values.get<std::string>("browser.engine") == "upstream")
        return contradiction("security.secretOrigins cannot be enforced with the engine upstream.",
                             "Leave out one of them.");
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
        return contradiction(name + " cannot be enforced with the engine upstream.",
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
    if (values.has(kToken))
        TRY(check_token("server.authToken", values.at(kToken).origin, values.get<std::string>(kToken)));
    for (const auto& [name, token] : values.get<Strings>(kTokens)) {
        if (name.empty())
            return contradiction("server.authTokens has a token without a name.", "Name who sends it.");
        TRY(check_token("server.authTokens." + name, values.at(kTokens).origin, token));
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

// A reference leads to the record.
Result<void> check_record(const Values& values) {
    if (!values.get<bool>("store.enabled") &&
        values.choice<ResponseMode>("session.response") == ResponseMode::Ref) {
        return contradiction("--response ref answers with references to the record, which is off.",
                             "Leave out --no-record, or use --response delta.");
    }
    return ok();
}

}  // namespace

void settle(Values& values, std::vector<std::string>& warnings) {
    settle_proxy(values);
    settle_channel(values);
    settle_capabilities(values, warnings);
    settle_engine(values);
    settle_daemon(values);
    settle_viewport(values);
}

Result<void> check(const Values& values) {
    TRY(check_tokens(values));
    TRY(check_oauth(values));
    TRY(check_exposure(values));
    TRY(check_daemon(values));
    TRY(check_browser(values));
    TRY(check_scripts(values));
    TRY(check_record(values));
    TRY(check_security(values));
    return check_sizes(values);
}

}  // namespace config
