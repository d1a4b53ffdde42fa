#include "config/load.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/checks.h"
#include "tests/config/loading.h"
#include "util/loopback.h"

namespace config {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Load, GivesTheDocumentedDefaults) {
    Config config = loaded(load_flags({})).config;

    EXPECT_EQ(config.server.host, "localhost");
    EXPECT_EQ(config.server.port, std::nullopt);
    EXPECT_EQ(config.server.max_connections, 4096u);
    EXPECT_EQ(config.server.max_message_bytes, 16777216u);
    EXPECT_EQ(config.server.max_header_bytes, 32768u);
    EXPECT_EQ(config.server.header_timeout, 10s);
    EXPECT_EQ(config.server.idle_timeout, 2min);
    EXPECT_EQ(config.server.session_timeout, 30min);
    EXPECT_EQ(config.server.call_timeout, 10min);
    EXPECT_EQ(config.server.ping_timeout, 0ms);
    EXPECT_FALSE(config.server.insecure);
    EXPECT_EQ(config.logging.level, LogLevel::Info);
    EXPECT_EQ(config.logging.format, LogFormat::Text);
    EXPECT_TRUE(config.logging.file.empty());
    EXPECT_EQ(config.browser.browser_name, BrowserName::Chromium);
    EXPECT_EQ(config.browser.cdp_timeout, 30s);
    EXPECT_TRUE(config.browser.context.java_script_enabled);
    EXPECT_EQ(config.timeouts.action, 5s);
    EXPECT_EQ(config.timeouts.navigation, 1min);
    EXPECT_EQ(config.timeouts.expect, 5s);
    EXPECT_EQ(config.timeouts.settle, 500ms);
    EXPECT_EQ(config.timeouts.idle, std::nullopt);
    EXPECT_EQ(config.snapshot_mode, SnapshotMode::Full);
    EXPECT_EQ(config.codegen, Codegen::TypeScript);
    EXPECT_EQ(config.console_level, ConsoleLevel::Info);
    EXPECT_EQ(config.test_id_attribute, "data-testid");
    EXPECT_TRUE(config.webmcp);
    EXPECT_THAT(config.capabilities, IsEmpty());
}

TEST(Load, GivesTheDefaultsOfWhatIsYetToCome) {
    Values values = loaded(load_flags({})).values;

    EXPECT_EQ(values.get<milliseconds>("session.idleTimeout"), 5min);
    EXPECT_EQ(values.get<milliseconds>("session.sweepInterval"), 30s);
    EXPECT_EQ(values.get<milliseconds>("session.grace"), 1min);
    EXPECT_EQ(values.get<std::string>("session.isolation"), "");
    EXPECT_EQ(values.get<std::optional<std::int64_t>>("session.maxOutputChars"), std::nullopt);
}

TEST(Load, LeavesToPlaywrightWhatOnlyPlaywrightCanDo) {
    auto engine = [](std::vector<std::string> flags) {
        return loaded(load_flags(std::move(flags))).config.browser.engine;
    };
    for (const char* flag : {"--browser=firefox", "--browser=webkit", "--endpoint=default", "--extension"})
        EXPECT_EQ(engine({flag}), Engine::Upstream) << flag;
    for (const char* flag : {"--browser=chromium", "--browser=msedge", "--cdp-endpoint=http://here:9222"})
        EXPECT_EQ(engine({flag}), Engine::Native) << flag;
    EXPECT_EQ(engine({"--browser=firefox", "--engine=native"}), Engine::Native);
}

TEST(Load, SaysWhichServerIsBehindEachSession) {
    Config usual = loaded(load_flags({})).config;
    EXPECT_EQ(usual.browser.engine, Engine::Native);
    EXPECT_EQ(usual.upstream.command, "npx -y @playwright/mcp@latest");
    EXPECT_EQ(usual.upstream.start_timeout, 1min);
    EXPECT_EQ(usual.upstream.ping_interval, 30s);

    Loaded other =
        loaded(load_flags({"--engine=upstream"}, {{"TROUPE_UPSTREAM_COMMAND", R"(["my", "server"])"},
                                                  {"TROUPE_UPSTREAM_CWD", "here"},
                                                  {"TROUPE_UPSTREAM_TRANSPORT", "http"}}));
    EXPECT_EQ(other.config.browser.engine, Engine::Upstream);
    EXPECT_EQ(json::serialize(other.config.upstream.command), R"(["my","server"])");
    EXPECT_EQ(other.config.upstream.cwd, "/project/here");
    EXPECT_EQ(other.config.upstream.transport, UpstreamTransport::Http);
    EXPECT_THAT(other.warnings, IsEmpty());
}

