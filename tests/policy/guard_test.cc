#include "policy/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::Denial;
using policy::Guard;
using policy::Policies;
using policy::Subject;
using testing::HasSubstr;

struct GuardTest : testing::Test {
    Guard guard(policy::Rules rules, std::vector<policy::CallRule> callers = {}) {
        return Guard(Policies(std::move(rules), std::move(callers)),
                     [this](const Denial& denial) { reported.push_back(denial.what); });
    }
    std::vector<std::string> reported;
};

TEST_F(GuardTest, TellsOfEveryRefusalAndRemembersWhy) {
    Guard guard = this->guard({.blocked_domains = {"evil.test"}});

    EXPECT_TRUE(guard.may_request("https://good.test/", nullptr));
    EXPECT_FALSE(guard.may_request("https://evil.test/pixel", nullptr));

    EXPECT_THAT(reported, testing::ElementsAre("https://evil.test/pixel"));
    ASSERT_TRUE(guard.why("https://evil.test/"));
    EXPECT_EQ(guard.why("https://evil.test/")->rule,
              "the blocked domain evil.test (security.blockedDomains)");
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

TEST_F(GuardTest, KeepsAgentsFromThePagesOfTheBrowser) {
    Guard guard = this->guard({});

    for (const char* url : {"chrome://settings", "CHROME:settings/x", "chrome://version.evil/",
                            "devtools://devtools/x", "chrome-extension://abc/popup.html", "edge://flags",
                            "about:settings", "about:version", " \tchrome://settings", "chr\nome://settings",
                            "view-source:chrome://settings", "view-source: chrome://settings"})
        EXPECT_EQ(guard.may_visit(url).error().code, ErrorCode::PolicyDenied) << url;
    for (const char* url :
         {"chrome://version", "chrome://crash/", "about:blank", "about:blank#x", "about:srcdoc",
          "data:text/html,chrome://settings", "https://chrome/", "file:///etc/passwd"})
        EXPECT_TRUE(guard.may_visit(url)) << url;
}

TEST_F(GuardTest, KeepsAgentsOnTheWebWhenThereAreRules) {
    Guard guard = this->guard({.allowed_domains = {"example.com"}});

    EXPECT_TRUE(guard.may_visit("https://example.com/"));
    EXPECT_TRUE(guard.may_visit("about:blank"));
    for (const char* url : {"https://other.test/", "chrome://settings", "chrome://version",
                            "devtools://devtools/x", "file:///etc/passwd", " https://other.test/",
                            "view-source:https://other.test/", "\tfile:///etc/passwd"})
        EXPECT_FALSE(guard.may_visit(url)) << url;
}

TEST_F(GuardTest, KeepsAgentsFromPrivateNetworks) {
    Guard guard = this->guard({.deny_private_networks = true});

    for (const char* url :
         {"http://localhost/", "http://10.0.0.1/", "http://[fd00::1]:8080/", "http://169.254.169.254/latest"})
        EXPECT_THAT(guard.may_visit(url).error().message, HasSubstr("denyPrivateNetworks")) << url;
    EXPECT_TRUE(guard.may_visit("https://example.com/"));
}

TEST_F(GuardTest, KeepsEachCallerToItsOwnDomains) {
    Guard guard = this->guard({}, {{.principal = "ann", .allowed_domains = {"a.test"}}});
    const Subject ann{.session = "s", .principal = "ann"}, bob{.session = "s", .principal = "bob"};

    EXPECT_TRUE(guard.may_visit("https://a.test/", ann));
    EXPECT_THAT(guard.may_visit("https://b.test/", ann).error().message,
                HasSubstr("the list of allowed domains of security.rules[0]"));
    EXPECT_FALSE(guard.may_visit("chrome://settings", ann)) << "no rule about the network holds there";
    EXPECT_TRUE(guard.may_visit("https://b.test/", bob));
    EXPECT_TRUE(guard.may_visit("chrome://version", bob));
}

TEST_F(GuardTest, TellsNobodyWhyAnotherWasRefused) {
    Guard guard = this->guard({}, {{.principal = "ann", .blocked_domains = {"b.test"}}});
    const Subject ann{.session = "s", .principal = "ann"}, bob{.session = "s", .principal = "bob"};

    EXPECT_FALSE(guard.may_request("https://b.test/", &ann));

    EXPECT_TRUE(guard.why("https://b.test/", ann));
    EXPECT_FALSE(guard.why("https://b.test/", bob));
}

}  // namespace
