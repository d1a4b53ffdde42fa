#include "oauth/key.h"

#include <gtest/gtest.h>

#include "tests/oauth/signing.h"

namespace oauth {
namespace {

constexpr std::string_view kMessage = "what was signed";

const SigningKey& rsa() {
    static const SigningKey key = SigningKey::rsa();
    return key;
}

TEST(OAuthKey, VerifiesWhatItsPrivateKeySigned) {
    SigningKey ec = SigningKey::p256(), ed = SigningKey::ed25519();
    struct Row {
        const SigningKey& key;
        const char* name;
        Algorithm algorithm;
    };
    for (const Row& row : {Row{rsa(), "RS256", Algorithm::RS256}, Row{rsa(), "PS256", Algorithm::PS256},
                           Row{ec, "ES256", Algorithm::ES256}, Row{ed, "EdDSA", Algorithm::EdDSA}}) {
        auto key = Key::from_jwk(row.key.jwk());
        ASSERT_TRUE(key) << row.name;
        std::string signature = row.key.sign(row.name, kMessage);
        EXPECT_EQ(algorithm_of(row.name), row.algorithm);
        EXPECT_TRUE(key->verifies(row.algorithm, kMessage, signature)) << row.name;
        EXPECT_FALSE(key->verifies(row.algorithm, "something else", signature)) << row.name;
        EXPECT_FALSE(key->verifies(row.algorithm, kMessage, "")) << row.name;
        EXPECT_FALSE(key->verifies(row.algorithm, kMessage, signature + "x")) << row.name;
        EXPECT_FALSE(key->verifies(row.algorithm, kMessage, std::string(signature.size(), '\0'))) << row.name;
        signature[signature.size() / 2] ^= 1;
        EXPECT_FALSE(key->verifies(row.algorithm, kMessage, signature)) << row.name;
    }
}

TEST(OAuthKey, FitsTheAlgorithmsOfItsKindOnly) {
    auto all = {Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA};
    auto fitting = [&](const json::object& jwk) {
        std::string fits;
        for (Algorithm each : all) fits += Key::from_jwk(jwk)->fits(each) ? '1' : '0';
        return fits;
    };
    EXPECT_EQ(fitting(rsa().jwk()), "1100");
    EXPECT_EQ(fitting(SigningKey::p256().jwk()), "0010");
    EXPECT_EQ(fitting(SigningKey::ed25519().jwk()), "0001");
    json::object only = rsa().jwk();
    only["alg"] = "PS256";
    EXPECT_EQ(fitting(only), "0100");
    EXPECT_FALSE(Key::from_jwk(only)->verifies(Algorithm::RS256, kMessage, rsa().sign("RS256", kMessage)));
}

TEST(OAuthKey, IsNoneForSecretsEncryptionAndWhatIsWeakOrBroken) {
    auto changed = [](json::object jwk, std::string_view name, json::value value) {
        jwk[name] = std::move(value);
        return jwk;
    };
    json::object ec = SigningKey::p256().jwk(), ed = SigningKey::ed25519().jwk();
    for (const json::object& jwk : {
             json::object{{"kty", "oct"}, {"k", "c2VjcmV0"}, {"kid", "rsa"}},
             json::object{},
             changed(rsa().jwk(), "use", "enc"),
             changed(rsa().jwk(), "key_ops", json::array{"encrypt"}),
             changed(rsa().jwk(), "alg", "RS512"),
             changed(rsa().jwk(), "alg", 5),
             changed(rsa().jwk(), "alg", "HS256"),
             changed(rsa().jwk(), "e", "AQ"),  // 1
             changed(rsa().jwk(), "e", "Ag"),  // 2
             changed(rsa().jwk(), "n", "AQAB"),
             changed(rsa().jwk(), "n", "!"),
             changed(rsa().jwk(), "kty", "EC"),
             SigningKey::rsa("weak", 1024).jwk(),
             changed(ec, "crv", "P-384"),
             changed(ec, "x", ec.at("y")),  // on no curve
             changed(ec, "x", "AA"),
             changed(ed, "crv", "X25519"),
             changed(ed, "x", "AA"),
         })
        EXPECT_FALSE(Key::from_jwk(jwk)) << json::serialize(jwk);
}

TEST(OAuthKey, HasNoAlgorithmThatNeedsNoPrivateKey) {
    for (const char* name : {"none", "None", "NONE", "HS256", "HS384", "HS512", "rs256", "RS1", "", "ES256K"})
        EXPECT_FALSE(algorithm_of(name)) << name;
}

TEST(OAuthKeySet, LeavesOutWhatItCannotUse) {
    SigningKey ed = SigningKey::ed25519("new");
    json::object unknown{{"kty", "AKP"}, {"alg", "ML-DSA-44"}, {"kid", "later"}};
    auto set = KeySet::parse(json::object{{"keys", json::array{unknown, 7, rsa().jwk(), ed.jwk()}}});
    ASSERT_TRUE(set);
    EXPECT_EQ(set->find("new", Algorithm::EdDSA).size(), 1u);
    EXPECT_EQ(set->find("new", Algorithm::RS256).size(), 0u);
    EXPECT_EQ(set->find(std::nullopt, Algorithm::RS256).size(), 1u);
    EXPECT_TRUE(set->has("rsa"));
    EXPECT_FALSE(set->has("later"));

    for (const json::value& none : {json::value(), json::value(json::object{{"keys", 1}}),
                                    json::value(json::object{{"keys", json::array{unknown}}}),
                                    json::value(json::object{{"keys", json::array(200, rsa().jwk())}})})
        EXPECT_FALSE(KeySet::parse(none));
}

}  // namespace
}  // namespace oauth
