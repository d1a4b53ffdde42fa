// A public key of the issuer, as a JWK describes it (RFC 7517, 7518, 8037), and what it may verify.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/json.h"

struct evp_pkey_st;

namespace oauth {

// How a token may be signed: with a private key that only the issuer has.
enum class Algorithm { RS256, PS256, ES256, EdDSA };
// By its name in a token's header. `none`, HMAC and unknown names are nothing.
std::optional<Algorithm> algorithm_of(std::string_view name);

class Key {
public:
    // Nothing when it is not for verifying signatures of these algorithms, or too weak for it.
    static std::optional<Key> from_jwk(const json::object& jwk);

    const std::string& id() const { return id_; }  // may be empty
    // Whether the algorithm is one of this kind of key, and the one that the issuer means it for.
    bool fits(Algorithm algorithm) const;
    // False for an algorithm that does not fit.
    bool verifies(Algorithm algorithm, std::string_view message, std::string_view signature) const;

private:
    enum class Kind { Rsa, P256, Ed25519 };
    Key(Kind kind, std::shared_ptr<evp_pkey_st> key) : kind_(kind), key_(std::move(key)) {}
    static std::optional<Key> rsa(const json::object& jwk);
    static std::optional<Key> p256(const json::object& jwk);
    static std::optional<Key> ed25519(const json::object& jwk);

    Kind kind_;
    std::shared_ptr<evp_pkey_st> key_;
    std::optional<Algorithm> only_;  // what the issuer means it for, where it says so
    std::string id_;
};

// The issuer's keys at one moment.
class KeySet {
public:
    // From a JWK Set. Keys of other kinds are left out; a set without any that can be used is an error.
    static Result<KeySet> parse(const json::value& jwks);

    // Which may have signed a token: the one with its `kid`, or all of them where it names none.
    std::vector<const Key*> find(const std::optional<std::string>& id, Algorithm algorithm) const;
    bool has(const std::string& id) const;

private:
    std::vector<Key> keys_;
};

}  // namespace oauth
