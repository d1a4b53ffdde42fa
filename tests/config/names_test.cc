// Options under the names that earlier designs and other programs give them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Seed 004, 7.2.
constexpr std::string_view kExample = R"({
  "name": "playwright-mcp-server",
  "version": "1.0.0",
  "transport": "stdio",
  "browser": {"type": "chromium", "headless": true, "args": ["--no-sandbox", "--disable-dev-shm-usage"]},
  "pool": {"minBrowsers": 2, "maxBrowsers": 10, "idleTimeout": 300000},
  "session": {"defaultTimeout": 30000, "maxSessions": 50, "persistentSessions": false},
  "security": {"allowedDomains": ["*.example.com"], "maxScreenshotSize": 10485760, "enableFileUpload": true,
               "enableScriptEvaluation": false},
  "logging": {"level": "info", "format": "json", "destination": "stdout"}
})";

TEST(OtherKeys, MakeTheExampleConfigurationTakeEffect) {
    Loaded result = loaded(load_file(kExample, {}, {{"DISPLAY", ":0"}}));
    const Config& config = result.config;

    EXPECT_EQ(config.server.name, "playwright-mcp-server");
    EXPECT_EQ(config.server.version, "1.0.0");
    EXPECT_EQ(config.server.port, std::nullopt);
    EXPECT_EQ(config.browser.browser_name, BrowserName::Chromium);
    EXPECT_TRUE(config.browser.headless);
    EXPECT_THAT(config.browser.args, ElementsAre("--no-sandbox", "--disable-dev-shm-usage"));
    EXPECT_EQ(config.pool.min_browsers, 2u);
    EXPECT_EQ(config.timeouts.action, milliseconds(30000));
    EXPECT_EQ(config.timeouts.navigation, milliseconds(30000));
    EXPECT_EQ(config.session.max_sessions, 50u);
    EXPECT_TRUE(config.browser.isolated);
    EXPECT_THAT(config.security.allowed_domains, ElementsAre("*.example.com"));
    EXPECT_EQ(config.logging.format, LogFormat::Json);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("logging.destination stdout")));
}

TEST(OtherKeys, SayWhereTheServerListens) {
    Config config = loaded(load_file(R"({"transport": "http", "port": 8931})")).config;
    EXPECT_EQ(config.server.port, 8931);
    EXPECT_THAT(error_of(load_file(R"({"transport": "websocket"})")).to_string(), HasSubstr("--port"));
    EXPECT_EQ(loaded(load_file(R"({"transport": "stdio", "port": 8931})")).config.server.port, std::nullopt);
    EXPECT_EQ(loaded(load_file(R"({"transport": "stdio"})", {"--port=1"})).config.server.port, 1);
}

TEST(OtherKeys, MeanTheSameInIniFiles) {
    Config config = loaded(load_file("[tabIsolation]\nrequireTabId = true\nautoAssignTab = true\n"
                                     "agentId = ann\n"))
                        .config;
    EXPECT_TRUE(config.session.require_tab_id);
    EXPECT_TRUE(config.session.auto_assign_tab);
    EXPECT_EQ(config.session.agent_id, "ann");
    EXPECT_EQ(loaded(load_file(R"({"agentId": "bob", "browser": {"downloadPath": "got"}})"))
                  .config.session.agent_id,
              "bob");
}

TEST(OtherKeys, SendTheLogToAFile) {
    EXPECT_THAT(error_of(load_file(R"({"logging": {"destination": "file"}})")).to_string(),
                HasSubstr("logging.file"));
    Config config = loaded(load_file(R"({"logging": {"destination": "file", "file": "/log"}})")).config;
    EXPECT_EQ(config.logging.file, "/log");
}

TEST(OtherVariables, MeanTheOption) {
    Config config = loaded(load_flags({}, {{"SERVER_HOST", "127.0.0.1"},
                                           {"SERVER_PORT", "34501"},
                                           {"DATABASE_PATH", "./proxy.db"},
                                           {"PLAYWRIGHT_MCP_COMMAND", "npx my-mcp"},
                                           {"PLAYWRIGHT_BROWSER", "msedge"},
                                           {"PLAYWRIGHT_HEADLESS", "true"},
                                           {"PLAYWRIGHT_VIEWPORT", "800x600"},
                                           {"DISPLAY", ":0"}}))
                        .config;
    EXPECT_EQ(config.server.host, "127.0.0.1");
    EXPECT_EQ(config.server.port, 34501);
    EXPECT_EQ(config.store.path, "/project/proxy.db");
    EXPECT_EQ(config.upstream.command, json::value("npx my-mcp"));
    EXPECT_EQ(config.browser.channel, "msedge");
    EXPECT_TRUE(config.browser.headless);
    EXPECT_EQ(config.browser.context.viewport, (Size{800, 600}));
}

