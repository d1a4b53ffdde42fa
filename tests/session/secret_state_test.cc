#include "session/secret_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using session::Secrets;

const std::string kValue = "p@ss \"w\" 1";

json::value state(const std::string& domain, const std::string& origin, const std::string& text) {
    return json::object{
        {"cookies", json::array{json::object{{"name", "c"}, {"value", text}, {"domain", domain}}}},
        {"origins", json::array{json::object{
                        {"origin", origin},
                        {"localStorage", json::array{json::object{{"name", "t"}, {"value", text}}}}}}}};
}

TEST(SecretState, IsTheSameAfterItWasSavedWithoutTheValues) {
    Secrets secrets({{"P", kValue}}, {{"P", {"https://a.test"}}});
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
    Secrets secrets({{"P", kValue}}, {{"P", {"https://a.test:8443"}}});
    std::string mark = "<secret>P</secret>";

    EXPECT_TRUE(session::reveal_in_state(secrets, state("a.test", "https://a.test:8443", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("evil.test", "https://a.test:8443", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("a.test", "https://evil.test", mark)));
    EXPECT_FALSE(session::reveal_in_state(secrets, state("a.test", "null", mark)));
}

}  // namespace
