#include "oauth/key.h"

#include <algorithm>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "oauth/base64url.h"

namespace oauth {
namespace {

constexpr int kMinRsaBits = 2048;
// Verification takes longer the larger a key is.
constexpr int kMaxRsaBits = 8192;
constexpr std::size_t kMaxExponent = 8;  // bytes
constexpr std::size_t kMaxKeys = 100;
constexpr std::size_t kCoordinate = 32;  // bytes, as of an Ed25519 key

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using BigNumber = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using KeyPointer = std::shared_ptr<EVP_PKEY>;

const unsigned char* octets(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

KeyPointer owned(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

BigNumber number(std::string_view bytes) {
    return BigNumber(BN_bin2bn(octets(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::optional<std::string> bytes_of(const json::object& jwk, std::string_view member) {
    auto text = json::find_string(jwk, member);
    return text ? decode_base64url(*text) : std::nullopt;
}

KeyPointer public_key(const char* type, OSSL_PARAM_BLD* builder) {
    Params params(OSSL_PARAM_BLD_to_param(builder));
    KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* key = nullptr;
    if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
        return nullptr;
    KeyPointer made = owned(key);
    // Checks that a point is on its curve, and that a modulus is valid.
    KeyContext checking(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    return checking && EVP_PKEY_public_check(checking.get()) == 1 ? made : nullptr;
}

// Converts to DER for OpenSSL: tokens contain r followed by s.
std::string to_der(std::string_view signature) {
    if (signature.size() != 2 * kCoordinate) return {};
    EcSignature pair(ECDSA_SIG_new());
    BigNumber r = number(signature.substr(0, kCoordinate)), s = number(signature.substr(kCoordinate));
    if (!pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return {};
    (void)r.release();
    (void)s.release();
    unsigned char* bytes = nullptr;
    int size = i2d_ECDSA_SIG(pair.get(), &bytes);
    std::string der(reinterpret_cast<char*>(bytes), size > 0 ? static_cast<std::size_t>(size) : 0);
    OPENSSL_free(bytes);
    return der;
}

bool is_for_verifying(const json::object& jwk) {
    if (const json::value* use = json::find(jwk, "use"); use && *use != "sig") return false;
    const json::value* operations = json::find(jwk, "key_ops");
    if (!operations) return true;
    const json::array* list = operations->if_array();
    return list && std::ranges::any_of(*list, [](const json::value& each) { return each == "verify"; });
}

}  // namespace

std::optional<Algorithm> algorithm_of(std::string_view name) {
    if (name == "RS256") return Algorithm::RS256;
    if (name == "PS256") return Algorithm::PS256;
    if (name == "ES256") return Algorithm::ES256;
    // RFC 9864 gives the only supported curve a name of its own.
    if (name == "EdDSA" || name == "Ed25519") return Algorithm::EdDSA;
    return std::nullopt;
}

std::optional<Key> Key::rsa(const json::object& jwk) {
    auto modulus = bytes_of(jwk, "n"), exponent = bytes_of(jwk, "e");
    if (!modulus || !exponent || exponent->size() > kMaxExponent) return std::nullopt;
    BigNumber n = number(*modulus), e = number(*exponent);
    int bits = BN_num_bits(n.get());
    if (bits < kMinRsaBits || bits > kMaxRsaBits || BN_is_one(e.get()) || !BN_is_odd(e.get()))
        return std::nullopt;
    Builder builder(OSSL_PARAM_BLD_new());
    if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
        return std::nullopt;
    KeyPointer key = public_key("RSA", builder.get());
    return key ? std::optional(Key(Kind::Rsa, std::move(key))) : std::nullopt;
}

std::optional<Key> Key::p256(const json::object& jwk) {
    auto x = bytes_of(jwk, "x"), y = bytes_of(jwk, "y");
    if (json::find_string(jwk, "crv") != "P-256" || !x || !y || x->size() != kCoordinate ||
        y->size() != kCoordinate)
        return std::nullopt;
    std::string point = "\x04" + *x + *y;  // uncompressed
    Builder builder(OSSL_PARAM_BLD_new());
    if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                         point.size()) != 1)
        return std::nullopt;
    KeyPointer key = public_key("EC", builder.get());
    return key ? std::optional(Key(Kind::P256, std::move(key))) : std::nullopt;
}

std::optional<Key> Key::ed25519(const json::object& jwk) {
    auto x = bytes_of(jwk, "x");
    if (json::find_string(jwk, "crv") != "Ed25519" || !x || x->size() != kCoordinate) return std::nullopt;
    EVP_PKEY* key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(*x), x->size());
    return key ? std::optional(Key(Kind::Ed25519, owned(key))) : std::nullopt;
}

std::optional<Key> Key::from_jwk(const json::object& jwk) {
    if (!is_for_verifying(jwk)) return std::nullopt;
    auto kind = json::find_string(jwk, "kty");
    std::optional<Key> key;
    if (kind == "RSA") key = rsa(jwk);
    if (kind == "EC") key = p256(jwk);
    if (kind == "OKP") key = ed25519(jwk);
    if (!key) return std::nullopt;
    key->id_ = json::find_string(jwk, "kid").value_or("");
    if (json::find(jwk, "alg")) {
        key->only_ = algorithm_of(json::find_string(jwk, "alg").value_or(""));
        if (!key->only_) return std::nullopt;
    }
    return key;
}

bool Key::fits(Algorithm algorithm) const {
    if (only_ && *only_ != algorithm) return false;
    switch (algorithm) {
        case Algorithm::RS256:
        case Algorithm::PS256:
            return kind_ == Kind::Rsa;
        case Algorithm::ES256:
            return kind_ == Kind::P256;
        case Algorithm::EdDSA:
            return kind_ == Kind::Ed25519;
    }
    return false;
}

bool Key::verifies(Algorithm algorithm, std::string_view message, std::string_view signature) const {
    if (!fits(algorithm)) return false;
    std::string der;
    if (algorithm == Algorithm::ES256) {
        der = to_der(signature);
        signature = der;
    }
    DigestContext context(EVP_MD_CTX_new());
    EVP_PKEY_CTX* settings = nullptr;
    const EVP_MD* digest = algorithm == Algorithm::EdDSA ? nullptr : EVP_sha256();
    if (signature.empty() || EVP_DigestVerifyInit(context.get(), &settings, digest, nullptr, key_.get()) != 1)
        return false;
    if (algorithm == Algorithm::PS256 &&
        (EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) != 1 ||
         EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) != 1))
        return false;
    return EVP_DigestVerify(context.get(), octets(signature), signature.size(), octets(message),
                            message.size()) == 1;
}

Result<KeySet> KeySet::parse(const json::value& jwks) {
    const json::value* keys = json::find(jwks, "keys");
    const json::array* list = keys ? keys->if_array() : nullptr;
    if (!list || list->size() > kMaxKeys)
        return Error{.code = ErrorCode::NetworkError, .message = "What it has for keys is no JWK Set."};
    KeySet set;
    for (const json::value& each : *list) {
        const json::object* jwk = each.if_object();
        if (auto key = jwk ? Key::from_jwk(*jwk) : std::nullopt) set.keys_.push_back(std::move(*key));
    }
    if (set.keys_.empty())
        return Error{.code = ErrorCode::NetworkError,
                     .message = "It has no key for RS256, PS256, ES256 or EdDSA."};
    return set;
}

std::vector<const Key*> KeySet::find(const std::optional<std::string>& id, Algorithm algorithm) const {
    std::vector<const Key*> found;
    for (const Key& key : keys_) {
        if ((!id || key.id() == *id) && key.fits(algorithm)) found.push_back(&key);
    }
    return found;
}

bool KeySet::has(const std::string& id) const {
    return std::ranges::any_of(keys_, [&](const Key& key) { return key.id() == id; });
}

}  // namespace oauth
