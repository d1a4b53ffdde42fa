#include "config/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::string message(std::string_view text) { return error_of(load_file(text)).to_string(); }

TEST(ConfigFile, IsToldApartByItsContent) {
    EXPECT_EQ(loaded(load_file("\n {\"server\": {\"port\": 1}}")).config.server.port, 1);
    EXPECT_EQ(loaded(load_file("server.port = 1")).config.server.port, 1);
    EXPECT_EQ(loaded(load_file("[server]\nport = 1")).config.server.port, 1);
    EXPECT_EQ(loaded(load_file("")).config.server.port, std::nullopt);
}

TEST(ConfigFile, MayBeginWithAByteOrderMark) {
    EXPECT_EQ(loaded(load_file("\xEF\xBB\xBF{\"server\": {\"port\": 1}}")).config.server.port, 1);
    EXPECT_EQ(loaded(load_file("\xEF\xBB\xBFserver.port = 1")).config.server.port, 1);
}

TEST(ConfigFile, StandsRelativeToTheWorkingDirectory) {
    Directory directory;
    directory.write("deep/troupe.json", R"({"server": {"port": 1}})");

    EXPECT_EQ(loaded(load({"--config", "deep/troupe.json"}, {}, directory.path())).config.server.port, 1);
}

TEST(ConfigFile, IsNamedWithItsOriginWhenItIsMissing) {
    EXPECT_THAT(error_of(load_flags({"--config=missing.json"})).to_string(),
                AllOf(HasSubstr("Cannot open /project/missing.json"), HasSubstr("named by flag --config")));
}

TEST(ConfigFile, NamesScriptsRelativeToItselfAndOtherPathsRelativeToTheWorkingDirectory) {
    Directory directory;
    directory.write("deep/start.js", "");
    directory.write("deep/troupe.json", R"({"browser": {"initScript": ["start.js"]}, "outputDir": "out"})");

    Config config = loaded(load({"--config=deep/troupe.json"}, {}, directory.path())).config;

    EXPECT_THAT(config.browser.init_script, ElementsAre(directory.path() / "deep/start.js"));
    EXPECT_EQ(config.output_dir, directory.path() / "out");
}

TEST(JsonFile, NamesFileLineKeyExpectationAndValue) {
    EXPECT_EQ(message("{\n  \"server\": {\n    \"port\": \"many\"\n  }\n}"),
              "troupe.conf:3: server.port: expected a whole number from 0 to 65535, got \"many\".");
}

TEST(JsonFile, SuggestsTheKeyThatWasMeant) {
    auto warning = [](std::string_view text) { return loaded(load_file(text)).warnings; };
    EXPECT_THAT(warning("{\"server\":\n {\"prot\": 1}}"),
                ElementsAre("troupe.conf:2: server.prot: no option has this key. Did you mean server.port?"));
    EXPECT_THAT(warning(R"({"executablePath": "/x"})"),
                ElementsAre(HasSubstr("Did you mean browser.launchOptions.executablePath?")));
    EXPECT_THAT(warning(R"({"browser": {"headles": true}})"),
                ElementsAre(HasSubstr("Did you mean browser.launchOptions.headless?")));
    EXPECT_THAT(warning(R"({"utterly": {"unheard": "of"}})"), ElementsAre(HasSubstr("It is ignored.")));
    EXPECT_THAT(message(R"({"browser": {"launchOptions": {"proxy": {"host": "a"}}}})"),
                HasSubstr("browser.launchOptions.proxy.host: no option has this key"));
    EXPECT_THAT(message(R"({"session": {"maxTab": 1}})"), HasSubstr("Did you mean session.maxTabs?"));
    EXPECT_THAT(message(R"({"session": {"unheard": "of"}})"),
                HasSubstr("session.unheard: no option has this"));
}

