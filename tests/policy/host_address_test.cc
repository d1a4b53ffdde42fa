#include "policy/host_address.h"

#include <gtest/gtest.h>

#include "policy/policies.h"

namespace {

using policy::comparable_host;
using policy::Policy;

// Ways to write 169.254.169.254 that browsers take.
const char* const kSpellings[] = {"169.254.169.254",
                                  "169.254.169.254.",
                                  "2852039166",
                                  "0xa9fea9fe",
                                  "0XA9FEA9FE",
                                  "025177524776",
                                  "0xa9.0xfe.0xa9.0xfe",
                                  "0251.0376.0251.0376",
                                  "169.254.43518",
                                  "169.16689662",
                                  "169.254.0xa9.0376",
                                  "%31%36%39.254.169.254",
                                  "[::ffff:169.254.169.254]",
                                  "[::ffff:a9fe:a9fe]",
                                  "[0:0:0:0:0:FFFF:A9FE:A9FE]",
                                  "[::FFFF:169.254.169.254]"};
// Roads of IPv6 that end there.
const char* const kRoads[] = {"[64:ff9b::a9fe:a9fe]", "[64:ff9b::169.254.169.254]", "[2002:a9fe:a9fe::1]",
                              "[::a9fe:a9fe]", "[::ffff:0:169.254.169.254]", "[::ffff:0:a9fe:a9fe]",
                              // NAT64 for local use, with prefixes of 48, 56, 64 and 96 bits.
                              "[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1:ffa9:fe:a9fe::]",
                              "[64:ff9b:1:abcd:a9:fea9:fe00:0]", "[64:ff9b:1::a9fe:a9fe]",
                              "[64:ff9b:1:2:3:4:169.254.169.254]"};

TEST(ComparableHost, IsOneTextForAllSpellingsOfAnAddress) {
    for (const char* spelling : kSpellings)
        EXPECT_EQ(comparable_host(spelling), "169.254.169.254") << spelling;
    EXPECT_EQ(comparable_host("[0:0:0:0:0:0:0:1]"), "[::1]");
    EXPECT_EQ(comparable_host("::1"), "[::1]");
}

TEST(ComparableHost, LeavesNamesAndPatternsAsTheyAre) {
    for (const char* name :
         {"example.com", "example.com.", "169.254.*", "169.254.169.25?", "1.2.3.4.5", "256.1.1.1",
          "1.2.3.256", "4294967296", "1.2.3.4.example.com", "0x", "*", "", "[::ffff:*]", "a.b:c"}) {
        bool is_zero = std::string_view(name) == "0x";
        EXPECT_EQ(comparable_host(name), is_zero ? "0.0.0.0" : name);
    }
    EXPECT_EQ(comparable_host("EXAMPLE.com"), "example.com");
}

TEST(BlockedAddresses, AreBlockedInEverySpellingOnEveryRoad) {
    for (const char* rule : kSpellings) {
        Policy domains({.blocked_domains = {rule}});
        Policy origins({.blocked_origins = {std::string("http://") + rule}});
        for (const char* host : kSpellings) {
            std::string url = std::string("http://") + host + "/latest";
            EXPECT_TRUE(domains.judge_url(url)) << rule << " " << url;
            EXPECT_TRUE(domains.judge_host(host, "443")) << rule << " " << host;
            EXPECT_TRUE(origins.judge_url(url)) << rule << " " << url;
        }
        for (const char* host : kRoads) EXPECT_TRUE(domains.judge_url(std::string("http://") + host + "/"));
        EXPECT_FALSE(domains.judge_url("http://169.254.169.253/"));
        EXPECT_FALSE(domains.judge_url("http://[2002:a9fe:a9fd::1]/"));
        EXPECT_FALSE(domains.judge_url("http://[64:ff9b:1::a9fe:a9fd]/"));
        EXPECT_FALSE(domains.judge_url("http://[64:ff9b:2::a9fe:a9fe]/"));
        EXPECT_FALSE(domains.judge_url("http://[::ffff:1:a9fe:a9fe]/"));
    }
    EXPECT_TRUE(Policy({.blocked_domains = {"169.254.*"}}).judge_url("http://[::ffff:169.254.1.2]/"));
}

TEST(BlockedAddresses, AreBlockedWhateverNameLeadsThere) {
    Policy policy({.blocked_domains = {"169.254.169.254", "fd00::1"}});
    for (const char* address : {"169.254.169.254", "::ffff:169.254.169.254", "fd00::1", "64:ff9b::a9fe:a9fe",
                                "64:ff9b:1::a9fe:a9fe", "::ffff:0:a9fe:a9fe"}) {
        auto denial = policy.judge_address("evil.test", boost::asio::ip::make_address(address));
        ASSERT_TRUE(denial) << address;
        EXPECT_TRUE(denial->rule.starts_with("the blocked domain ")) << denial->rule;
    }
    EXPECT_FALSE(policy.judge_address("good.test", boost::asio::ip::make_address("93.184.216.34")));

    policy::Policies of_bot({}, {{.principal = "bot", .blocked_domains = {"10.0.0.1"}}});
    auto address = boost::asio::ip::make_address("10.0.0.1");
    policy::Subject bot{"", "bot"}, ann{"", "ann"};
    EXPECT_TRUE(of_bot.judge_address("evil.test", address, &bot));
    EXPECT_FALSE(of_bot.judge_address("evil.test", address, &ann));
}

TEST(AllowedAddresses, AreAllowedInEverySpellingAndNothingElseIs) {
    Policy policy({.allowed_domains = {"169.254.169.254"}});
    for (const char* host : kSpellings)
        EXPECT_FALSE(policy.judge_url(std::string("http://") + host + "/")) << host;
    for (const char* host : {"169.254.169.25", "[::ffff:169.254.169.253]", "[::1]", "2852039167",
                             "169.254.169.254.evil.test", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]"})
        EXPECT_TRUE(policy.judge_url(std::string("http://") + host + "/")) << host;
}

}  // namespace