// Each layer alone, and every pair: the later one wins.
TEST(Load, LetsFlagsWinOverEnvironmentOverFileOverDefaults) {
    const std::string file = R"({"timeouts": {"navigation": 1}})";
    const Environment playwright{{"PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION", "2"}};
    const Environment both{{"PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION", "2"}, {"TROUPE_TIMEOUT_NAVIGATION", "3"}};
    const std::vector<std::string> flag{"--timeout-navigation=4"};
    auto check = [](Result<Loaded> result, milliseconds value, std::string origin) {
        Loaded found = loaded(std::move(result));
        EXPECT_EQ(found.config.timeouts.navigation, value);
        EXPECT_EQ(origin_of(found, "timeouts.navigation"), origin);
    };

    check(load_flags({}), 60s, "default");
    check(load_file(file), 1ms, "file troupe.conf");
    check(load_flags({}, playwright), 2ms, "env PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION");
    check(load_flags({}, both), 3ms, "env TROUPE_TIMEOUT_NAVIGATION");
    check(load_flags(flag), 4ms, "flag --timeout-navigation");
    check(load_file(file, {}, playwright), 2ms, "env PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION");
    check(load_file(file, {}, both), 3ms, "env TROUPE_TIMEOUT_NAVIGATION");
    check(load_file(file, flag), 4ms, "flag --timeout-navigation");
    check(load_flags(flag, both), 4ms, "flag --timeout-navigation");
    check(load_file(file, flag, both), 4ms, "flag --timeout-navigation");
}

TEST(Load, MergesKeyByKeyAndReplacesListsWhole) {
    Config config =
        loaded(load_file(R"({"browser": {"contextOptions": {"viewport": {"width": 800, "height": 600}}},
                                         "capabilities": ["config"], "timeouts": {"action": 10000}})",
                         {"--isolated", "--caps=pdf"}, {{"PLAYWRIGHT_MCP_TIMEOUT_NAVIGATION", "45000"}}))
            .config;

    EXPECT_EQ(config.browser.context.viewport, (Size{800, 600}));
    EXPECT_EQ(config.timeouts.action, 10s);
    EXPECT_EQ(config.timeouts.navigation, 45s);
    EXPECT_TRUE(config.browser.isolated);
    EXPECT_THAT(config.capabilities, ElementsAre("pdf"));
}

TEST(Load, NeverSendsTheCredentialsOfOneProxyToAnother) {
    std::string file = R"({"browser": {"launchOptions": {"proxy": {"server": "http://a", "username": "u",
                                                                    "password": "p"}}}})";

    EXPECT_EQ(loaded(load_file(file)).config.browser.proxy.password, "p");
    ProxyConfig proxy = loaded(load_file(file, {"--proxy-server=http://b"})).config.browser.proxy;
    EXPECT_EQ(proxy.server, "http://b");
    EXPECT_EQ(proxy.username, "");
    EXPECT_EQ(proxy.password, "");
}

TEST(Load, ReadsSecretsFromADotenvFile) {
    Directory directory;
    directory.write("secrets.env", "X-PASSWORD=password123\nEMPTY=");

    EXPECT_THAT(loaded(load({"--secrets", "secrets.env"}, {}, directory.path())).config.secrets,
                ElementsAre(Pair("EMPTY", ""), Pair("X-PASSWORD", "password123")));
    EXPECT_THAT(error_of(load({"--secrets=missing"}, {}, directory.path())).message,
                AllOf(HasSubstr("--secrets: Cannot open"), HasSubstr("missing")));
}

TEST(Load, RefusesReferencesToARecordThatIsOff) {
    EXPECT_TRUE(loaded(load_flags({})).config.store.enabled);
    EXPECT_FALSE(loaded(load_flags({"--no-record", "--response=delta"})).config.store.enabled);
    EXPECT_THAT(error_of(load_flags({"--no-record", "--response=ref"})).to_string(),
                AllOf(HasSubstr("references to the record, which is off"), HasSubstr("--response delta")));
}

TEST(Load, EndsNoHttpClientForAMissedPingUnlessAskedTo) {
    EXPECT_EQ(loaded(load_flags({"--port=0"})).config.server.ping_timeout.count(), 0);
    EXPECT_EQ(loaded(load_flags({"--port=0", "--ping-timeout=5000"})).config.server.ping_timeout.count(),
              5000);
}

TEST(Load, KeepsTheClientsOfADaemonApart) {
    Loaded attached = loaded(load_flags({"--attach"}));
    EXPECT_TRUE(attached.config.server.daemon);
    EXPECT_TRUE(attached.config.browser.isolated);
    EXPECT_EQ(origin_of(attached, "browser.isolated"), "default by server.daemon");

    Loaded kept = loaded(load_flags({"--daemon", "--user-data-dir=/profile"}));
    EXPECT_FALSE(kept.config.browser.isolated);
    EXPECT_EQ(kept.config.session.isolation, config::Isolation::Shared);
    EXPECT_FALSE(loaded(load_flags({"--daemon", "--no-isolated"})).config.browser.isolated);
    EXPECT_FALSE(loaded(load_flags({"--daemon", "--cdp-endpoint=http://x"})).config.browser.isolated);
}

