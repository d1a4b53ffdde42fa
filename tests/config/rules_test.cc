#include <gmock/gmock.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Rules, AreReadAsTheyAreWritten) {
    SecurityConfig security = loaded(load_file(R"({"security": {"rules": [
            {"session": "reader-*", "tools": "browser_snapshot", "rate": 60},
            {"principal": "ann", "capabilities": ["core", "toolkit"], "deny": ["browser_evaluate"]}]}})"))
                                  .config.security;

    ASSERT_EQ(security.rules.size(), 2u);
    EXPECT_EQ(security.rules[0].session, "reader-*");
    EXPECT_EQ(security.rules[0].principal, "*");
    EXPECT_THAT(security.rules[0].tools, ElementsAre("browser_snapshot"));
    EXPECT_EQ(security.rules[0].rate, 60);
    EXPECT_THAT(security.rules[1].capabilities, ElementsAre("core", "toolkit"));
    EXPECT_THAT(security.rules[1].deny, ElementsAre("browser_evaluate"));
}

TEST(Rules, ThatCannotBeReadKeepTheServerFromStarting) {
    auto refused = [](const std::string& rules) {
        return error_of(load_file(R"({"security": {"rules": )" + rules + "}}")).to_string();
    };
    EXPECT_THAT(refused(R"([{"sesion": "x"}])"),
                HasSubstr("security.rules[0] has an unknown key sesion. Did you mean session?"));
    EXPECT_THAT(refused(R"([{}, {"tools": [5]}])"), HasSubstr("security.rules[1].tools must be a text"));
    EXPECT_THAT(refused(R"([{"rate": 0}])"), HasSubstr("security.rules[0].rate must be a whole number"));
    EXPECT_THAT(refused(R"(["x"])"), HasSubstr("security.rules[0] must be an object"));
}

TEST(Rules, NameScopesOfTheIssuersTokens) {
    auto load = [](const std::string& rule) {
        return load_file(R"({"server": {"oauth": {"issuer": "https://login.test",
                                                  "resource": "https://troupe.test"}},
                             "security": {"rules": [)" +
                         rule + "]}}");
    };
    auto rules =
        loaded(load(R"({"scopes": ["browse", "click"], "tools": "browser_*"})")).config.security.rules;
    ASSERT_EQ(rules.size(), 1u);
    EXPECT_THAT(rules[0].scopes, ElementsAre("browse", "click"));

    EXPECT_THAT(error_of(load(R"({"scopes": ["browse"], "blockedDomains": ["a.test"]})")).to_string(),
                HasSubstr("security.rules[0] has scopes together with domains"));
    EXPECT_THAT(error_of(load(R"({"scopes": []})")).to_string(), HasSubstr("scopes names no scope"));
    EXPECT_THAT(error_of(load(R"({"scopes": "browse click"})")).to_string(),
                HasSubstr("names \"browse click\", which is no scope"));
    EXPECT_THAT(error_of(load_file(R"({"security": {"rules": [{}, {"scopes": ["browse"]}]}})")).to_string(),
                HasSubstr("security.rules[1] names scopes, which only tokens of server.oauth.issuer have"));
}

TEST(Rules, NameDomains) {
    auto rules = loaded(load_file(R"({"security": {"rules": [
            {"principal": "ann", "allowedDomains": ["example.com", "*.test"], "blockedDomains": "[::1]"}]}})"))
                     .config.security.rules;

    ASSERT_EQ(rules.size(), 1u);
    EXPECT_THAT(rules[0].allowed_domains, ElementsAre("example.com", "*.test"));
    EXPECT_THAT(rules[0].blocked_domains, ElementsAre("[::1]"));
}

