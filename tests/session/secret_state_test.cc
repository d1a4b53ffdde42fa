#include "session/secret_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using session::Secrets;

const std::string kValue = "p@ss \"w\" 1";

json::value state(const std::string& domain, const std::string& origin, const std::string& text) {
    return json::object{
        {"cookies",
         json::array{json::object{{"name", "c"}, {"value", text}, {"domain", domain}, {"secure", true}}}},
        {"origins", json::array{json::object{
                        {"origin", origin},
                        {"localStorage", json::array{json::object{{"name", "t"}, {"value", text}}}}}}}};
}

TEST(SecretState, IsTheSameAfterItWasSavedWithoutTheValues) {
    Secrets secrets({{"P", kValue}}, {{"P", {"https://a.test:*"}}});
    for (const std::string& text : {kValue, "x" + kValue + "y" + kValue, std::string("p%40ss%20%22w%22%201"),
                                    std::string("{\"p\":\"p@ss \\\"w\\\" 1\"}"), std::string("no secret"),
                                    std::string("<secret>Q</secret>")}) {
        json::value given = state("a.test", "https://a.test", text);
        json::value saved = session::hide_in_state(secrets, given);
        EXPECT_FALSE(secrets.redactor().finds_any(json::serialize(saved)));
        auto loaded = session::reveal_in_state(secrets, saved);
        ASSERT_TRUE(loaded);
        EXPECT_EQ(*loaded, given) << text;
    }
}

TEST(SecretState, IsNotLoadedForOthersThanASecretIsFor) {
    Secrets secrets({{"P", kValue}}, {{"P", {"https://a.test:*"}}});
    std::string mark = "<secret>P</secret>";

    EXPECT_TRUE(session::reveal_in_state(secrets, state("a.test", "https://a.test:8443", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("evil.test", "https://a.test:8443", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("a.test", "https://evil.test", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("a.test", "null", mark)));
}

// Whether a cookie may get the secret that is bound to these origins.
bool takes(const std::vector<std::string>& rules, json::object cookie) {
    Secrets secrets({{"P", kValue}}, {{"P", rules}});
    cookie["name"] = "c";
    cookie["value"] = "<secret>P</secret>";
    return session::reveal_in_state(secrets, json::object{{"cookies", json::array{cookie}}}).has_value();
}

TEST(SecretState, HasASecretInACookieOnlyIfAllWhoReceiveItMayHaveTheSecret) {
    json::object host{{"domain", "a.test"}, {"secure", true}}, insecure{{"domain", "a.test"}},
        domain{{"domain", ".a.test"}, {"secure", true}};
    EXPECT_TRUE(takes({"https://a.test:*"}, host));
    EXPECT_TRUE(takes({"a.test:*"}, insecure));
    EXPECT_TRUE(takes({"https://a.test:*", "http://a.test:*"}, insecure));
    EXPECT_TRUE(takes({"https://a.test:*", "https://*.a.test:*"}, domain));
    EXPECT_TRUE(takes({"https://*a.test:*"}, domain));
    EXPECT_TRUE(takes({"https://A.test:*"}, {{"url", "https://a.TEST:99/x"}, {"secure", true}}));

    EXPECT_FALSE(takes({"https://a.test"}, host));  // a cookie goes to every port
    EXPECT_FALSE(takes({"https://a.test:8443"}, host));
    EXPECT_FALSE(takes({"a.test"}, host));
    EXPECT_FALSE(takes({"https://a.test:*"}, insecure));
    EXPECT_FALSE(takes({"http://a.test:*"}, insecure));
    EXPECT_FALSE(takes({"https://a.test:*"}, domain));
    EXPECT_FALSE(takes({"https://*.a.test:*"}, domain));
    EXPECT_FALSE(takes({"https://a.test:*", "https://??.a.test:*", "https://?.a.test:*"}, domain));
    // Browsers send these over http, secure or not.
    for (const char* local : {"localhost", "app.localhost", "127.0.0.1", "[::1]"})
        EXPECT_FALSE(takes({"https://*:*"}, {{"domain", local}, {"secure", true}})) << local;
}

TEST(SecretState, HasNoSecretInACookieOfAHostThatTheBrowserReadsInAnotherWay) {
    for (const char* domain :
         {"evil.test/.a.test", "evil.test?.a.test", "evil.test#.a.test", "evil.test\\.a.test",
          "evil.test%2f.a.test", "..a.test", ".", "", "evil.test\t.a.test"})
        EXPECT_FALSE(takes({"*.a.test:*"}, {{"domain", domain}, {"secure", true}})) << domain;
    EXPECT_FALSE(takes({"a.test:*"}, {{"domain", "a.test"}, {"url", "https://evil.test"}}));
    EXPECT_FALSE(takes({"a.test:*"}, {{"domain", "a.test@evil.test"}}));
    EXPECT_FALSE(takes({"a.test:*"}, json::object{}));
}

}  // namespace
