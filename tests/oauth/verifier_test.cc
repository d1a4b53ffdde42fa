#include "oauth/verifier.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/wait.h"
#include "tests/oauth/signing.h"

namespace oauth {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kIssuer = "https://login.test/tenant";
constexpr const char* kAudience = "http://localhost:1/mcp";

const SigningKey& rsa() {
    static const SigningKey key = SigningKey::rsa();
    return key;
}

class OAuthVerifier : public testing::Test {
protected:
    OAuthVerifier() {
        pages["https://login.test/.well-known/oauth-authorization-server/tenant"] = metadata();
        publish({&rsa()});
    }

    static json::object metadata() { return {{"issuer", kIssuer}, {"jwks_uri", "https://keys.test/all"}}; }
    void publish(const std::vector<const SigningKey*>& keys) {
        json::array list;
        for (const SigningKey* key : keys) list.push_back(key->jwk());
        pages["https://keys.test/all"] = json::object{{"keys", std::move(list)}};
    }
    Task<Answer> get(std::string url) {
        asked.push_back(url);
        if (held) co_await held->get();
        if (!reachable) co_await Error{.code = ErrorCode::NetworkError, .message = "connect ECONNREFUSED"};
        if (!pages.contains(url)) co_return Answer{.status = 404};
        co_return Answer{.status = 200, .body = json::serialize(pages.at(url))};
    }

    json::object claims() const {
        auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
        return {{"iss", kIssuer}, {"aud", kAudience}, {"sub", "ann"}, {"exp", seconds + 7200}};
    }
    std::string token(const SigningKey& key = rsa(), std::string_view algorithm = "RS256") const {
        return sign_token(key, algorithm, claims());
    }
    // Who sends the token, or why nobody does.
    std::string verify(const std::string& text) {
        return describe(fakes::run_task(loop, verifier.verify(text, {kAudience})).value());
    }
    static std::string describe(const Verdict& verdict) {
        if (const auto* grant = std::get_if<Grant>(&verdict)) return grant->principal;
        const auto& refusal = std::get<Refusal>(verdict);
        return (refusal.reason == Refusal::Reason::IssuerUnreachable ? "503 " : "401 ") + refusal.message;
    }

