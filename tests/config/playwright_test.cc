// What @playwright/mcp 0.0.83 takes, Troupe takes: its flags, its variables and its configuration files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// From `playwright-mcp --help`, with the hidden ones.
const std::vector<std::vector<std::string>> kFlags = {
    {"--allowed-hosts", "a.example", "b.example"},
    {"--allowed-origins", "https://a.example;https://b.example"},
    {"--allow-unrestricted-file-access"},
    {"--background"},
    {"--ignore-roots"},
    {"--no-tab-group"},
    {"--redact-url-params", "access_token,code"},
    {"--blocked-origins", "https://c.example"},
    {"--block-service-workers"},
    {"--browser", "msedge"},
    {"--caps", "vision,pdf"},
    {"--cdp-endpoint", "http://localhost:9222"},
    {"--cdp-header", "A: 1", "B: 2"},
    {"--cdp-timeout", "1000"},
    {"--codegen", "python"},
    {"--config", ""},
    {"--console-level", "warning"},
    {"--device", "iPhone 15"},
    {"--mobile"},
    {"--executable-path", "/usr/bin/chromium"},
    {"--extension"},
    {"--endpoint", "ws://localhost:1"},
    {"--file-paths", "absolute"},
    {"--grant-permissions", "geolocation", "clipboard-read"},
    {"--headless"},
    {"--host", "127.0.0.1"},
    {"--idle-timeout", "0"},
    {"--ignore-https-errors"},
    {"--init-page", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
    {"--init-script", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
    {"--isolated"},
    {"--image-responses", "only"},
    {"--no-sandbox"},
    {"--no-webmcp"},
    {"--output-dir", "out"},
    {"--output-max-size", "1000000"},
    {"--port", "0"},
    {"--profile-dir-name", "Profile 1"},
    {"--proxy-bypass", ".com,chromium.org"},
    {"--proxy-server", "http://proxy:3128"},
    {"--remote-header", "A: 1"},
    {"--sandbox"},
    {"--save-session"},
    {"--secrets", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
    {"--shared-browser-context"},
    {"--snapshot-boxes"},
    {"--snapshot-mode", "none"},
    {"--storage-state", "state.json"},
    {"--test-id-attribute", "data-qa"},
    {"--timeout-action", "1"},
    {"--timeout-navigation", "2"},
    {"--timeout-settle", "3"},
    {"--user-agent", "Somebody/1.0"},
    {"--user-data-dir", "profile"},
    {"--viewport-size", "800x600"},
    {"--vision"},
};

TEST(PlaywrightFlags, AreAllAccepted) {
    for (const auto& flag : kFlags) {
        auto result = load_flags(flag);
        EXPECT_TRUE(result) << flag[0] << ": " << result.error().to_string();
    }
}

TEST(PlaywrightFlags, AreAcceptedWithAnEqualsSign) {
    for (const auto& flag : kFlags) {
        if (flag.size() < 2) continue;
        auto result = load_flags({flag[0] + "=" + flag[1]});
        EXPECT_TRUE(result) << flag[0] << ": " << result.error().to_string();
    }
}

TEST(PlaywrightFlags, WarnWhereTheyHaveNoEffectAlone) {
    const std::map<std::string, std::string> needed = {{"--profile-dir-name", "--extension"},
                                                       {"--background", "--extension"},
                                                       {"--no-tab-group", "--extension"},
                                                       {"--remote-header", "--endpoint"},
                                                       {"--vision", "--caps=vision"}};
    for (const auto& flag : kFlags) {
        auto warnings = loaded(load_flags(flag)).warnings;
        if (auto it = needed.find(flag[0]); it != needed.end())
            EXPECT_THAT(warnings, ElementsAre(HasSubstr(it->second))) << flag[0];
        else
            EXPECT_THAT(warnings, IsEmpty()) << flag[0];
    }
}

TEST(PlaywrightVariables, AreAllRead) {
    const std::vector<std::pair<std::string, std::string>> variables = {
        {"ALLOWED_HOSTS", "a,b"},
        {"ALLOWED_ORIGINS", "https://a.example;https://b.example"},
        {"ALLOW_UNRESTRICTED_FILE_ACCESS", "true"},
        {"BACKGROUND", "1"},
        {"IGNORE_ROOTS", "1"},
        {"NO_TAB_GROUP", "1"},
        {"REDACT_URL_PARAMS", "access_token,code"},
        {"BLOCKED_ORIGINS", "https://a.example"},
        {"BLOCK_SERVICE_WORKERS", "1"},
        {"BROWSER", "chrome"},
        {"CAPS", "vision"},
        {"CDP_ENDPOINT", "http://localhost:1"},
        {"CDP_HEADERS", "A: 1"},
        {"CDP_TIMEOUT", "1"},
        {"CODEGEN", "java"},
        {"CONSOLE_LEVEL", "debug"},
        {"DEVICE", "Pixel 5"},
        {"ENDPOINT", "ws://localhost:1"},
        {"EXECUTABLE_PATH", "/usr/bin/chromium"},
        {"EXTENSION", "true"},
        {"EXTENSION_TOKEN", "secret"},
        {"FILE_PATHS", "absolute"},
        {"GRANT_PERMISSIONS", "geolocation,camera"},
        {"HEADLESS", "true"},
        {"HOST", "localhost"},
        {"IDLE_TIMEOUT", "1"},
        {"IGNORE_HTTPS_ERRORS", "true"},
        {"IMAGE_RESPONSES", "omit"},
        {"INIT_PAGE", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
        {"INIT_SCRIPT", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
        {"ISOLATED", "true"},
        {"MOBILE", "true"},
        {"NO_SANDBOX", "true"},
        {"OUTPUT_DIR", "out"},
        {"OUTPUT_MAX_SIZE", "1"},
        {"PING_TIMEOUT_MS", "-1"},
        {"PORT", "8931"},
        {"PROFILE_DIR_NAME", "Profile 1"},
        {"PROXY_BYPASS", ".com"},
        {"PROXY_SERVER", "http://proxy:1"},
        {"REMOTE_HEADERS", "A: 1"},
        {"SANDBOX", "false"},
        {"SAVE_SESSION", "true"},
        {"SECRETS_FILE", TROUPE_SOURCE_DIR "/CMakeLists.txt"},
        {"SHARED_BROWSER_CONTEXT", "true"},
        {"SNAPSHOT_BOXES", "true"},
        {"SNAPSHOT_MODE", "none"},
        {"STORAGE_STATE", "state.json"},
        {"TEST_ID_ATTRIBUTE", "data-qa"},
        {"TIMEOUT_ACTION", "1"},
        {"TIMEOUT_NAVIGATION", "2"},
        {"TIMEOUT_SETTLE", "3"},
        {"USER_AGENT", "Somebody/1.0"},
        {"USER_DATA_DIR", "profile"},
        {"VIEWPORT_SIZE", "800,600"},
        {"WEBMCP", "false"},
    };
    for (const auto& [name, value] : variables) {
        std::string variable = "PLAYWRIGHT_MCP_" + name;
        Loaded result = loaded(load_flags({}, {{variable, value}}));
        bool seen = false;
        for (const Option& option : kOptions) {
            seen = seen || result.values.at(key_of(option)).origin.name == variable;
        }
        EXPECT_TRUE(seen) << variable;
    }
}

TEST(PlaywrightFile, KeysAreAllAccepted) {
    Loaded result = loaded(load_file(R"({
        "browser": {
            "browserName": "chromium", "isolated": false, "userDataDir": "profile",
            "launchOptions": {"channel": "chrome", "headless": true, "executablePath": "/usr/bin/chromium",
                              "args": ["--a,b"], "proxy": {"server": "http://proxy:1", "bypass": ".com",
                              "username": "u", "password": "p"}, "slowMo": 1.5, "chromiumSandbox": false,
                              "ignoreDefaultArgs": ["--mute-audio"], "env": {"A": "1"}, "timeout": 30000},
            "contextOptions": {"viewport": {"width": 640, "height": 480}, "locale": "fr-FR", "colorScheme": null,
                               "geolocation": {"latitude": 1, "longitude": 2}, "permissions": ["camera"],
                               "httpCredentials": {"username": "u", "password": "p"},
                               "storageState": {"cookies": [], "origins": []}, "deviceScaleFactor": 2},
            "cdpEndpoint": "http://localhost:9222", "cdpHeaders": {"A": "1"}, "cdpTimeout": 1,
            "remoteEndpoint": {"endpoint": "ws://localhost", "headers": {}}, "initPage": [], "initScript": []
        },
        "extension": false,
        "server": {"port": 0, "host": "localhost", "allowedHosts": ["*"]},
        "capabilities": ["core", "core-navigation", "core-tabs", "core-input", "core-install", "config", "network",
                         "pdf", "storage", "testing", "vision", "devtools"],
        "saveSession": true, "webmcp": false, "sharedBrowserContext": true, "secrets": {"A": "1"},
        "outputDir": "out", "outputMaxSize": 1, "console": {"level": "error"},
        "network": {"allowedOrigins": ["https://a.example"], "blockedOrigins": []},
        "testIdAttribute": "data-qa",
        "timeouts": {"action": 1, "navigation": 2, "expect": 3, "settle": 4, "idle": 5},
        "imageResponses": "omit", "filePaths": "absolute", "snapshot": {"mode": "none", "boxes": true},
        "allowUnrestrictedFileAccess": true, "codegen": "csharp"
    })"));

    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.config.timeouts.expect, milliseconds(3));
    EXPECT_EQ(result.config.codegen, Codegen::CSharp);
    EXPECT_EQ(result.config.browser.context.viewport, (Size{640, 480}));
    EXPECT_THAT(result.config.browser.args, ElementsAre("--a,b"));
}

TEST(PlaywrightFile, KeepsOptionsThatWeDoNotKnowAndSaysSo) {
    Loaded result = loaded(load_file(R"({"browser": {"launchOptions": {"fromTheFuture": {"a": [1]}},
                                                     "contextOptions": {"anotherOne": true}}})"));

    EXPECT_EQ(json::serialize(*result.values.find("browser.launchOptions")),
              R"({"fromTheFuture":{"a":[1]}})");
    EXPECT_EQ(json::serialize(*result.values.find("browser.contextOptions")), R"({"anotherOne":true})");
    EXPECT_THAT(result.warnings, UnorderedElementsAre(HasSubstr("fromTheFuture"), HasSubstr("anotherOne")));
}

TEST(PlaywrightFile, MayHaveKeysOfOtherVersions) {
    Loaded result = loaded(load_file(R"({"fromTheFuture": {"a": 1}, "browser": {"headles": true},
                                         "snapshot": {"colour": "red"}})"));

    EXPECT_THAT(result.warnings,
                UnorderedElementsAre(HasSubstr("fromTheFuture"),
                                     HasSubstr("Did you mean browser.launchOptions.headless?"),
                                     HasSubstr("snapshot.colour")));
}

TEST(PlaywrightFile, MustNotMisspellARule) {
    for (std::string_view text :
         {R"({"network": {"blockedOrigin": ["https://a.example"]}})", R"({"server": {"authTokn": "x"}})",
          R"({"security": {"anything": 1}})", R"({"secret": {"A": "1"}})"})
        EXPECT_THAT(error_of(load_file(text)).to_string(), HasSubstr("no option has this key")) << text;
}

TEST(PlaywrightFile, SaysWhenSuchAnOptionLooksMisspelt) {
    Loaded result = loaded(load_file(R"({"browser": {"launchOptions": {"headles": true}}})"));

    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("Did you mean browser.launchOptions.headless?")));
}

TEST(PlaywrightBrowser, NamesAFamilyAndAChannel) {
    auto browser = [](std::string name) { return loaded(load_flags({"--browser", name})).config.browser; };

    EXPECT_EQ(browser("msedge-beta").browser_name, BrowserName::Chromium);
    EXPECT_EQ(browser("msedge-beta").channel, "msedge-beta");
    EXPECT_EQ(browser("chromium").channel, "chrome-for-testing");
    EXPECT_EQ(browser("firefox").browser_name, BrowserName::Firefox);
    EXPECT_EQ(browser("firefox").channel, "");
    EXPECT_EQ(browser("moz-firefox-beta").channel, "moz-firefox-beta");
    EXPECT_EQ(browser("webkit").browser_name, BrowserName::Webkit);
}

TEST(PlaywrightBrowser, LosesTheChannelOfAnotherFamily) {
    Loaded result =
        loaded(load_file(R"({"browser": {"launchOptions": {"channel": "chrome"}}})", {"--browser=firefox"}));

    EXPECT_EQ(result.config.browser.channel, "");
}

TEST(PlaywrightVision, AddsToTheCapabilitiesAndSaysWhatToWriteInstead) {
    Loaded result = loaded(load_flags({"--caps=pdf", "--vision"}));

    EXPECT_THAT(result.config.capabilities, ElementsAre("pdf", "vision"));
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("--caps=vision")));
}

