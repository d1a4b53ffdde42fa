#include "engine/cdp/web_client.h"
#include "settings.h"

namespace {

Task<oauth::Answer> fetch(Loop& loop, std::string url) {
    cdp::ServerAddress address = co_await cdp::parse_address(url);
    cdp::HttpAnswer answer = co_await cdp::http_get(loop, address, {{"Accept", "application/json"}});
    co_return oauth::Answer{.status = answer.status, .body = std::move(answer.body)};
}

transport::Authenticated to_access(oauth::Verdict verdict) {
    if (auto* grant = std::get_if<oauth::Grant>(&verdict))
        return transport::Identity{.principal = std::move(grant->principal),
                                   .expires = grant->expires,
                                   .scopes = std::move(grant->scopes)};
    auto& refusal = std::get<oauth::Refusal>(verdict);
    switch (refusal.reason) {
        case oauth::Refusal::Reason::InvalidToken:
            return transport::Refusal{
                .status = 401, .message = std::move(refusal.message), .error = "invalid_token"};
        case oauth::Refusal::Reason::InsufficientScope:
            return transport::Refusal{
                .status = 403, .message = std::move(refusal.message), .error = "insufficient_scope"};
        case oauth::Refusal::Reason::IssuerUnreachable:
            break;
    }
    return transport::Refusal{.status = 503, .message = std::move(refusal.message)};
}

Task<transport::Authenticated> verify(oauth::Verifier& verifier, std::string token,
                                      std::vector<std::string> audiences) {
    co_return to_access(co_await verifier.verify(std::move(token), std::move(audiences)));
}

}  // namespace

bool needs_token(const config::ServerConfig& server) {
    return !auth_tokens(server).empty() || !server.oauth.issuer.empty();
}

std::unique_ptr<oauth::Verifier> make_verifier(Loop& loop, const config::OAuthConfig& config, Log& log) {
    if (config.issuer.empty()) return nullptr;
    return std::make_unique<oauth::Verifier>(
        loop,
        oauth::VerifierOptions{
            .issuer = config.issuer, .principal_claim = config.principal_claim, .scopes = config.scopes},
        [&loop](std::string url) { return fetch(loop, std::move(url)); }, log);
}

transport::OAuthAccess oauth_access(const config::OAuthConfig& config, oauth::Verifier& verifier) {
    return {.resource = {.base = config.resource, .issuer = config.issuer, .scopes = config.scopes},
            .verify = [&verifier, named = config.audience](std::string token,
                                                           std::vector<std::string> audiences) {
                return verify(verifier, std::move(token), named.empty() ? std::move(audiences) : named);
            }};
}