    Loop loop;
    Log log = Log::silent();
    std::map<std::string, json::value> pages;
    std::vector<std::string> asked;
    bool reachable = true;
    std::optional<SharedResult<void>> held;
    Time now = std::chrono::system_clock::now();
    Verifier verifier{loop,
                      {.issuer = kIssuer},
                      [this](std::string url) { return get(std::move(url)); },
                      log,
                      [this] { return now; }};
};

TEST_F(OAuthVerifier, BelievesTokensOfTheIssuerInEveryAlgorithm) {
    SigningKey ec = SigningKey::p256(), ed = SigningKey::ed25519();
    publish({&rsa(), &ec, &ed});
    EXPECT_EQ(verify(token()), "oauth:ann");
    EXPECT_EQ(verify(token(rsa(), "PS256")), "oauth:ann");
    EXPECT_EQ(verify(token(ec, "ES256")), "oauth:ann");
    EXPECT_EQ(verify(token(ed, "EdDSA")), "oauth:ann");
    // All of them with what was read once.
    EXPECT_THAT(asked, ElementsAre("https://login.test/.well-known/oauth-authorization-server/tenant",
                                   "https://keys.test/all"));
}

TEST_F(OAuthVerifier, RefusesWhatTheIssuerDidNotSign) {
    SigningKey other = SigningKey::rsa("rsa");
    std::string genuine = token();
    EXPECT_THAT(verify(token(other)), HasSubstr("401"));
    // Another's claims under a genuine signature.
    json::object mallory = claims();
    mallory["sub"] = "mallory";
    std::string forged =
        genuine.substr(0, genuine.find('.') + 1) + encode_part(mallory) + genuine.substr(genuine.rfind('.'));
    EXPECT_THAT(verify(forged), HasSubstr("not signed by a key"));
    EXPECT_EQ(verify(genuine), "oauth:ann");
    // A key that is known and did not sign a token is no reason to ask again.
    EXPECT_EQ(asked.size(), 2u);
}

TEST_F(OAuthVerifier, RefusesEveryAlgorithmThatIsNotTheKeys) {
    std::string part = encode_part(claims());
    for (const char* name : {"none", "NONE", "HS256", "HS512", "RS512", ""}) {
        std::string unsigned_part = encode_part({{"alg", name}, {"kid", "rsa"}}) + "." + part;
        EXPECT_THAT(verify(unsigned_part + "."), HasSubstr("401")) << name;
        // The public key as if it were a shared secret.
        for (const std::string& secret : {rsa().public_pem(), json::serialize(rsa().jwk())})
            EXPECT_THAT(verify(unsigned_part + "." + encode_base64url(hmac_sha256(secret, unsigned_part))),
                        HasSubstr("signed by none of"))
                << name;
    }
    // A genuine signature under the name of another algorithm.
    for (const char* name : {"PS256", "ES256", "EdDSA"}) {
        std::string text = encode_part({{"alg", name}, {"kid", "rsa"}}) + "." + part;
        EXPECT_THAT(verify(text + "." + encode_base64url(rsa().sign("RS256", text))), HasSubstr("401"))
            << name;
    }
}

TEST_F(OAuthVerifier, RefusesGarbageWithoutAskingTheIssuer) {
    std::string genuine = token();
    json::object critical{{"alg", "RS256"}, {"kid", "rsa"}, {"crit", json::array{"b64"}}, {"b64", false}};
    json::object proof{{"alg", "RS256"}, {"kid", "rsa"}, {"typ", "dpop+jwt"}};
    for (const std::string& text :
         {std::string(), std::string("."), std::string(".."), std::string("a.b.c"),
          std::string("not a token"), genuine + ".", genuine + "=", genuine.substr(0, genuine.rfind('.')),
          genuine.substr(1), " " + genuine, std::string(100'000, 'a'), genuine + std::string(20'000, 'A'),
          encode_part({{"alg", 1}}) + ".e30.AA", encode_base64url("[]") + ".e30.AA",
          encode_base64url(std::string(5000, '[')) + ".e30.AA", sign_token(rsa(), critical, claims()),
          sign_token(rsa(), proof, claims()),
          sign_token(rsa(), {{"alg", "RS256"}, {"kid", std::string(1000, 'k')}}, claims())})
        EXPECT_THAT(verify(text), HasSubstr("401 The access token")) << text.substr(0, 100);
    EXPECT_TRUE(asked.empty());
}

TEST_F(OAuthVerifier, ChecksTheClaimsOfGenuineTokens) {
    json::object other = claims();
    other["aud"] = "https://other.test/mcp";
    EXPECT_THAT(verify(sign_token(rsa(), "RS256", other)), HasSubstr("audience"));
    std::string early = token();
    now += 3h;
    EXPECT_THAT(verify(early), HasSubstr("expired"));
}

TEST_F(OAuthVerifier, FollowsTheIssuersKeysAsTheyChange) {
    EXPECT_EQ(verify(token()), "oauth:ann");
    SigningKey next = SigningKey::rsa("next");
    EXPECT_THAT(verify(token(next)), HasSubstr("401"));
    publish({&next});
    EXPECT_EQ(verify(token(next)), "oauth:ann");
    EXPECT_THAT(verify(token()), HasSubstr("401"));
}

TEST_F(OAuthVerifier, AsksOnlySoOftenAboutKeysThatAreMadeUp) {
    SigningKey unknown = SigningKey::rsa("made up");
    for (int i = 0; i < 50; ++i) EXPECT_THAT(verify(token(unknown)), HasSubstr("401"));
    std::size_t before = asked.size();
    EXPECT_LE(before, 2u + 5 * 2);
    EXPECT_EQ(verify(token()), "oauth:ann");
    EXPECT_EQ(asked.size(), before);
    now += 31s;
    for (int i = 0; i < 10; ++i) EXPECT_THAT(verify(token(unknown)), HasSubstr("401"));
    EXPECT_EQ(asked.size(), before + 2);
}

TEST_F(OAuthVerifier, LetsNobodyInWhileTheIssuerCannotBeReached) {
    reachable = false;
    EXPECT_THAT(verify(token()), HasSubstr("503"));
    std::size_t before = asked.size();
    EXPECT_THAT(verify(token()), HasSubstr("503"));
    EXPECT_EQ(asked.size(), before) << "a moment ago it could not be reached";
    reachable = true;
    now += 6s;
    EXPECT_EQ(verify(token()), "oauth:ann");
    // Keys that were read a while ago hold, for so long.
    reachable = false;
    now += 30min;
    EXPECT_EQ(verify(token()), "oauth:ann");
    now += 31min;
    EXPECT_THAT(verify(token()), HasSubstr("503"));
}

TEST_F(OAuthVerifier, ReadsKeysAnewFromTimeToTime) {
    EXPECT_EQ(verify(token()), "oauth:ann");
    SigningKey next = SigningKey::rsa("next");
    publish({&next});
    now += 11min;
    EXPECT_THAT(verify(token()), HasSubstr("401")) << "the issuer no longer has this key";
}

TEST_F(OAuthVerifier, AsksOnceForAllThatWait) {
    held.emplace(loop);
    std::vector<std::string> outcomes;
    std::vector<Running> waiting;
    for (int i = 0; i < 20; ++i)
        waiting.push_back(start(verifier.verify(token(), {kAudience}), [&](Result<Verdict> verdict) {
            outcomes.push_back(describe(verdict.value()));
        }));
    // One of them leaves, and takes nothing from the others.
    waiting.erase(waiting.begin());
    held->set(ok());
    fakes::run_until(loop, [&] { return outcomes.size() == 19; });
    EXPECT_EQ(std::ranges::count(outcomes, "oauth:ann"), 19);
    EXPECT_EQ(asked.size(), 2u);
}

TEST_F(OAuthVerifier, FindsTheMetadataOfOpenIdProviders) {
    for (const char* url : {"https://login.test/.well-known/openid-configuration/tenant",
                            "https://login.test/tenant/.well-known/openid-configuration"}) {
        pages.clear();
        publish({&rsa()});
        pages[url] = metadata();
        Verifier another(
            loop, {.issuer = kIssuer}, [this](std::string from) { return get(std::move(from)); }, log,
            [this] { return now; });
        EXPECT_EQ(describe(fakes::run_task(loop, another.verify(token(), {kAudience})).value()), "oauth:ann");
    }
    EXPECT_THAT(metadata_urls("http://localhost:9/"),
                ElementsAre("http://localhost:9/.well-known/oauth-authorization-server",
                            "http://localhost:9/.well-known/openid-configuration"));
}

TEST_F(OAuthVerifier, BelievesNoMetadataOfAnotherIssuerNorKeysThatAnybodyCouldSend) {
    auto& page = pages["https://login.test/.well-known/oauth-authorization-server/tenant"];
    for (const json::object& wrong :
         {json::object{{"issuer", "https://login.test"}, {"jwks_uri", "https://keys.test/all"}},
          json::object{{"issuer", kIssuer}, {"jwks_uri", "http://keys.test/all"}},
          json::object{{"issuer", kIssuer}, {"jwks_uri", "http://127.0.0.1/all"}},
          json::object{{"issuer", kIssuer}, {"jwks_uri", "file:///keys"}},
          json::object{{"issuer", kIssuer}}}) {
        page = wrong;
        for (const auto& [key, value] : wrong)
            if (key == "jwks_uri") pages[std::string(value.as_string())] = pages["https://keys.test/all"];
        EXPECT_THAT(verify(token()), HasSubstr("503")) << json::serialize(wrong);
        now += 6s;
    }
    page = metadata();
    EXPECT_EQ(verify(token()), "oauth:ann");
}

}  // namespace
}  // namespace oauth
