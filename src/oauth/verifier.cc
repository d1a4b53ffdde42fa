#include "oauth/verifier.h"

#include <algorithm>

namespace oauth {
namespace {

bool is_signed_by(const KeySet& keys, const Token& token) {
    return std::ranges::any_of(keys.find(token.key_id, token.algorithm), [&](const Key* key) {
        return key->verifies(token.algorithm, token.signed_part, token.signature);
    });
}

}  // namespace

Verifier::Verifier(Loop& loop, VerifierOptions options, Fetch fetch, Log& log, Now now)
    : options_(std::move(options)), now_(now), issuer_(loop, options_.issuer, std::move(fetch), now, log) {}

Task<bool> Verifier::is_signed(const Token& token) {
    Issuer::Keys keys = co_await issuer_.keys();
    if (is_signed_by(*keys, token)) co_return true;
    // If the named key is known, the signature is wrong. An unknown key may be new.
    if (token.key_id && keys->has(*token.key_id)) co_return false;
    keys = co_await issuer_.newer_keys(keys);
    co_return is_signed_by(*keys, token);
}

Task<Verdict> Verifier::verify(std::string text, std::vector<std::string> audiences) {
    auto token = Token::parse(text);
    if (!token) co_return Refusal{Refusal::Reason::InvalidToken, token.error().message};
    auto is_genuine = co_await as_result(is_signed(*token));
    if (!is_genuine)
        co_return Refusal{Refusal::Reason::IssuerUnreachable,
                          "Access tokens cannot be checked now: the keys of the issuer " + issuer_.name() +
                              " are not to be had."};
    if (!*is_genuine)
        co_return Refusal{Refusal::Reason::InvalidToken,
                          "The access token is not signed by a key of this server's issuer."};
    co_return check_claims(token->claims,
                           {.issuer = options_.issuer,
                            .audiences = std::move(audiences),
                            .principal_claim = options_.principal_claim,
                            .scopes = options_.scopes},
                           now_());
}

}  // namespace oauth
