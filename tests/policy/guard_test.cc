#include "policy/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::Denial;
using policy::Guard;
using policy::Policy;
using testing::HasSubstr;

struct GuardTest : testing::Test {
    Guard guard(policy::Rules rules) {
        return Guard(Policy(std::move(rules)), [this](const Denial& denial) { told.push_back(denial.what); });
    }
    std::vector<std::string> told;
};

TEST_F(GuardTest, TellsOfEveryRefusalAndRemembersWhy) {
    Guard guard = this->guard({.blocked_domains = {"evil.test"}});

    EXPECT_TRUE(guard.may_request("https://good.test/"));
    EXPECT_FALSE(guard.may_request("https://evil.test/pixel"));

    EXPECT_THAT(told, testing::ElementsAre("https://evil.test/pixel"));
    ASSERT_TRUE(guard.why("https://evil.test/"));
    EXPECT_EQ(guard.why("https://evil.test/")->rule, "the blocked domain evil.test");
    EXPECT_FALSE(guard.why("https://good.test/"));
}

TEST_F(GuardTest, RemembersWhatTheGateRefused) {
    Guard guard = this->guard({.deny_private_networks = true});

    guard.denied({"rebound.test:443", "security.denyPrivateNetworks"});

    EXPECT_TRUE(guard.why("https://rebound.test/login"));
}

TEST_F(GuardTest, NeverLeadsAnAgentToThisServer) {
    Guard guard = this->guard({});
    guard.protect(8931);

    for (const char* url : {"http://localhost:8931/api/history", "http://127.0.0.1:8931/",
                            "http://[::1]:8931/mcp", "http://0.0.0.0:8931/", "http://a.localhost:8931/"})
        EXPECT_EQ(guard.may_visit(url).error().code, ErrorCode::PolicyDenied) << url;
    EXPECT_TRUE(guard.may_visit("http://localhost:8932/"));
    EXPECT_TRUE(guard.may_visit("http://example.com:8931/"));
    EXPECT_TRUE(guard.may_visit("chrome://version"));
}

TEST_F(GuardTest, KeepsAgentsOnTheWebWhenThereAreRules) {
    Guard guard = this->guard({.allowed_domains = {"example.com"}});

    EXPECT_TRUE(guard.may_visit("https://example.com/"));
    EXPECT_TRUE(guard.may_visit("about:blank"));
    for (const char* url :
         {"https://other.test/", "chrome://settings", "devtools://devtools/x", "file:///etc/passwd"})
        EXPECT_FALSE(guard.may_visit(url)) << url;
}

TEST_F(GuardTest, KeepsAgentsFromPrivateNetworks) {
    Guard guard = this->guard({.deny_private_networks = true});

    for (const char* url :
         {"http://localhost/", "http://10.0.0.1/", "http://[fd00::1]:8080/", "http://169.254.169.254/latest"})
        EXPECT_THAT(guard.may_visit(url).error().message, HasSubstr("denyPrivateNetworks")) << url;
    EXPECT_TRUE(guard.may_visit("https://example.com/"));
}

}  // namespace
