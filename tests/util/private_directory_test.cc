#include "util/private_directory.h"

#include <cstdlib>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

mode_t mode_of(const fs::path& file) {
    struct stat status{};
    ::stat(file.c_str(), &status);
    return status.st_mode & 07777;
}

class PrivateDirectoryTest : public testing::Test {
protected:
    PrivateDirectoryTest() {
        std::string name = (fs::temp_directory_path() / "troupe-private-XXXXXX").string();
        directory = ::mkdtemp(name.data());
    }
    ~PrivateDirectoryTest() override { fs::remove_all(directory); }
    fs::path make(const char* name, mode_t mode) const {
        fs::path made = directory / name;
        fs::create_directory(made);
        ::chmod(made.c_str(), mode);
        return made;
    }
    fs::path directory;
};

TEST_F(PrivateDirectoryTest, IsMadeWithItsParents) {
    fs::path inner = directory / "a/b";
    ASSERT_TRUE(ensure_private_directory(inner));
    EXPECT_EQ(mode_of(inner), 0700u);
    EXPECT_EQ(mode_of(inner.parent_path()), 0700u);
}

TEST_F(PrivateDirectoryTest, IsClosedToOthersWhenItIsThere) {
    fs::path ours = make("ours", 0755);
    ASSERT_TRUE(ensure_private_directory(ours));
    EXPECT_EQ(mode_of(ours), 0700u);
}

TEST_F(PrivateDirectoryTest, IsNeverOneForAllUsers) {
    fs::path shared = make("shared", 01777);
    EXPECT_FALSE(ensure_private_directory(shared));
    EXPECT_EQ(mode_of(shared), 01777u);
    // What is in it can be ours.
    EXPECT_TRUE(ensure_private_directory(shared / "ours"));
    EXPECT_EQ(mode_of(shared), 01777u);
}

TEST_F(PrivateDirectoryTest, IsNeverALink) {
    fs::create_directory_symlink(make("elsewhere", 0755), directory / "link");
    EXPECT_FALSE(ensure_private_directory(directory / "link"));
    EXPECT_EQ(mode_of(directory / "elsewhere"), 0755u);
}

}  // namespace
