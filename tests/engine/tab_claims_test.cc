#include "engine/tab_claims.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"

namespace {

class TabClaimsTest : public testing::Test {
protected:
    // What another process sees.
    bool another_process_can_claim(const std::string& tab) const {
        pid_t child = ::fork();
        if (child == 0) ::_exit(engine::TabClaims(space).claim(tab) ? 0 : 1);
        int status = 0;
        ::waitpid(child, &status, 0);
        return WEXITSTATUS(status) == 0;
    }

    // Other tests run at the same time.
    fakes::TemporaryDirectory directory;
    std::string space = directory.path().string();
    engine::TabClaims claims{space};
};

TEST_F(TabClaimsTest, GivesATabToOneOnly) {
    auto mine = claims.claim("A1");
    ASSERT_TRUE(mine);
    EXPECT_FALSE(claims.claim("A1"));
    EXPECT_FALSE(another_process_can_claim("A1"));
    EXPECT_TRUE(claims.is_claimed("A1"));

    EXPECT_TRUE(claims.claim("B2"));
    EXPECT_TRUE(another_process_can_claim("B2"));
}

TEST_F(TabClaimsTest, FreesATabWithItsClaimOrItsProcess) {
    auto mine = claims.claim("A1");
    mine.reset();
    EXPECT_FALSE(claims.is_claimed("A1"));
    EXPECT_TRUE(another_process_can_claim("A1"));
    EXPECT_TRUE(claims.claim("A1"));
}

TEST_F(TabClaimsTest, OfAnotherSpaceAreOthers) {
    auto mine = claims.claim("A1");
    engine::TabClaims others(space + "/others");
    EXPECT_FALSE(others.is_claimed("A1"));
    EXPECT_TRUE(others.claim("A1"));
}

}  // namespace
