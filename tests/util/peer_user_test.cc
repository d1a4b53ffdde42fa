#include "util/peer_user.h"

#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "util/spawn.h"

namespace {

// A socket that any user can connect to, in no directory; gives whether a client of `user` is taken for our own.
bool is_taken_for_us(uid_t user) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    ("troupe-peer-" + std::to_string(::getpid())).copy(address.sun_path + 1, sizeof address.sun_path - 2);
    Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), where, sizeof address), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    pid_t child = ::fork();
    if (child == 0) {
        int client = ::socket(AF_UNIX, SOCK_STREAM, 0);
        bool is_done = ::setuid(user) == 0 && ::connect(client, where, sizeof address) == 0;
        ::_exit(is_done ? 0 : 1);
    }
    Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
    bool is_same = is_same_user(accepted.get());
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return is_same;
}

TEST(PeerUser, IsWhoTheKernelSays) {
    EXPECT_TRUE(is_taken_for_us(::geteuid()));
    EXPECT_FALSE(is_same_user(-1));
}

TEST(PeerUser, IsAnotherOneForRoot) {
    if (::geteuid() != 0) GTEST_SKIP() << "Only root can be another user.";
    EXPECT_FALSE(is_taken_for_us(65534));
}

}  // namespace