TEST(Load, HasNoDaemonBehindAListenerOfItsOwn) {
    EXPECT_THAT(error_of(load_flags({"--daemon", "--port=1"})).message,
                HasSubstr("server.port (flag --port)"));
    EXPECT_THAT(error_of(load_flags({"--daemon", "--socket=s"})).message, HasSubstr("server.socket"));
}

TEST(Load, TurnsMobileIntoADeviceOfTheBrowser) {
    EXPECT_EQ(loaded(load_flags({"--mobile"})).config.browser.device, "Pixel 10");
    EXPECT_EQ(loaded(load_flags({"--mobile", "--browser=webkit"})).config.browser.device, "iPhone 17");
    EXPECT_EQ(loaded(load_flags({"--device=iPhone 15"})).config.browser.device, "iPhone 15");
    EXPECT_EQ(loaded(load_flags({"--device=iPhone 15"})).config.browser.context.viewport, std::nullopt);
}

TEST(Load, LeavesTheSizeOfTabsInSomebodyElsesBrowser) {
    auto viewport = [](std::vector<std::string> flags) {
        flags.insert(flags.end(), {"--headless", "--cdp-endpoint=http://localhost:1"});
        return loaded(load_flags(flags)).config.browser.context.viewport;
    };
    EXPECT_EQ(viewport({}), std::nullopt);
    EXPECT_EQ(viewport({"--viewport-size=800x600"}), (Size{800, 600}));
    EXPECT_EQ(viewport({"--isolated"}), (Size{1280, 720}));
}

TEST(Load, RefusesOptionsThatContradictEachOther) {
    auto message = [](std::vector<std::string> flags) { return error_of(load_flags(flags)).message; };

    EXPECT_EQ(message({"--device=Pixel 5", "--cdp-endpoint=http://localhost:1"}),
              "Device emulation is not supported with cdpEndpoint.");
    EXPECT_THAT(message({"--device=Pixel 5", "--mobile"}), HasSubstr("--mobile and --device"));
    EXPECT_THAT(message({"--mobile", "--browser=firefox"}), HasSubstr("Firefox"));
    EXPECT_THAT(message({"--isolated", "--user-data-dir=/p"}), HasSubstr("--isolated"));
    EXPECT_THAT(message({"--output-dir=/"}), HasSubstr("root directory"));
    EXPECT_THAT(error_of(load_file("pool.minBrowsers = 9")).message,
                HasSubstr("greater than pool.maxBrowsers"));
}

TEST(Load, RefusesScriptsThatDoNotExist) {
    EXPECT_THAT(error_of(load_flags({"--init-script=missing.js"})).to_string(),
                AllOf(HasSubstr("there is no file /project/missing.js"), HasSubstr("flag --init-script")));
}

TEST(Exposure, NeedsATokenOrAWordBeyondLoopback) {
    Error error = error_of(load_flags({"--port=0", "--host=0.0.0.0"}));

    EXPECT_THAT(error.message,
                AllOf(HasSubstr("0.0.0.0"), HasSubstr("flag --host"), HasSubstr("other machines")));
    EXPECT_THAT(error.hint, AllOf(HasSubstr("TROUPE_AUTH_TOKEN"), HasSubstr("--insecure")));
    EXPECT_EQ(
        loaded(load_flags({"--port=0", "--host=0.0.0.0", "--auth-token=s3cret"})).config.server.auth_token,
        "s3cret");
    EXPECT_TRUE(loaded(load_flags({"--port=0", "--host=0.0.0.0", "--insecure"})).config.server.insecure);
}

TEST(Exposure, DoesNotMatterWhereNothingListens) {
    EXPECT_TRUE(load_flags({"--host=0.0.0.0"}));
    EXPECT_TRUE(load_flags({"--host=0.0.0.0", "--socket=/tmp/troupe.sock"}));
}

TEST(Exposure, EndsAtLoopbackAddresses) {
    for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "[::1]"}) {
        EXPECT_TRUE(is_loopback(host)) << host;
    }
    for (const char* host :
         {"", "0.0.0.0", "::", "192.168.0.1", "127.0.0.1.example.com", "example.com", "1270.0.0.1"}) {
        EXPECT_FALSE(is_loopback(host)) << host;
    }
}

TEST(AuthToken, MustBeSomethingThatAHeaderCanCarry) {
    EXPECT_THAT(error_of(load_flags({"--auth-token="})).message, HasSubstr("is empty"));
    Error error = error_of(load_flags({"--auth-token=two words"}));
    EXPECT_THAT(error.message, HasSubstr("not sendable"));
    EXPECT_THAT(error.to_string(), testing::Not(HasSubstr("two words")));
}

TEST(Load, TakesFarLessThanAMillisecond) {
    loaded(load_flags({}));
    auto start = std::chrono::steady_clock::now();

    for (int i = 0; i < 20; ++i) (void)load_flags({"--headless", "--browser=chromium", "--port=0"});

    // Generous: without optimisation and with a busy neighbour.
    EXPECT_LT((std::chrono::steady_clock::now() - start) / 20, 5ms);
}

}  // namespace
}  // namespace config
