#include "config/checks_oauth.h"

#include <algorithm>

#include "config/config.h"
#include "config/rules.h"
#include "util/loopback.h"
#include "util/secure_url.h"

namespace config {
namespace {

constexpr Key kIssuer("server.oauth.issuer"), kResource("server.oauth.resource"),
    kAudience("server.oauth.audience"), kScopes("server.oauth.scopes"), kClaim("server.oauth.principalClaim");

Error mistake(const Values& values, Key key, const std::string& what, std::string hint) {
    return Error{
        .code = ErrorCode::InvalidArgument,
        .message = std::string(key.option().key) + " (" + values.at(key).origin.to_string() + "): " + what,
        .hint = std::move(hint)};
}

Result<void> check_url(const Values& values, Key key) {
    std::string url = values.get<std::string>(key);
    if (auto secure = check_secure_url(url); !secure)
        return mistake(values, key, secure.error().message, secure.error().hint);
    if (url.find('?') != std::string::npos)
        return mistake(values, key, url + " has a query.", "Leave out what follows the question mark.");
    return ok();
}

// Whether other machines can reach the server, by its listening addresses or through a proxy.
bool is_reachable_from_elsewhere(const Values& values) {
    auto is_local = [](const std::string& host) {
        std::size_t colon = host.rfind(':');
        bool has_port = colon != std::string::npos &&
                        host.find_first_not_of("0123456789", colon + 1) == host.npos &&
                        (host.find(':') == colon || host[colon - 1] == ']');
        return is_loopback(std::string_view(has_port ? host.substr(0, colon) : host));
    };
    return !is_local(values.get<std::string>("server.host")) ||
           !std::ranges::all_of(values.get<std::vector<std::string>>("server.allowedHosts"), is_local);
}

// A configured principal must not match one that the issuer names, or the other way round.
Result<void> check_names(const Values& values) {
    constexpr Key kTokens("server.authTokens");
    for (const auto& [name, token] : values.get<Strings>(kTokens)) {
        if (name.starts_with("oauth:"))
            return mistake(values, kTokens, "\"" + name + "\" is a name that OAuth principals have.",
                           "Choose another name for this token.");
    }
    return ok();
}

}  // namespace

Result<void> check_oauth(const Values& values) {
    TRY(check_names(values));
    if (!values.has(kIssuer)) {
        for (Key key : {kResource, kAudience, kScopes}) {
            if (values.given(key))
                return mistake(values, key, "there is no server.oauth.issuer, so no token is accepted.",
                               "Name the issuer with --oauth-issuer.");
        }
        return ok();
    }
    TRY(check_url(values, kIssuer));
    if (values.has(kResource)) TRY(check_url(values, kResource));
    if (values.has("server.port") && !values.has(kResource) && is_reachable_from_elsewhere(values))
        return mistake(values, kIssuer,
                       "other machines reach this server, and tokens must say that they are for it.",
                       "Say where clients reach it: --oauth-resource https://troupe.example.com");
    if (values.get<std::string>(kClaim).empty())
        return mistake(values, kClaim, "it is empty.", "Name the claim, such as sub.");
    auto audience = values.get<std::vector<std::string>>(kAudience);
    if (std::ranges::find(audience, "") != audience.end())
        return mistake(values, kAudience, "one of them is empty.", "Leave it out.");
    auto scopes = values.get<std::vector<std::string>>(kScopes);
    auto wrong = std::ranges::find_if_not(scopes, is_scope);
    if (wrong != scopes.end())
        return mistake(values, kScopes, "\"" + *wrong + "\" is no scope.",
                       "Scopes have no spaces and no quotes.");
    return ok();
}

}  // namespace config
