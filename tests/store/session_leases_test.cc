#include "store/session_leases.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace store {
namespace {

class SessionLeasesTest : public testing::Test {
protected:
    SessionLeasesTest() {
        std::string name = (std::filesystem::temp_directory_path() / "troupe-leases-XXXXXX").string();
        directory = ::mkdtemp(name.data());
    }
    ~SessionLeasesTest() override { std::filesystem::remove_all(directory); }

    // As another server has it: locks belong to what was opened, not to the process.
    std::shared_ptr<SessionLeases> open() { return SessionLeases::open(directory / "leases").value(); }

    std::filesystem::path directory;
};

}  // namespace

TEST_F(SessionLeasesTest, GiveASessionToOneServerAtATimeAndNameIt) {
    auto first = open(), second = open();
    auto lease = SessionLeases::take(first, "name ann");
    ASSERT_TRUE(lease);
    EXPECT_FALSE(SessionLeases::take(second, "name ann"));
    EXPECT_EQ(second->holder("name ann"), ::getpid());
    EXPECT_EQ(first->holder("name ann"), 0) << "one's own";
    EXPECT_TRUE(SessionLeases::take(second, "name bob")) << "another session";
    EXPECT_TRUE(second->has_others());

    lease.reset();
    EXPECT_EQ(second->holder("name ann"), 0);
    EXPECT_TRUE(SessionLeases::take(second, "name ann"));
}

TEST_F(SessionLeasesTest, LastAsLongAsAnyCopyDoes) {
    auto first = open(), second = open();
    auto lease = SessionLeases::take(first, "name ann");
    auto again = SessionLeases::take(first, "name ann");
    lease.reset();
    EXPECT_FALSE(SessionLeases::take(second, "name ann"));
    again.reset();
    EXPECT_TRUE(SessionLeases::take(second, "name ann"));
}

TEST_F(SessionLeasesTest, EndWithTheProcessThatHasThem) {
    int ready[2], end[2];
    ASSERT_EQ(::pipe(ready), 0);
    ASSERT_EQ(::pipe(end), 0);
    pid_t child = ::fork();
    if (child == 0) {
        ::close(end[1]);
        auto lease = SessionLeases::take(open(), "name ann");
        char byte = lease ? 'y' : 'n';
        (void)!::write(ready[1], &byte, 1);
        (void)!::read(end[0], &byte, 1);
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    auto ours = open();
    EXPECT_FALSE(SessionLeases::take(ours, "name ann"));
    EXPECT_EQ(ours->holder("name ann"), child);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(SessionLeases::take(ours, "name ann"));
    for (int fd : {ready[0], ready[1], end[0], end[1]}) ::close(fd);
}

}  // namespace store
