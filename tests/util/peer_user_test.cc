#include "util/peer_user.h"

#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "util/spawn.h"

namespace {

TEST(PeerUser, IsWhoTheKernelSays) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    Descriptor one(ends[0]), other(ends[1]);
    EXPECT_TRUE(is_same_user(one.get()));
    EXPECT_TRUE(is_of_user(other.get(), ::geteuid()));
    EXPECT_FALSE(is_of_user(other.get(), ::geteuid() + 1));
}

TEST(PeerUser, IsNobodyWithoutASocket) {
    EXPECT_FALSE(is_same_user(-1));
    EXPECT_FALSE(is_of_user(-1, ::geteuid()));
}

}  // namespace