TEST(OtherVariables, TakeASizeAsJsonOrAsPythonPrintsIt) {
    for (const char* given : {R"({"width": 800, "height": 600})", "{'width': 800, 'height': 600}"}) {
        Config config = loaded(load_flags({}, {{"PLAYWRIGHT_VIEWPORT", given}})).config;
        EXPECT_EQ(config.browser.context.viewport, (Size{800, 600})) << given;
    }
}

TEST(OtherVariables, GiveWayToThoseThatAreMeantForUs) {
    EXPECT_EQ(loaded(load_flags({}, {{"SERVER_PORT", "1"}, {"PLAYWRIGHT_MCP_PORT", "2"}})).config.server.port,
              2);
    EXPECT_EQ(loaded(load_flags({}, {{"SERVER_PORT", "1"}, {"TROUPE_PORT", "2"}})).config.server.port, 2);
    EXPECT_EQ(loaded(load_flags({"--port=3"}, {{"SERVER_PORT", "1"}})).config.server.port, 3);
}

TEST(OtherVariables, NeverStopTheStart) {
    Loaded result = loaded(load_flags({}, {{"SERVER_PORT", "http"}, {"HEADLESS", "new"}}));
    EXPECT_EQ(result.config.server.port, std::nullopt);
    EXPECT_THAT(result.warnings, Contains(AllOf(HasSubstr("SERVER_PORT"), HasSubstr("ignored"))));
}

TEST(OtherVariables, LeaveAClientOnStandardInputItsServer) {
    auto with_client = [](std::vector<std::string> flags, Environment environment) {
        Directory empty;
        return loaded(load(flags, environment, empty.path(), true));
    };
    Loaded result = with_client({}, {{"SERVER_PORT", "3000"}, {"DATABASE_PATH", "x.db"}});
    EXPECT_EQ(result.config.server.port, std::nullopt);
    EXPECT_EQ(result.config.store.path.filename(), "x.db");
    EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("SERVER_PORT"), HasSubstr("--port"))));
    EXPECT_EQ(with_client({}, {{"TROUPE_PORT", "3000"}}).config.server.port, 3000);
    EXPECT_EQ(with_client({"--port=3"}, {{"SERVER_PORT", "3000"}}).config.server.port, 3);
}

TEST(OtherVariables, HaveTheLastWordWhereTheTableSaysSo) {
    auto headless = [](std::vector<std::string> flags, std::string value) {
        return loaded(load_flags(std::move(flags), {{"HEADLESS", value}, {"DISPLAY", ":0"}}))
            .config.browser.headless;
    };
    EXPECT_FALSE(headless({}, ""));
    EXPECT_TRUE(headless({}, "true"));
    EXPECT_FALSE(headless({"--headless"}, "false"));
    EXPECT_TRUE(headless({"--no-headless"}, "1"));
}

class DotenvFile : public testing::Test {
protected:
    Loaded load_with(std::string_view text, Environment environment = {},
                     std::vector<std::string> flags = {}) {
        directory.write(".env", text);
        return loaded(load(flags, environment, directory.path()));
    }
    Directory directory;
};

TEST_F(DotenvFile, SetsOptionsOfTheWorkingDirectory) {
    Loaded result = load_with(
        "PLAYWRIGHT_BROWSER=msedge\nSERVER_PORT=34501\nDATABASE_PATH=./proxy.db\n"
        "PLAYWRIGHT_VIEWPORT=800x600\n# a comment\nexport HEADLESS=\"true\"\n");
    EXPECT_EQ(result.config.browser.channel, "msedge");
    EXPECT_EQ(result.config.server.port, 34501);
    EXPECT_EQ(result.config.store.path, directory.path() / "proxy.db");
    EXPECT_TRUE(result.config.browser.headless);
    EXPECT_EQ(result.config.browser.context.viewport, (Size{800, 600}));
    EXPECT_EQ(origin_of(result, "server.port"), ".env SERVER_PORT");
    EXPECT_THAT(result.warnings, IsEmpty());
}

TEST_F(DotenvFile, NeverGoesBeforeWhatWasSaidElsewhere) {
    EXPECT_EQ(load_with("TROUPE_PORT=1\n", {{"SERVER_PORT", "2"}}).config.server.port, 2);
    EXPECT_EQ(load_with("TROUPE_PORT=1\n", {{"TROUPE_PORT", ""}}).config.server.port, std::nullopt);
    EXPECT_EQ(load_with("TROUPE_PORT=1\n", {}, {"--port=3"}).config.server.port, 3);
    directory.write("file.json", R"({"server": {"port": 4}})");
    EXPECT_EQ(load_with("TROUPE_PORT=1\n", {}, {"--config=file.json"}).config.server.port, 4);
}

