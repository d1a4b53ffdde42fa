#include "policy/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::Policy;
using testing::HasSubstr;

// Whether a page may request an address.
auto origin_filter(std::vector<std::string> allowed, std::vector<std::string> blocked) {
    return [policy = Policy({.allowed_origins = std::move(allowed), .blocked_origins = std::move(blocked)})](
               const std::string& url) { return !policy.judge_url(url); };
}

TEST(Origins, JudgeNothingWithoutRules) { EXPECT_FALSE(Policy({}).judges_connections()); }

TEST(Origins, AllowsOnlyWhatIsAllowed) {
    auto may = origin_filter({"https://example.com", "playwright.dev", "localhost:8080"}, {});

    EXPECT_TRUE(may("https://example.com/x"));
    EXPECT_TRUE(may("https://example.com:443/x"));
    EXPECT_FALSE(may("http://example.com/x"));
    EXPECT_FALSE(may("https://example.com:444/"));
    EXPECT_TRUE(may("http://playwright.dev/"));
    EXPECT_TRUE(may("https://playwright.dev/"));
    EXPECT_FALSE(may("https://playwright.dev:8443/"));
    EXPECT_FALSE(may("https://sub.playwright.dev/"));
    EXPECT_TRUE(may("http://localhost:8080/"));
    EXPECT_FALSE(may("http://localhost:8081/"));
}

TEST(Origins, BlocksOnlyWhatIsBlocked) {
    auto may = origin_filter({}, {"example.com", "https://microsoft.com"});

    EXPECT_FALSE(may("https://example.com/"));
    EXPECT_FALSE(may("https://microsoft.com/"));
    EXPECT_TRUE(may("http://microsoft.com/"));
    EXPECT_TRUE(may("https://example.org/"));
}

TEST(Domains, KnowAnAddressOfIpv6HoweverItIsWritten) {
    for (const char* domain : {"::1", "[::1]"}) {
        Policy policy({.blocked_domains = {domain}});
        EXPECT_TRUE(policy.judge_url("http://[::1]:8080/")) << domain;
        EXPECT_TRUE(policy.judge_host("::1", "443")) << domain;
        EXPECT_FALSE(policy.judge_host("::2", "443")) << domain;
    }
    Policy origins({.blocked_origins = {"http://[::1]:8080"}});
    EXPECT_TRUE(origins.judge_host("::1", "8080"));
}

TEST(Origins, LetsBlockedWin) {
    EXPECT_FALSE(origin_filter({"example.com"}, {"example.com"})("https://example.com/"));
}

TEST(Origins, TakesAnyPortForAStar) {
    auto may = origin_filter({"http://localhost:*"}, {});

    EXPECT_TRUE(may("http://localhost:1234/x"));
    EXPECT_TRUE(may("http://localhost/x"));
    EXPECT_FALSE(may("https://localhost:8080/"));
    EXPECT_FALSE(may("http://example.com/"));
}

TEST(Origins, IsNotFooledByUserNamesPathsOrQueries) {
    auto may = origin_filter({"https://example.com"}, {});

    EXPECT_FALSE(may("https://example.com@evil.test/"));
    EXPECT_FALSE(may("https://evil.test/https://example.com/"));
    EXPECT_FALSE(may("https://evil.test?https://example.com/"));
    EXPECT_FALSE(may("https://evil.test\\@example.com/"));
}

TEST(Origins, LeavesPagesWithoutAnOriginAlone) {
    auto may = origin_filter({"https://example.com"}, {});

    EXPECT_TRUE(may("about:blank"));
    EXPECT_TRUE(may("data:text/html,x"));
}

TEST(Origins, TreatsWebSocketsLikeTheirPage) {
    auto may = origin_filter({"https://example.com"}, {});

    EXPECT_TRUE(may("wss://example.com/feed"));
    EXPECT_FALSE(may("wss://evil.test/feed"));
}

TEST(Domains, StandForThemselvesAndWhatIsBelowThem) {
    Policy policy({.allowed_domains = {"Example.com", "*.test"}, .blocked_domains = {"private.example.com"}});

    EXPECT_FALSE(policy.judge_url("https://example.com/"));
    EXPECT_FALSE(policy.judge_url("http://www.example.com:8080/x"));
    EXPECT_FALSE(policy.judge_url("wss://a.b.test/feed"));
    EXPECT_TRUE(policy.judge_url("https://notexample.com/"));
    EXPECT_TRUE(policy.judge_url("https://example.com.evil.org/"));
    EXPECT_TRUE(policy.judge_url("https://private.example.com/"));
    EXPECT_TRUE(policy.judge_url("https://a.private.example.com./"));
}

