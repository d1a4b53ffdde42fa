#include "config/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/help.h"
#include "config/schema.h"
#include "tests/config/loading.h"
#include "util/strings.h"

namespace config {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// The line of a key with its runs of spaces as one.
std::string line_of(const Loaded& from, std::string_view key) {
    for (const std::string& line : split(print(from), '\n')) {
        if (!line.starts_with(std::string(key) + " ")) continue;
        std::string squeezed;
        for (char c : line) {
            if (c != ' ' || !squeezed.ends_with(' ')) squeezed += c;
        }
        return squeezed;
    }
    return "no line";
}

TEST(ConfigPrint, ShowsEachValueWithItsOrigin) {
    Loaded from = loaded(load_file("timeouts.action = 1", {"--port", "8931", "--viewport-size=800x600"},
                                   {{"TROUPE_CAPS", "pdf,vision"}, {"PLAYWRIGHT_MCP_BROWSER", "msedge"}}));

    EXPECT_EQ(line_of(from, "server.port"), "server.port 8931 flag --port");
    EXPECT_EQ(line_of(from, "server.host"), "server.host localhost default");
    EXPECT_EQ(line_of(from, "timeouts.action"), "timeouts.action 1 file troupe.conf");
    EXPECT_EQ(line_of(from, "capabilities"), R"(capabilities ["pdf","vision"] env TROUPE_CAPS)");
    EXPECT_EQ(line_of(from, "browser.contextOptions.viewport"),
              "browser.contextOptions.viewport 800x600 flag --viewport-size");
    EXPECT_EQ(line_of(from, "browser.launchOptions.channel"),
              "browser.launchOptions.channel msedge env PLAYWRIGHT_MCP_BROWSER");
}

TEST(ConfigPrint, SaysWhichVariableADefaultComesFrom) {
    EXPECT_EQ(line_of(loaded(load_flags({}, {{"PW_LANG_NAME", "java"}})), "codegen"),
              "codegen java default by PW_LANG_NAME");
}

TEST(ConfigPrint, AlignsItsColumns) {
    std::vector<std::string> lines = split(print(loaded(load_flags({}))), '\n');
    lines.pop_back();  // behind the last newline

    std::size_t column = lines[0].find("default");
    for (const std::string& line : lines) EXPECT_EQ(line.find("default", column - 1), column) << line;
}

TEST(ConfigPrint, MasksSecretsEverywhere) {
    Loaded from = loaded(load_file(R"({
        "server": {"authToken": "hunter2"},
        "secrets": {"PASSWORD": "hunter2"},
        "browser": {
            "cdpHeaders": {"Authorization": "hunter2"}, "cdpEndpoint": "wss://me:hunter2@host:1/x?token=hunter2",
            "launchOptions": {"proxy": {"server": "http://me:hunter2@proxy", "password": "hunter2"}},
            "contextOptions": {"httpCredentials": {"username": "me", "password": "hunter2"},
                               "storageState": {"cookies": [{"value": "hunter2"}]}}}})"));

    for (const std::string& text : {print(from), print_json(from), json::serialize(effective(from.values))}) {
        EXPECT_THAT(text, Not(HasSubstr("hunter2")));
        EXPECT_THAT(text, AllOf(HasSubstr("PASSWORD"), HasSubstr("wss://***@host:1/x?***")));
    }
    EXPECT_EQ(line_of(from, "server.authToken"), "server.authToken *** file troupe.conf");
}

TEST(ConfigPrint, ShowsThePathOfASecretFile) {
    EXPECT_EQ(
        line_of(loaded(load_flags({"--storage-state=state.json"})), "browser.contextOptions.storageState"),
        "browser.contextOptions.storageState state.json flag --storage-state");
}

TEST(ConfigPrint, LeavesOutWhatIsUnset) {
    std::string text = print(loaded(load_flags({})));

    EXPECT_THAT(text, Not(HasSubstr("server.port")));
    EXPECT_THAT(print(loaded(load_flags({"--isolation=shared"}))), HasSubstr("session.isolation"));
}

TEST(ConfigPrint, SpeaksJson) {
    auto parsed = json::parse(print_json(loaded(load_flags({"--port=1"}))));

    ASSERT_TRUE(parsed);
    EXPECT_EQ(json::serialize(*json::find(*parsed, "server.port")), R"({"value":1,"origin":"flag --port"})");
}

TEST(EffectiveConfig, HasTheShapeOfAFile) {
    Loaded from =
        loaded(load_file(R"({"browser": {"launchOptions": {"fromTheFuture": 1, "channel": "msedge"}}})"));
    json::value all = effective(from.values);

    EXPECT_EQ(*json::find_path(all, {"timeouts", "action"}), 5000);
    EXPECT_EQ(*json::find_path(all, {"browser", "launchOptions", "fromTheFuture"}), 1);
    EXPECT_EQ(*json::find_path(all, {"browser", "launchOptions", "channel"}), "msedge");
    Loaded again = loaded(load_file(json::serialize(all)));
    EXPECT_EQ(json::serialize(effective(again.values)), json::serialize(all));
}

const json::value& property(const json::value& schema, std::initializer_list<std::string_view> path) {
    static const json::value missing;
    const json::value* at = &schema;
    for (std::string_view name : path) {
        at = json::find_path(*at, {"properties", name});
        if (at == nullptr) return missing;
    }
    return *at;
}

TEST(ConfigSchema, DescribesEveryKey) {
    json::value all = schema();

    EXPECT_EQ(*json::find(all, "$schema"), "https://json-schema.org/draft/2020-12/schema");
    for (const Option& option : kOptions) {
        if (option.key.empty()) continue;
        const json::value* at = &all;
        for (const std::string& name : split(option.key, '.')) {
            at = json::find_path(*at, {"properties", name});
            ASSERT_NE(at, nullptr) << option.key;
        }
        EXPECT_NE(json::find(*at, "description"), nullptr) << option.key;
        EXPECT_TRUE(json::find(*at, "type") || json::find(*at, "anyOf")) << option.key;
    }
}

TEST(ConfigSchema, CarriesTypesRangesChoicesAndDefaults) {
    json::value all = schema();

    const json::value& port = property(all, {"server", "port"});
    EXPECT_EQ(*json::find(port, "type"), "integer");
    EXPECT_EQ(*json::find(port, "maximum"), 65535);
    EXPECT_THAT(std::string(json::find(port, "$comment")->as_string()), HasSubstr("PLAYWRIGHT_MCP_PORT"));
    const json::value& level = property(all, {"logging", "level"});
    EXPECT_EQ(json::serialize(*json::find(level, "enum")), R"(["trace","debug","info","warn","error"])");
    EXPECT_EQ(*json::find(level, "default"), "info");
    EXPECT_EQ(*json::find(property(all, {"server", "authToken"}), "writeOnly"), true);
    EXPECT_THAT(json::serialize(property(all, {"browser", "contextOptions", "viewport"})),
                HasSubstr(R"("null")"));
}

TEST(ConfigSchema, ClosesEverySectionButThoseThatPlaywrightMayExtend) {
    json::value all = schema();

    EXPECT_EQ(*json::find(all, "additionalProperties"), false);
    EXPECT_EQ(*json::find(property(all, {"server"}), "additionalProperties"), false);
    EXPECT_EQ(*json::find(property(all, {"browser", "launchOptions"}), "additionalProperties"), true);
    EXPECT_EQ(*json::find(property(all, {"browser", "launchOptions", "proxy"}), "additionalProperties"),
              false);
}

TEST(Help, NamesCommandsAndFlagsByGroup) {
    std::string text = help();

    EXPECT_THAT(text, StartsWith("Troupe"));
    EXPECT_THAT(text, AllOf(HasSubstr("\nUsage: troupe"), HasSubstr("troupe doctor"),
                            HasSubstr("troupe config print"), HasSubstr("troupe config schema"),
                            HasSubstr("--version"), HasSubstr("\nServer\n"), HasSubstr("\nLogging\n"),
                            HasSubstr("--[no-]sandbox"), HasSubstr("default 5000]")));
}

TEST(Help, ShowsEveryFlagThatIsNotHiddenAndNoOther) {
    std::string text = help();
    for (const Option& option : kOptions) {
        if (option.flag.empty()) continue;
        bool shown = text.find("\n  --" + std::string(option.flag)) != std::string::npos ||
                     text.find("\n  --[no-]" + std::string(option.flag)) != std::string::npos;
        EXPECT_EQ(shown, !option.hidden) << option.flag;
    }
}

TEST(Help, FitsIntoAHundredColumns) { EXPECT_THAT(split(help(), '\n'), Each(SizeIs(Le(100u)))); }

}  // namespace
}  // namespace config
