#include "oauth/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oauth {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Time kNow = Time(std::chrono::seconds(1'800'000'000));
constexpr std::int64_t kSeconds = 1'800'000'000;

json::object usual() {
    return {{"iss", "https://login.test"},
            {"aud", "http://localhost:1/mcp"},
            {"sub", "ann"},
            {"exp", kSeconds + 300},
            {"iat", kSeconds - 5},
            {"scope", "browse read"}};
}

Verdict check(const json::object& claims, std::vector<std::string> scopes = {"browse"}) {
    return check_claims(claims,
                        {.issuer = "https://login.test",
                         .audiences = {"http://localhost:1", "http://localhost:1/mcp"},
                         .scopes = std::move(scopes)},
                        kNow);
}

std::string refusal_of(std::string_view name, const json::value& value) {
    json::object claims = usual();
    claims[name] = value;
    Verdict verdict = check(claims);
    auto* refusal = std::get_if<Refusal>(&verdict);
    return refusal ? refusal->message : "accepted";
}

TEST(OAuthClaims, SayWhoSendsATokenAndUntilWhen) {
    auto grant = std::get<Grant>(check(usual()));
    EXPECT_EQ(grant.principal, "oauth:ann");
    EXPECT_EQ(grant.expires, kNow + 300s);
    EXPECT_EQ(refusal_of("aud", json::array{"https://other.test", "http://localhost:1"}), "accepted");
    EXPECT_EQ(refusal_of("exp", 1'800'000'000.5), "accepted");
}

TEST(OAuthClaims, GiveAllScopesOfATokenNotOnlyTheRequiredOnes) {
    auto scopes_of = [](const char* claim, const json::value& value) {
        json::object claims = usual();
        claims.erase("scope");
        claims[claim] = value;
        return std::get<Grant>(check(claims)).scopes;
    };
    EXPECT_THAT(scopes_of("scope", "browse click"), testing::ElementsAre("browse", "click"));
    EXPECT_THAT(scopes_of("scp", json::array{"browse", "click"}), testing::ElementsAre("browse", "click"));
}

TEST(OAuthClaims, MustBeOfTheIssuerAndForThisServer) {
    for (const json::value& issuer : {json::value("https://login.test/"), json::value("https://LOGIN.test"),
                                      json::value(nullptr), json::value(json::array{"https://login.test"})})
        EXPECT_THAT(refusal_of("iss", issuer), HasSubstr("another issuer"));
    for (const json::value& audience :
         {json::value("http://localhost:1/mcp2"), json::value("http://localhost:2/mcp"),
          json::value("HTTP://localhost:1/mcp"), json::value(json::array{}), json::value(json::array{1}),
          json::value(""), json::value(nullptr), json::value(json::object{{"http://localhost:1", true}})})
        EXPECT_THAT(refusal_of("aud", audience), HasSubstr("audience")) << json::serialize(audience);
    json::object without = usual();
    without.erase("aud");
    EXPECT_TRUE(std::holds_alternative<Refusal>(check(without)));
}

TEST(OAuthClaims, HoldForTheirTimeAndALittle) {
    EXPECT_EQ(refusal_of("exp", kSeconds - 29), "accepted");
    EXPECT_THAT(refusal_of("exp", kSeconds - 30), HasSubstr("expired"));
    EXPECT_EQ(refusal_of("nbf", kSeconds + 30), "accepted");
    EXPECT_THAT(refusal_of("nbf", kSeconds + 31), HasSubstr("not valid yet"));
    EXPECT_THAT(refusal_of("iat", kSeconds + 31), HasSubstr("not valid yet"));
    for (const char* name : {"exp", "nbf", "iat"})
        for (const json::value& time :
             {json::value("1800000300"), json::value(-1), json::value(1e300), json::value(nullptr)})
            EXPECT_THAT(refusal_of(name, time), HasSubstr("no time")) << name << json::serialize(time);
    json::object forever = usual();
    forever.erase("exp");
    EXPECT_TRUE(std::holds_alternative<Refusal>(check(forever)));
}

TEST(OAuthClaims, NameAPrincipalThatIsNoPatternOfOthers) {
    for (const json::value& name :
         {json::value(""), json::value("*"), json::value("a?n"), json::value("a\nb"), json::value(7),
          json::value(std::string(256, 'a')), json::value("\xff"), json::value(nullptr)})
        EXPECT_THAT(refusal_of("sub", name), HasSubstr("who its bearer is")) << json::serialize(name);
    EXPECT_EQ(refusal_of("sub", "auth0|5f7c/Ann Ä"), "accepted");
}

TEST(OAuthClaims, HaveAllScopesThatAreAskedFor) {
    EXPECT_TRUE(std::holds_alternative<Grant>(check(usual(), {"read", "browse"})));
    Verdict verdict = check(usual(), {"browse", "write"});
    EXPECT_EQ(std::get<Refusal>(verdict).reason, Refusal::Reason::InsufficientScope);
    EXPECT_THAT(std::get<Refusal>(verdict).message, HasSubstr("write"));
    json::object listed = usual();
    listed.erase("scope");
    EXPECT_TRUE(std::holds_alternative<Refusal>(check(listed)));
    listed["scp"] = json::array{"browse"};
    EXPECT_TRUE(std::holds_alternative<Grant>(check(listed)));
}

TEST(OAuthClaims, AreNotBoundToAKeyThatIsNotAskedFor) {
    EXPECT_THAT(refusal_of("cnf", json::object{{"jkt", "x"}}), HasSubstr("bound"));
}

}  // namespace
}  // namespace oauth