TEST(Domains, CannotBeEvadedByAnUnusualAddress) {
    Policy policy({.allowed_domains = {"example.com"}});

    EXPECT_FALSE(policy.judge_url("https://example.com./"));
    EXPECT_TRUE(policy.judge_url("https://user:example.com@evil.test/"));
    EXPECT_TRUE(policy.judge_url("http:evil.test"));
    EXPECT_FALSE(policy.judge_url("blob:https://example.com/1"));
}

TEST(Domains, AreReadFromAnAddressAsBrowsersReadIt) {
    Policy policy({.blocked_domains = {"evil.test"}});
    for (const char* url : {"http:evil.test", "http:/evil.test", "https:\\\\evil.test\\a",
                            "http:////evil.test//", "http:/\\/evil.test", "http://evil.test:0080/"})
        EXPECT_TRUE(policy.judge_domain(url)) << url;
}

TEST(Domains, MeanTheSameWithADotAtTheirEnd) {
    Policy blocks({.blocked_domains = {"evil.test."}});
    EXPECT_TRUE(blocks.judge_url("https://evil.test/"));
    EXPECT_TRUE(blocks.judge_url("https://a.evil.test./"));

    Policy origins({.blocked_origins = {"https://evil.test."}});
    EXPECT_TRUE(origins.judge_url("https://evil.test/"));
}

TEST(Origins, KnowAPortWhateverZerosStandBeforeIt) {
    EXPECT_TRUE(Policy({.blocked_origins = {"http://evil.test"}}).judge_url("http://evil.test:0080/"));
    EXPECT_TRUE(Policy({.blocked_origins = {"http://evil.test:8080"}}).judge_url("http://evil.test:08080/"));
}

TEST(Denials, NameTheRuleThatFired) {
    Policy policy({.blocked_domains = {"*.evil.test"}});

    auto denial = policy.judge_url("https://a.evil.test/x");

    ASSERT_TRUE(denial);
    EXPECT_EQ(denial->rule, "the blocked domain *.evil.test (security.blockedDomains)");
    EXPECT_EQ(denial->error().code, ErrorCode::PolicyDenied);
    EXPECT_THAT(denial->error().message, HasSubstr("https://a.evil.test/x"));
}

TEST(Tunnels, AreJudgedByHostAndPort) {
    Policy policy({.allowed_origins = {"https://example.com", "http://localhost:*"},
                   .blocked_origins = {"https://localhost:9"}});

    EXPECT_FALSE(policy.judge_host("example.com", "443"));
    EXPECT_TRUE(policy.judge_host("example.com", "80"));
    EXPECT_FALSE(policy.judge_host("LOCALHOST", "8080"));
    EXPECT_TRUE(policy.judge_host("localhost", "9"));
    EXPECT_TRUE(policy.judge_host("evil.test", "443"));
}

TEST(PrivateNetworks, AreDeniedByTheAddressThatANameLeadsTo) {
    Policy policy({.deny_private_networks = true});
    auto judge = [&](const char* address) {
        return policy.judge_address("name.test", boost::asio::ip::make_address(address)).has_value();
    };

    for (const char* address : {"127.0.0.1",
                                "127.9.9.9",
                                "10.1.2.3",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.168.1.1",
                                "169.254.169.254",
                                "100.64.0.1",
                                "0.0.0.0",
                                "224.0.0.1",
                                "255.255.255.255",
                                "::1",
                                "::",
                                "fe80::1",
                                "fc00::1",
                                "fd12::1",
                                "ff02::1",
                                "::ffff:10.0.0.1",
                                "64:ff9b::7f00:1",
                                "2002:c0a8:101::1",
                                "::127.0.0.1",
                                "::ffff:0:10.0.0.1",
                                "64:ff9b:1::a00:1",
                                "64:ff9b:1:a00:0:100::",
                                "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"})
        EXPECT_TRUE(judge(address)) << address;
    for (const char* address :
         {"1.1.1.1", "172.32.0.1", "172.15.255.255", "100.128.0.1", "192.169.0.1", "2606:4700::1",
          "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "::ffff:0:8.8.8.8", "64:ff9b:2::a00:1"})
        EXPECT_FALSE(judge(address)) << address;
    EXPECT_THAT(policy.judge_address("name.test", boost::asio::ip::make_address("10.0.0.1"))->what,
                HasSubstr("name.test (10.0.0.1)"));
}

}  // namespace
