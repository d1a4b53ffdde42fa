// A public key of the issuer from a JWK (RFC 7517, 7518, 8037), and the algorithms that it may verify.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

struct evp_pkey_st;

namespace oauth {

// The supported signature algorithms: the private key is known only to the issuer.
enum class Algorithm { RS256, PS256, ES256, EdDSA };
// Finds an algorithm by its name in a token's header. `none`, HMAC and unknown names return nothing.
std::optional<Algorithm> algorithm_of(std::string_view name);

class Key {
public:
    // Returns nothing when the key is not for verifying signatures of these algorithms, or is too weak.
    static std::optional<Key> from_jwk(const json::object& jwk);

    const std::string& id() const { return id_; }  // may be empty
    // Whether this kind of key supports the algorithm, and the issuer allows it for this key.
    bool fits(Algorithm algorithm) const;
    // Returns false for an algorithm that does not fit.
    bool verifies(Algorithm algorithm, std::string_view message, std::string_view signature) const;

private:
    enum class Kind { Rsa, P256, Ed25519 };
    Key(Kind kind, std::shared_ptr<evp_pkey_st> key) : kind_(kind), key_(std::move(key)) {}
    static std::optional<Key> rsa(const json::object& jwk);
    static std::optional<Key> p256(const json::object& jwk);
    static std::optional<Key> ed25519(const json::object& jwk);

    Kind kind_;
    std::shared_ptr<evp_pkey_st> key_;
    std::optional<Algorithm> only_;  // the issuer's only allowed algorithm, if given
    std::string id_;
};

// The issuer's keys at one moment.
class KeySet {
public:
    // Parses a JWK Set. Other kinds of keys are left out; a set without a usable key is an error.
    static Result<KeySet> parse(const json::value& jwks);

    // The keys that may have signed a token: the one with its `kid`, or all when the token has none.
    std::vector<const Key*> find(const std::optional<std::string>& id, Algorithm algorithm) const;
    bool has(const std::string& id) const;

private:
    std::vector<Key> keys_;
};

}  // namespace oauth
