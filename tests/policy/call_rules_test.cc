#include "policy/call_rules.h"

#include <gtest/gtest.h>

namespace {

using policy::CallRule;
using policy::CallRules;
using policy::Subject;
using namespace std::chrono_literals;

const CallRules::Clock::time_point kNow{1h};

TEST(CallRules, LetEverybodyDoEverythingUnlessTheySayOtherwise) {
    EXPECT_FALSE(CallRules().broken({"any", "body"}, "browser_click", ""));
    CallRules rules({{.session = "reader-*", .tools = {"browser_snapshot"}}});
    EXPECT_FALSE(rules.broken({"writer"}, "browser_click", ""));
}

TEST(CallRules, NameTheToolsOfASession) {
    CallRules rules({{.session = "reader-*", .tools = {"browser_snapshot", "get_*"}}});

    EXPECT_FALSE(rules.broken({"reader-1"}, "browser_snapshot", ""));
    EXPECT_FALSE(rules.broken({"reader-1"}, "get_text", "toolkit"));
    EXPECT_EQ(rules.broken({"reader-1"}, "browser_click", ""), "security.rules[0]");
}

TEST(CallRules, NameTheCapabilitiesOfAPrincipal) {
    CallRules rules({{.principal = "ann", .capabilities = {"core"}}, {.capabilities = {"toolkit"}}});

    EXPECT_FALSE(rules.broken({"", "ann"}, "browser_click", ""));
    EXPECT_EQ(rules.broken({"", "ann"}, "get_text", "toolkit"), "security.rules[0]");
    EXPECT_EQ(rules.broken({"", "bob"}, "browser_click", ""), "security.rules[1]");
}

TEST(CallRules, DenyWhatTheyAllowOtherwise) {
    CallRules rules({{.capabilities = {"core"}, .denied = {"browser_evaluate"}}});

    EXPECT_FALSE(rules.broken({}, "browser_click", ""));
    EXPECT_TRUE(rules.broken({}, "browser_evaluate", ""));
}

TEST(CallRules, CountByTheFirstThatFits) {
    CallRules rules({{.principal = "ann"}, {.denied = {"*"}}});

    EXPECT_FALSE(rules.broken({"", "ann"}, "browser_click", ""));
    EXPECT_TRUE(rules.broken({"", ""}, "browser_click", ""));
}

TEST(CallRules, WithScopesAreForTokensThatHaveAllOfThem) {
    CallRules rules({{.scopes = {"click", "browse"}}, {.tools = {"browser_snapshot"}}});

    EXPECT_FALSE(rules.broken({"", "ann", {"browse", "other", "click"}}, "browser_click", ""));
    for (const std::vector<std::string>& scopes :
         {std::vector<std::string>{}, {"click"}, {"browse", "clic?"}, {"browse", "*"}, {"browse click"}})
        EXPECT_EQ(rules.broken({"", "ann", scopes}, "browser_click", ""), "security.rules[1]");
}

TEST(CallRules, LimitCallsAMinuteForEachCaller) {
    CallRules rules({{.calls_per_minute = 2}});
    EXPECT_FALSE(rules.take({"a"}, kNow));
    EXPECT_FALSE(rules.take({"b"}, kNow));

    auto wait = rules.take({"c"}, kNow);

    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->time, 30s);
    EXPECT_EQ(wait->rule, "security.rules[0]");
    EXPECT_FALSE(rules.take({"a", "ann"}, kNow));
    EXPECT_FALSE(rules.take({"a"}, kNow + 30s));
    EXPECT_TRUE(rules.take({"a"}, kNow + 30s));
}

TEST(CallRules, LimitAPrincipalWhateverSessionsItMakesUp) {
    for (const char* pattern : {"*", "?*", "s*", "s-?*"}) {
        CallRules rules({{.principal = "*", .session = pattern, .calls_per_minute = 3}});
        int passed = 0;
        for (int i = 0; i < 100; ++i) passed += rules.take({"s-" + std::to_string(i), "bot"}, kNow) ? 0 : 1;
        EXPECT_EQ(passed, 3) << pattern;
        EXPECT_FALSE(rules.take({"s-1", "ann"}, kNow)) << pattern;
        EXPECT_FALSE(rules.take({"s-1", ""}, kNow)) << pattern;
    }
}

TEST(CallRules, KeepTheirBucketsBoundedHoweverManyPrincipalsThereAre) {
    CallRules rules({{.calls_per_minute = 1}});
    int passed = 0;
    for (int i = 0; i < 30'000; ++i) passed += rules.take({"", std::to_string(i)}, kNow) ? 0 : 1;
    EXPECT_LE(passed, 10'001);
    EXPECT_FALSE(rules.take({"", "later"}, kNow + 2min));
}

TEST(CallRules, SaveUpNoMoreThanAMinute) {
    CallRules rules({{.calls_per_minute = 1}});
    EXPECT_FALSE(rules.take({}, kNow));

    EXPECT_FALSE(rules.take({}, kNow + 1h));
    EXPECT_TRUE(rules.take({}, kNow + 1h));
}

}  // namespace
