#include "session/secrets.h"

#include <gtest/gtest.h>

namespace {

using session::Secrets;

TEST(Secrets, AreShownByName) {
    Secrets secrets({{"X-PASSWORD", "password123"}, {"TOKEN", "abc"}});

    EXPECT_EQ(secrets.redact("login password123 with abc, password123"),
              "login <secret>X-PASSWORD</secret> with <secret>TOKEN</secret>, <secret>X-PASSWORD</secret>");
}

TEST(Secrets, AreFoundByName) {
    Secrets secrets({{"X-PASSWORD", "password123"}});

    EXPECT_EQ(secrets.find("X-PASSWORD"), "password123");
    EXPECT_FALSE(secrets.find("password123"));
}

TEST(Secrets, WithoutAValueDoNotCount) {
    Secrets secrets({{"EMPTY", ""}});

    EXPECT_EQ(secrets.redact("text"), "text");
    EXPECT_FALSE(secrets.find("EMPTY"));
    EXPECT_TRUE(secrets.empty());
}

TEST(Secrets, AreHiddenAsAddressesAndJsonWriteThem) {
    Secrets secrets({{"P", "a b/\"ü"}});

    EXPECT_EQ(secrets.redact("?q=a%20b%2F%22%C3%BC&r=a+b%2F%22%C3%BC"),
              "?q=<secret>P</secret>&r=<secret>P</secret>");
    EXPECT_EQ(secrets.redact("{\"q\":\"a b/\\\"ü\"}"), "{\"q\":\"<secret>P</secret>\"}");
}

TEST(Secrets, AreForTheOriginsTheyAreBoundTo) {
    Secrets secrets({{"P", "x"}, {"Q", "y"}}, {{"P", {"https://*.example.com"}}});

    EXPECT_TRUE(secrets.is_for("P", "https://login.example.com"));
    for (const char* origin :
         {"http://login.example.com", "https://example.com", "https://login.example.com:8443",
          "https://login.example.com.evil.test", "https://x@evil.test", "null", "about:blank", ""})
        EXPECT_FALSE(secrets.is_for("P", origin)) << origin;
    EXPECT_TRUE(secrets.is_for("Q", "https://anywhere.test"));
    EXPECT_EQ(secrets.origins_of("Q"), nullptr);
}

TEST(Secrets, HideTheLongerOneFirst) {
    Secrets secrets({{"A", "pass"}, {"B", "password"}});

    EXPECT_EQ(secrets.redact("password pass"), "<secret>B</secret> <secret>A</secret>");
}

}  // namespace
