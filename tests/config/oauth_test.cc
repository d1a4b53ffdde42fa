#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OAuth, IsReadFromFlagsVariablesAndFiles) {
    OAuthConfig oauth =
        loaded(load_flags({"--oauth-issuer=https://login.test", "--oauth-resource=https://troupe.test/",
                           "--oauth-scopes=browse,read"},
                          {{"TROUPE_OAUTH_PRINCIPAL_CLAIM", "email"}}))
            .config.server.oauth;
    EXPECT_EQ(oauth.issuer, "https://login.test");
    EXPECT_EQ(oauth.resource, "https://troupe.test");
    EXPECT_EQ(oauth.principal_claim, "email");
    EXPECT_THAT(oauth.scopes, ElementsAre("browse", "read"));

    oauth = loaded(load_file(R"({"server": {"oauth": {"issuer": "http://localhost:3000",
                                                      "audience": ["api://troupe"]}}})"))
                .config.server.oauth;
    EXPECT_EQ(oauth.principal_claim, "sub");
    EXPECT_THAT(oauth.audience, ElementsAre("api://troupe"));
    EXPECT_EQ(loaded(load_flags({})).config.server.oauth.issuer, "");
}

TEST(OAuth, ThatWouldLetTheWrongOnesInKeepsTheServerFromStarting) {
    auto mistake = [](std::vector<std::string> flags) {
        return error_of(load_flags(std::move(flags))).message;
    };
    EXPECT_THAT(mistake({"--oauth-issuer=http://login.test"}), HasSubstr("server.oauth.issuer"));
    EXPECT_THAT(mistake({"--oauth-issuer=https://login.test?a=b"}), HasSubstr("has a query"));
    EXPECT_THAT(mistake({"--oauth-issuer=https://login.test", "--oauth-resource=http://troupe.test"}),
                HasSubstr("server.oauth.resource"));
    EXPECT_THAT(mistake({"--oauth-issuer=https://login.test", "--oauth-scopes=a\"b"}),
                HasSubstr("is no scope"));
    EXPECT_THAT(mistake({"--oauth-scopes=browse"}), HasSubstr("there is no server.oauth.issuer"));
    for (const char* elsewhere : {"--host=0.0.0.0", "--allowed-hosts=troupe.test", "--allowed-hosts=*"}) {
        EXPECT_THAT(mistake({"--port=1", "--oauth-issuer=https://login.test", elsewhere}),
                    HasSubstr("other machines reach this server"));
        EXPECT_TRUE(load_flags({"--port=1", "--oauth-issuer=https://login.test", elsewhere,
                                "--oauth-resource=https://troupe.test"}));
    }
    EXPECT_TRUE(load_flags({"--port=1", "--oauth-issuer=https://login.test", "--allowed-hosts=localhost:1"}));
}

TEST(OAuth, KeepsItsPrincipalsApartFromThoseOfTokens) {
    EXPECT_THAT(error_of(load_file(R"({"server": {"authTokens": {"oauth:ann": "s3cret"}}})")).message,
                HasSubstr("oauth:ann"));
}

}  // namespace
}  // namespace config
