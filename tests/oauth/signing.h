// An issuer's private keys, made when a test runs, and the tokens that they sign.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "oauth/base64url.h"
#include "util/crypto.h"
#include "util/json.h"

namespace oauth {

class SigningKey {
public:
    static SigningKey rsa(std::string id = "rsa", unsigned bits = 2048) {
        return SigningKey(std::move(id), EVP_RSA_gen(bits));
    }
    static SigningKey p256(std::string id = "ec") { return SigningKey(std::move(id), EVP_EC_gen("P-256")); }
    static SigningKey ed25519(std::string id = "ed") {
        return SigningKey(std::move(id), EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    }

    json::object jwk() const {
        json::object jwk{{"kid", id_}, {"use", "sig"}};
        if (EVP_PKEY_is_a(key_.get(), "RSA")) {
            jwk["kty"] = "RSA";
            jwk["n"] = number(OSSL_PKEY_PARAM_RSA_N, 0);
            jwk["e"] = number(OSSL_PKEY_PARAM_RSA_E, 0);
        } else if (EVP_PKEY_is_a(key_.get(), "EC")) {
            jwk["kty"] = "EC";
            jwk["crv"] = "P-256";
            jwk["x"] = number(OSSL_PKEY_PARAM_EC_PUB_X, 32);
            jwk["y"] = number(OSSL_PKEY_PARAM_EC_PUB_Y, 32);
        } else {
            unsigned char bytes[32];
            std::size_t size = sizeof bytes;
            EVP_PKEY_get_raw_public_key(key_.get(), bytes, &size);
            jwk["kty"] = "OKP";
            jwk["crv"] = "Ed25519";
            jwk["x"] = encode_base64url({reinterpret_cast<char*>(bytes), size});
        }
        return jwk;
    }

    // As PEM, for who confuses a public key with a shared secret.
    std::string public_pem() const {
        std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
        PEM_write_bio_PUBKEY(out.get(), key_.get());
        char* text = nullptr;
        long size = BIO_get_mem_data(out.get(), &text);
        return {text, static_cast<std::size_t>(size)};
    }

    std::string sign(std::string_view algorithm, std::string_view message) const {
        std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
        EVP_PKEY_CTX* settings = nullptr;
        bool is_ed25519 = EVP_PKEY_is_a(key_.get(), "ED25519");
        EVP_DigestSignInit(context.get(), &settings, is_ed25519 ? nullptr : EVP_sha256(), nullptr,
                           key_.get());
        if (algorithm == "PS256") {
            EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING);
            EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST);
        }
        std::string signature(1024, '\0');
        std::size_t size = signature.size();
        auto* bytes = reinterpret_cast<unsigned char*>(signature.data());
        if (EVP_DigestSign(context.get(), bytes, &size,
                           reinterpret_cast<const unsigned char*>(message.data()), message.size()) != 1)
            std::abort();
        signature.resize(size);
        return EVP_PKEY_is_a(key_.get(), "EC") ? raw_pair(signature) : signature;
    }

    const std::string& id() const { return id_; }

private:
    SigningKey(std::string id, EVP_PKEY* key) : id_(std::move(id)), key_(key, EVP_PKEY_free) {}

    std::string number(const char* name, int size) const {
        BIGNUM* value = nullptr;
        if (EVP_PKEY_get_bn_param(key_.get(), name, &value) != 1) std::abort();
        std::string bytes(static_cast<std::size_t>(size ? size : BN_num_bytes(value)), '\0');
        BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
        BN_free(value);
        return encode_base64url(bytes);
    }
    static std::string raw_pair(const std::string& der) {
        const auto* at = reinterpret_cast<const unsigned char*>(der.data());
        ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
        std::string raw(64, '\0');
        auto* bytes = reinterpret_cast<unsigned char*>(raw.data());
        BN_bn2binpad(ECDSA_SIG_get0_r(pair), bytes, 32);
        BN_bn2binpad(ECDSA_SIG_get0_s(pair), bytes + 32, 32);
        ECDSA_SIG_free(pair);
        return raw;
    }

    std::string id_;
    std::shared_ptr<EVP_PKEY> key_;
};

inline std::string encode_part(const json::object& part) { return encode_base64url(json::serialize(part)); }

inline std::string sign_token(const SigningKey& key, const json::object& header, const json::object& claims) {
    std::string text = encode_part(header) + "." + encode_part(claims);
    std::string algorithm(json::find_string(header, "alg").value_or(""));
    return text + "." + encode_base64url(key.sign(algorithm, text));
}

inline std::string sign_token(const SigningKey& key, std::string_view algorithm, const json::object& claims) {
    return sign_token(key, json::object{{"alg", algorithm}, {"kid", key.id()}, {"typ", "at+jwt"}}, claims);
}

}  // namespace oauth
