#include "policy/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using policy::CallRule;
using policy::Policies;
using policy::Subject;

const Subject kAnn{.session = "shop-1", .principal = "ann"}, kBob{.session = "mail", .principal = "bob"};

// The rule that denies the address; empty when none does.
std::string rule(const Policies& policies, std::string_view url, const Subject& who) {
    auto denial = policies.judge_url(url, &who);
    return denial ? denial->rule : "";
}

TEST(Policies, HoldEverybodysRulesAndTheCallersOwn) {
    Policies policies({.blocked_domains = {"ads.shop.test"}},
                      {{.session = "shop-*", .allowed_domains = {"shop.test"}}});

    EXPECT_EQ(rule(policies, "https://www.shop.test/", kAnn), "");
    EXPECT_EQ(rule(policies, "https://ads.shop.test/", kAnn),
              "the blocked domain ads.shop.test (security.blockedDomains)");
    EXPECT_EQ(rule(policies, "https://mail.test/", kAnn), "the list of allowed domains of security.rules[0]");
    EXPECT_EQ(rule(policies, "https://mail.test/", kBob), "");
}

TEST(Policies, GoByTheFirstRuleThatFits) {
    Policies policies({}, {{.principal = "ann", .blocked_domains = {"a.test"}},
                           {.principal = "bob", .tools = {"browser_*"}},
                           {.allowed_domains = {"none.test"}}});

    EXPECT_EQ(rule(policies, "https://a.test/", kAnn), "the blocked domain a.test of security.rules[0]");
    EXPECT_EQ(rule(policies, "https://b.test/", kAnn), "");
    EXPECT_EQ(rule(policies, "https://a.test/", kBob), "") << "a rule without domains allows all";
    EXPECT_EQ(rule(policies, "https://b.test/", {.session = "x"}),
              "the list of allowed domains of security.rules[2]");
}

TEST(Policies, SayWhoWasDenied) {
    Policies policies({.deny_private_networks = true}, {{.allowed_domains = {"a.test"}}});

    EXPECT_EQ(policies.judge_url("https://b.test/", &kAnn)->who.principal, "ann");
    EXPECT_EQ(policies.judge_domain("https://b.test/", kAnn)->who.session, "shop-1");
    EXPECT_EQ(policies.judge_host("b.test", "443", &kAnn)->who.principal, "ann");
    auto address = boost::asio::ip::make_address("10.0.0.1");
    EXPECT_EQ(policies.judge_address("a.test", address, &kAnn)->who.principal, "ann");
}

TEST(Policies, DenyWhatNobodyIsKnownToAskForOnceCallersAreToldApart) {
    Policies apart({}, {{.principal = "ann", .blocked_domains = {"a.test"}}});
    EXPECT_TRUE(apart.judge_url("https://b.test/", nullptr));
    EXPECT_TRUE(apart.judge_host("b.test", "443", nullptr));

    Policies alike({.blocked_domains = {"a.test"}}, {{.principal = "ann", .denied = {"browser_click"}}});
    EXPECT_FALSE(alike.judge_url("https://b.test/", nullptr));
    EXPECT_TRUE(alike.judge_url("https://a.test/", nullptr));
}

TEST(Policies, AreABoundaryForThoseWhoHaveRules) {
    Policies policies({.allowed_origins = {"https://a.test"}},
                      {{.principal = "ann", .allowed_domains = {"a.test"}}});

    EXPECT_TRUE(policies.is_boundary(kAnn));
    EXPECT_FALSE(policies.is_boundary(kBob)) << "lists of origins are none, as upstream's";
    EXPECT_TRUE(policies.judges_connections());
    EXPECT_FALSE(Policies({}, {{.tools = {"browser_*"}}}).judges_connections());
}

}  // namespace
