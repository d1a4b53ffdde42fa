#include "session/real_path.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "tests/fakes/fake_browser.h"

namespace {

namespace fs = std::filesystem;
using session::open_without_links;
using session::real_path;

struct RealPathTest : testing::Test {
    fs::path at(const std::string& name) const { return fs::canonical(directory.path()) / name; }

    fakes::TemporaryDirectory directory;
};

TEST_F(RealPathTest, FollowsEveryLinkAndLeavesWhatIsNotThere) {
    fs::create_directories(at("a/b"));
    fs::create_directory_symlink("a/b", at("short"));
    fs::create_directory_symlink(at("short"), at("whole"));

    EXPECT_EQ(*real_path(at("whole/c/d.txt")), at("a/b/c/d.txt"));
    EXPECT_EQ(*real_path(at("whole/../e")), at("a/e"));
    EXPECT_EQ(*real_path("/"), "/");
    EXPECT_EQ(*real_path("/../.."), "/");
}

TEST_F(RealPathTest, FollowsALinkToNothing) {
    fs::create_symlink("/nowhere/x", at("link"));

    EXPECT_EQ(*real_path(at("link")), "/nowhere/x");
}

TEST_F(RealPathTest, GivesUpOnCircles) {
    fs::create_symlink("b", at("a"));
    fs::create_symlink("a", at("b"));

    EXPECT_FALSE(real_path(at("a")));
}

TEST_F(RealPathTest, OpensNoLinkWhereverItIsInThePath) {
    directory.write("file.txt", "x");
    fs::create_directories(at("folder"));
    fs::create_symlink("../file.txt", at("folder/link.txt"));
    fs::create_directory_symlink(".", at("here"));

    EXPECT_TRUE(open_without_links(at("file.txt"), O_RDONLY));
    EXPECT_EQ(open_without_links(at("folder/link.txt"), O_RDONLY).error().code, ErrorCode::PolicyDenied);
    EXPECT_EQ(open_without_links(at("here/file.txt"), O_RDONLY).error().code, ErrorCode::PolicyDenied);
    EXPECT_FALSE(open_without_links(at("folder"), O_RDONLY));
}

}  // namespace
