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

TEST(Secrets, HideTheLongerOneFirst) {
    Secrets secrets({{"A", "pass"}, {"B", "password"}});

    EXPECT_EQ(secrets.redact("password pass"), "<secret>B</secret> <secret>A</secret>");
}

}  // namespace