TEST(PlaywrightCapabilities, UnderstandTheFormerNameTracing) {
    EXPECT_THAT(loaded(load_flags({"--caps=tracing"})).config.capabilities,
                ElementsAre("tracing", "devtools"));
}

TEST(PlaywrightCapabilities, AreLetThroughWithAWarningWhenUnknown) {
    Loaded result = loaded(load_flags({"--caps=visoin"}));

    EXPECT_THAT(result.config.capabilities, ElementsAre("visoin"));
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("Did you mean vision?")));
}

TEST(PlaywrightCodegen, TakesItsDefaultFromTheLanguageOfTheCaller) {
    auto codegen = [](Environment environment, std::vector<std::string> flags = {}) {
        return loaded(load_flags(flags, environment)).config.codegen;
    };

    EXPECT_EQ(codegen({{"PW_LANG_NAME", "python"}}), Codegen::Python);
    EXPECT_EQ(codegen({{"PW_LANG_NAME", "cobol"}}), Codegen::TypeScript);
    EXPECT_EQ(codegen({{"PW_LANG_NAME", "python"}}, {"--codegen=none"}), Codegen::None);
    EXPECT_EQ(loaded(load_file("codegen = java", {}, {{"PW_LANG_NAME", "python"}})).config.codegen,
              Codegen::Java);
}

}  // namespace
}  // namespace config