TEST(JsonFile, TakesTheOptionsOwnKeyBeforeOthersWhereverTheyStand) {
    for (std::string_view text : {R"({"session": {"defaultTimeout": 30000}, "timeouts": {"action": 700}})",
                                  R"({"timeouts": {"action": 700}, "session": {"defaultTimeout": 30000}})"}) {
        Config config = loaded(load_file(text)).config;
        EXPECT_EQ(config.timeouts.action, milliseconds(700)) << text;
        EXPECT_EQ(config.timeouts.navigation, milliseconds(30'000)) << text;
    }
    EXPECT_EQ(loaded(load_file("timeouts.action = 700\nsession.defaultTimeout = 9\n")).config.timeouts.action,
              milliseconds(700));
}

TEST(JsonFile, NamesKeysAsTheyWereWritten) {
    EXPECT_THAT(message(R"({"session": {"defaultTimeout": "soon"}})"),
                HasSubstr(": session.defaultTimeout: expected"));
    EXPECT_THAT(message("session.defaultTimeout = soon"), HasSubstr(": session.defaultTimeout: expected"));
    EXPECT_THAT(
        message(R"({"session": {"persistentSessions": false}, "browser": {"userDataDir": "x"}})"),
        HasSubstr("session.persistentSessions in troupe.conf forgets its profile, and browser.userDataDir in "
                  "troupe.conf names one to keep."));
    EXPECT_THAT(message(R"({"securty": {"anything": 1}})"), HasSubstr("Did you mean security?"));
}

TEST(JsonFile, RefusesValuesOfTheWrongType) {
    EXPECT_THAT(message(R"({"server": 1})"), HasSubstr("server: expected an object, got integer"));
    EXPECT_THAT(message(R"({"capabilities": "pdf"})"),
                HasSubstr("capabilities: expected a list of texts, got \"pdf\""));
    EXPECT_THAT(message(R"({"capabilities": [1]})"), HasSubstr("got an array"));
    EXPECT_THAT(message(R"({"browser": {"isolated": "true"}})"),
                HasSubstr("expected true or false, got \"true\""));
    EXPECT_THAT(message(R"({"timeouts": {"action": 1.5}})"), HasSubstr("got 1.5"));
    EXPECT_THAT(message(R"({"server": {"host": null}})"), HasSubstr("expected a text, got null"));
    EXPECT_THAT(message(R"({"snapshot": {"mode": "ful"}})"), HasSubstr("Did you mean \"full\"?"));
    EXPECT_THAT(message(R"({"browser": {"contextOptions": {"viewport": {"width": 1}}}})"),
                HasSubstr("1280x720"));
    EXPECT_THAT(message(R"({"browser": {"contextOptions": {"geolocation": "here"}}})"),
                HasSubstr("expected object"));
}

TEST(JsonFile, NeverRepeatsASecret) {
    EXPECT_EQ(message(R"({"server": {"authToken": 12345}})"),
              "troupe.conf:1: server.authToken: expected a text, got something else.");
}

TEST(JsonFile, SaysWhereItsSyntaxBreaks) {
    EXPECT_THAT(message("{\n  \"server\": nope\n}"), AllOf(HasSubstr("troupe.conf: "), HasSubstr("line 2")));
}

TEST(JsonFile, MayNameItsSchema) {
    EXPECT_EQ(
        loaded(load_file(R"({"$schema": "./troupe.schema.json", "server": {"port": 1}})")).config.server.port,
        1);
}

TEST(JsonFile, CanAskForNoViewport) {
    EXPECT_EQ(loaded(load_file(R"({"browser": {"contextOptions": {"viewport": null}}})"))
                  .config.browser.context.viewport,
              std::nullopt);
}

TEST(IniFile, TakesTypedValues) {
    Config config = loaded(load_file(R"(
        capabilities = config, pdf
        console.level = error
        saveSession = true
        timeouts.action = 12345
        network.allowedOrigins = https://example.com; http://localhost:*
        browser.contextOptions.viewport = 640x480
        browser.contextOptions.userAgent = TestAgent/1.0 (X11; Linux)
        browser.contextOptions.javaScriptEnabled = false
        browser.contextOptions.deviceScaleFactor = 2.5
        browser.launchOptions.args = --host-rules=MAP a,b
        browser.launchOptions.args[] = --mute-audio
    )"))
                        .config;

    EXPECT_THAT(config.capabilities, ElementsAre("config", "pdf"));
    EXPECT_EQ(config.console_level, ConsoleLevel::Error);
    EXPECT_TRUE(config.save_session);
    EXPECT_EQ(config.timeouts.action, milliseconds(12345));
    EXPECT_THAT(config.allowed_origins, ElementsAre("https://example.com", "http://localhost:*"));
    EXPECT_EQ(config.browser.context.viewport, (Size{640, 480}));
    EXPECT_EQ(config.browser.context.user_agent, "TestAgent/1.0 (X11; Linux)");
    EXPECT_FALSE(config.browser.context.java_script_enabled);
    EXPECT_EQ(config.browser.context.device_scale_factor, 2.5);
    EXPECT_THAT(config.browser.args, ElementsAre("--host-rules=MAP a,b", "--mute-audio"));
}

TEST(IniFile, HasSectionsAndShortNamesForTheBrowser) {
    Config config = loaded(load_file(R"(
        [browser]
        headless = false
        viewport = 640x480
        isolated = true
        [browser.launchOptions]
        channel = msedge
        [logging]
        level = "debug"  ; as much as there is
    )"))
                        .config;

    EXPECT_FALSE(config.browser.headless);
    EXPECT_EQ(config.browser.context.viewport, (Size{640, 480}));
    EXPECT_TRUE(config.browser.isolated);
    EXPECT_EQ(config.browser.channel, "msedge");
    EXPECT_EQ(config.logging.level, LogLevel::Debug);
}

TEST(IniFile, ReachesIntoMapsAndObjects) {
    Loaded result = loaded(load_file(R"(
        browser.cdpHeaders.Authorization = Bearer 1
        browser.cdpHeaders = X-Other: 2
        browser.contextOptions.geolocation.latitude = 52.5
        browser.contextOptions.geolocation.longitude = 13.4
        browser.contextOptions.fromTheFuture.level = 3
        browser.contextOptions.fromTheFuture.name = "3"
    )"));

    EXPECT_THAT(result.config.browser.cdp_headers,
                UnorderedElementsAre(Pair("Authorization", "Bearer 1"), Pair("X-Other", "2")));
    EXPECT_EQ(json::serialize(result.config.browser.context.geolocation),
              R"({"latitude":52.5,"longitude":13.4})");
    EXPECT_EQ(json::serialize(*result.values.find("browser.contextOptions")),
              R"({"fromTheFuture":{"level":3,"name":"3"}})");
}

TEST(IniFile, NamesFileLineAndKeyOfWhatItCannotUse) {
    EXPECT_EQ(message("\n[server]\nport = many"),
              "troupe.conf:3: server.port: expected a whole number from 0 to 65535, got \"many\".");
    EXPECT_THAT(loaded(load_file("[server]\n\nprot = 1")).warnings,
                ElementsAre("troupe.conf:3: server.prot: no option has this key. Did you mean server.port?"));
    EXPECT_THAT(message("browser.launchOptions.proxy.host = a"), HasSubstr("no option has this key"));
    EXPECT_THAT(loaded(load_file("server.port.deeper = 1")).warnings,
                ElementsAre(HasSubstr("no option has this key")));
    EXPECT_THAT(message("upstream.command.name = 1"), HasSubstr("expected string or array"));
    EXPECT_THAT(message("port 8931"),
                AllOf(HasSubstr("troupe.conf:1: expected key = value."), HasSubstr("INI")));
}

}  // namespace
}  // namespace config