TEST(Rules, WithDomainsThatWouldFitNothingKeepTheServerFromStarting) {
    for (const char* domain : {"https://example.com", "example.com/path", "example.com:443", "bücher.example",
                               "a b", "user@example.com", ".example.com", "a..example", ""}) {
        std::string list = R"(Domains": [")" + std::string(domain) + R"("]})";
        for (const std::string& security :
             {R"({"rules": [{"allowed)" + list + "]}", R"({"rules": [{"blocked)" + list + "]}",
              R"({"allowed)" + list, R"({"blocked)" + list})
            EXPECT_THAT(error_of(load_file(R"({"security": )" + security + "}")).message,
                        HasSubstr("names \"" + std::string(domain) + "\", which is no domain."));
    }
    EXPECT_THAT(error_of(load_file(R"({"security": {"rules": [{"allowedDomains": []}]}})")).message,
                HasSubstr("security.rules[0].allowedDomains names no domain."));
}

TEST(Rules, WithDomainsAreEnforcedOrTheServerDoesNotStart) {
    auto refused = [](const std::string& other) {
        return error_of(
                   load_file(R"({"security": {"rules": [{"allowedDomains": "a.test"}]}, )" + other + "}"))
            .message;
    };
    EXPECT_THAT(refused(R"("session": {"isolation": "shared"})"), HasSubstr("share its connections"));
    EXPECT_THAT(refused(R"("sharedBrowserContext": true)"), HasSubstr("share its connections"));
    EXPECT_THAT(refused(R"("browser": {"engine": "upstream"})"),
                HasSubstr("security.rules cannot be enforced with the engine upstream"));
    EXPECT_THAT(refused(R"("browser": {"type": "firefox"})"),
                HasSubstr("cannot be enforced with the engine upstream (browser.type in troupe.conf)"));
    EXPECT_THAT(refused(R"("browser": {"cdpEndpoint": "http://localhost:9222"})"),
                HasSubstr("browser.cdpEndpoint"));
    // Rules about tools alone are.
    loaded(load_file(
        R"({"security": {"rules": [{"deny": "browser_click"}]}, "session": {"isolation": "shared"}})"));
}

TEST(RecordVideo, IsReadAndChecked) {
    auto load_video = [](const std::string& video) {
        return load_file(R"({"browser": {"contextOptions": {"recordVideo": )" + video + "}}}");
    };
    auto video = loaded(load_video(R"({"dir": "videos", "size": {"width": 800, "height": 600}, "fps": 10})"))
                     .config.browser.context.record_video;
    ASSERT_TRUE(video);
    EXPECT_EQ(video->dir, "videos");
    EXPECT_EQ(video->size, (Size{800, 600}));
    EXPECT_EQ(video->fps, 10);
    EXPECT_FALSE(loaded(load_video(R"({"dir": "v"})")).config.browser.context.record_video->size);
    EXPECT_FALSE(loaded(load_file("{}")).config.browser.context.record_video);

    EXPECT_THAT(error_of(load_video(R"({"dir": 1})")).to_string(), HasSubstr("recordVideo.dir must be"));
    EXPECT_THAT(error_of(load_video(R"({"size": {"width": 800}})")).to_string(),
                HasSubstr("recordVideo.size must be a width and a height"));
    EXPECT_THAT(error_of(load_video(R"({"fps": 0})")).to_string(), HasSubstr("recordVideo.fps must be"));
}

TEST(SecretOrigins, AreReadAndChecked) {
    EXPECT_THAT(loaded(load_file(R"({"security": {"secretOrigins": {"P": "https://*.example.com"}}})"))
                    .config.security.secret_origins.at("P"),
                ElementsAre("https://*.example.com"));
    EXPECT_THAT(error_of(load_file(R"({"security": {"secretOrigins": {"P": ["example.com"]}}})")).to_string(),
                HasSubstr("security.secretOrigins.P names \"example.com\", which is no origin."));
    EXPECT_THAT(error_of(load_file(R"({"browser": {"engine": "upstream"},
                                       "security": {"secretOrigins": {"P": "https://a.test"}}})"))
                    .message,
                HasSubstr("cannot be enforced with the engine upstream"));
}

TEST(AuthTokens, HaveNamesAndCanBeSent) {
    EXPECT_THAT(
        loaded(load_file(R"({"server": {"authTokens": {"ann": "s3cret"}}})")).config.server.auth_tokens,
        ElementsAre(testing::Pair("ann", "s3cret")));
    EXPECT_THAT(error_of(load_file(R"({"server": {"authTokens": {"ann": "a b"}}})")).message,
                HasSubstr("server.authTokens.ann"));
    EXPECT_THAT(error_of(load_file(R"({"server": {"authTokens": {"ann": "x", "bob": "x"}}})")).message,
                HasSubstr("server.authTokens.ann and server.authTokens.bob are the same token"));
    EXPECT_THAT(error_of(load_file(R"({"server": {"authToken": "x", "authTokens": {"bob": "x"}}})")).message,
                HasSubstr("server.authToken and server.authTokens.bob are the same token"));
    // Enough to listen beyond this machine.
    EXPECT_TRUE(load_file(R"({"server": {"port": 1, "host": "0.0.0.0", "authTokens": {"ann": "x"}}})"));
}

}  // namespace
}  // namespace config