TEST_F(DotenvFile, NeedsNoNameOfOurs) {
    EXPECT_TRUE(load_with("HEADLESS=true\n", {{"DISPLAY", ":0"}}).config.browser.headless);
    Loaded result = load_with("SERVER_HOST=127.0.0.1\nSERVER_PORT=3000\nDATABASE_PATH=proxy.db\n");
    EXPECT_EQ(result.config.server.host, "127.0.0.1");
    EXPECT_EQ(result.config.server.port, 3000);
    EXPECT_EQ(result.config.store.path, directory.path() / "proxy.db");
    EXPECT_THAT(result.warnings, IsEmpty());
    // The environment's own variables win, even those that are for us by another name.
    EXPECT_EQ(load_with("SERVER_PORT=3000\n", {{"SERVER_PORT", "2"}}).config.server.port, 2);
    EXPECT_FALSE(load_with("HEADLESS=true\n", {{"PLAYWRIGHT_HEADLESS", "false"}, {"DISPLAY", ":0"}})
                     .config.browser.headless);
}

TEST_F(DotenvFile, OrdersItsNamesAsTheEnvironmentDoes) {
    EXPECT_FALSE(load_with("HEADLESS=false\nPLAYWRIGHT_HEADLESS=true\n").config.browser.headless);
    EXPECT_EQ(load_with("SERVER_PORT=1\nPLAYWRIGHT_MCP_PORT=2\n").config.server.port, 2);
    EXPECT_TRUE(load_with("HEADLESS=false\n", {}, {"--headless"}).config.browser.headless);
}

// A project's own .env says where that project's server and database are.
TEST_F(DotenvFile, OfAnotherProgramIsNotRead) {
    Loaded result =
        load_with("SERVER_PORT=3000\nDATABASE_PATH=app.sqlite\nHEADLESS=true\nNODE_ENV=development\n",
                  {{"DISPLAY", ":0"}});
    EXPECT_EQ(result.config.server.port, std::nullopt);
    EXPECT_EQ(result.config.store.path, "");
    EXPECT_FALSE(result.config.browser.headless);
    EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("HEADLESS"), HasSubstr("SERVER_PORT"),
                                                   HasSubstr("in .env are ignored"), HasSubstr("NODE_ENV"))));
    // Many tests of web pages have this one.
    result = load_with("PLAYWRIGHT_BASE_URL=http://localhost:3000\nSERVER_PORT=3000\n");
    EXPECT_EQ(result.config.server.port, std::nullopt);
}

// It may have come with a repository that somebody cloned.
TEST_F(DotenvFile, StartsNoProgramAndLoosensNoRule) {
    for (std::string line :
         {"PLAYWRIGHT_MCP_COMMAND=evil", "TROUPE_EXECUTABLE_PATH=./evil", "TROUPE_CONFIG=evil.json",
          "TROUPE_INSECURE=true", "TROUPE_INIT_PAGE=evil.js", "TROUPE_PROXY_SERVER=http://evil",
          "TROUPE_ALLOW_UNRESTRICTED_FILE_ACCESS=true", "TROUPE_ENGINE=upstream", "TROUPE_NO_SANDBOX=true",
          "TROUPE_CDP_ENDPOINT=http://evil:1", "TROUPE_SECRETS=evil", "TROUPE_AUTH_TOKEN=known",
          "PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS=true", "TROUPE_USER_DATA_DIR=/home/somebody",
          "TROUPE_TRUST_ROOTS=true"}) {
        Loaded result = load_with(line + "\n");
        EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("in .env is ignored"))) << line;
        for (const Option& option : kOptions)
            EXPECT_NE(result.values.at(key_of(option)).origin.layer, Layer::Dotenv) << line;
    }
}

TEST(Capabilities, AreAllThereIsWhenAskedForAll) {
    Loaded result = loaded(load_flags({"--caps=all"}));
    std::vector<std::string> every = choices(Key("capabilities").option());
    std::erase(every, "all");
    EXPECT_THAT(result.config.capabilities, testing::ElementsAreArray(every));
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_THAT(loaded(load_flags({"--caps=all,visoin"})).warnings, ElementsAre(HasSubstr("vision")));
}

TEST(Proxies, AreCheckedBeforeAnythingGoesAround) {
    EXPECT_THAT(
        error_of(load_file(R"({"browser": {"contextOptions": {"proxy": {"username": "u"}}}})")).to_string(),
        HasSubstr("names no server"));
    EXPECT_THAT(error_of(load_file(R"({"browser": {"launchOptions": {"proxy": {"server": "socks5://p:1",
                                    "username": "u", "password": "p"}}}})"))
                    .to_string(),
                HasSubstr("SOCKS"));
    // As with @playwright/mcp, whose flag is for both.
    Loaded result =
        loaded(load_file(R"({"browser": {"contextOptions": {"proxy": {"server": "http://file:1"}}}})",
                         {"--proxy-server=http://flag:1"}));
    EXPECT_EQ(result.config.browser.context.proxy.server, "");
    EXPECT_EQ(result.config.browser.proxy.server, "http://flag:1");
}

TEST(Proxies, ThatSomebodyElsesBrowserIgnoresAreWarnedOf) {
    Loaded result = loaded(load_flags({"--cdp-endpoint=http://localhost:1", "--proxy-server=http://p:1"}));
    EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("proxy.server"), HasSubstr("no effect"))));
}

}  // namespace
}  // namespace config
