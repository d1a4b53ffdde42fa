#include "config/table.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"
#include "config/parse.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OptionTable, GivesEveryOptionItsOwnKeyFlagAndVariables) {
    std::set<std::string> keys;
    std::set<std::string> flags;
    std::set<std::string> names;
    for (const Option& option : kOptions) {
        if (!option.key.empty()) EXPECT_TRUE(keys.emplace(option.key).second) << option.key;
        if (!option.flag.empty()) EXPECT_TRUE(flags.emplace(option.flag).second) << option.flag;
        if (!option.alias.empty()) EXPECT_TRUE(flags.emplace(option.alias).second) << option.alias;
        for (const std::string& name : variables(option)) EXPECT_TRUE(names.insert(name).second) << name;
    }
}

TEST(OptionTable, FindsAnOptionByEachOfItsNames) {
    for (const Option& option : kOptions) {
        if (!option.key.empty()) EXPECT_EQ(find_by_key(option.key), &option);
        if (!option.flag.empty()) EXPECT_EQ(find_by_flag(option.flag), &option);
        if (!option.alias.empty()) EXPECT_EQ(find_by_flag(option.alias), &option);
        for (const std::string& name : variables(option)) EXPECT_EQ(find_by_variable(name), &option) << name;
    }
}

TEST(OptionTable, NeverMakesAFlagLookLikeTheNegationOfAnother) {
    for (const Option& option : kOptions) EXPECT_FALSE(option.flag.starts_with("no-")) << option.flag;
}

TEST(OptionTable, HoldsOnlyDefaultsThatTheOptionItselfAccepts) {
    for (const Option& option : kOptions) {
        if (!option.default_value.empty()) EXPECT_TRUE(from_text(option, option.default_value)) << option.key;
    }
}

TEST(OptionTable, ExplainsEveryOptionInASentence) {
    for (const Option& option : kOptions) {
        EXPECT_TRUE(option.help.ends_with('.')) << option.key << option.flag;
        bool needs_value = !option.flag.empty() && takes_value(option);
        EXPECT_EQ(needs_value, option.value.starts_with('<')) << option.flag;
        EXPECT_EQ(option.type == Type::Choice || option.type == Type::Json || option.key == "capabilities",
                  !option.choices.empty())
            << option.key;
    }
}

TEST(OptionTable, LetsNoKeyStandBothForAValueAndForASection) {
    for (const Option& option : kOptions) {
        if (option.type != Type::OpenSection) EXPECT_FALSE(is_section(option.key)) << option.key;
    }
}

TEST(OptionTable, KeepsItsChoicesInTheOrderOfTheEnumerators) {
    EXPECT_THAT(choices(Key("browser.browserName").option()), ElementsAre("chromium", "firefox", "webkit"));
    EXPECT_THAT(choices(Key("codegen").option()),
                ElementsAre("typescript", "python", "java", "csharp", "none"));
    EXPECT_THAT(choices(Key("snapshot.mode").option()), ElementsAre("full", "none"));
    EXPECT_THAT(choices(Key("imageResponses").option()), ElementsAre("allow", "omit", "only"));
    EXPECT_THAT(choices(Key("filePaths").option()), ElementsAre("relative", "absolute"));
    EXPECT_THAT(choices(Key("console.level").option()), ElementsAre("error", "warning", "info", "debug"));
    EXPECT_THAT(choices(Key("browser.contextOptions.serviceWorkers").option()),
                ElementsAre("allow", "block"));
    EXPECT_THAT(choices(Key("logging.level").option()),
                ElementsAre("trace", "debug", "info", "warn", "error"));
    EXPECT_THAT(choices(Key("logging.format").option()), ElementsAre("text", "json"));
}

TEST(OptionTable, NamesVariablesAfterTheFlagAndElseAfterTheKey) {
    EXPECT_THAT(variables(Key("browser.userDataDir").option()),
                ElementsAre("TROUPE_USER_DATA_DIR", "PLAYWRIGHT_MCP_USER_DATA_DIR"));
    EXPECT_THAT(variables(Key("browser.cdpHeaders").option()),
                ElementsAre("TROUPE_CDP_HEADER", "PLAYWRIGHT_MCP_CDP_HEADERS"));
    EXPECT_THAT(variables(Key("server.authToken").option()), ElementsAre("TROUPE_AUTH_TOKEN"));
    EXPECT_THAT(variables(Key("pool.minBrowsers").option()), ElementsAre("TROUPE_POOL_MIN_BROWSERS"));
    EXPECT_THAT(variables(Key("browser.launchOptions.args").option()), IsEmpty());
}

TEST(OptionTable, FindsTheNameThatWasMeant) {
    EXPECT_EQ(nearest_key("server.prot"), "server.port");
    EXPECT_EQ(nearest_key("browser.headless"), "browser.launchOptions.headless");
    EXPECT_EQ(nearest_key("completely.different.thing"), "");
    EXPECT_EQ(nearest_key("session.defaultTimeot"), "session.defaultTimeout");
    EXPECT_EQ(nearest_key("logging.dest"), "logging.destination");
    EXPECT_EQ(nearest_key("browser.typ"), "browser.type");
    EXPECT_EQ(nearest_key("tabIsolation.requireTab"), "tabIsolation.requireTabId");
    EXPECT_EQ(nearest_key("agentid"), "agentId");
    EXPECT_EQ(nearest_key("tabIsolation.tabIds"), "session.tabIds");
    EXPECT_EQ(nearest_key("transprt"), "transport");
    EXPECT_EQ(nearest_key("securty"), "security");
    EXPECT_EQ(nearest_key("session_timeout"), "server.sessionTimeout");
    EXPECT_EQ(nearest_flag("cdp"), "cdp-endpoint");
    EXPECT_EQ(nearest_flag("database-path"), "record-path");
    EXPECT_EQ(nearest_variable("TROUPE_BOGUS"), "");
    EXPECT_EQ(nearest_flag("hedless"), "headless");
    EXPECT_EQ(nearest_flag("no-sandbx"), "no-sandbox");
    EXPECT_EQ(nearest_variable("TROUPE_AUTH_TOKN"), "TROUPE_AUTH_TOKEN");
}

}  // namespace
}  // namespace config
