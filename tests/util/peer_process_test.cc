#include "util/peer_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "util/spawn.h"

namespace {

// One connection within this machine: from `client` to `server`.
struct Connected {
    Descriptor client, server;
};

sockaddr_in6 mapped(const char* address, std::uint16_t port) {
    sockaddr_in6 there{};
    there.sin6_family = AF_INET6;
    there.sin6_port = port;
    ::inet_pton(AF_INET6, address, &there.sin6_addr);
    return there;
}

// The listener has `family`; clients of the other family reach an IPv4 one by an address written as IPv6.
Connected connect_within(int family, bool by_mapped_address = false) {
    sockaddr_storage here{};
    here.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET)
        reinterpret_cast<sockaddr_in&>(here).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        reinterpret_cast<sockaddr_in6&>(here).sin6_addr = in6addr_loopback;
    Descriptor listener(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    auto* address = reinterpret_cast<sockaddr*>(&here);
    EXPECT_EQ(::bind(listener.get(), address, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), address, &size), 0);
    sockaddr_in6 there = mapped("::ffff:127.0.0.1", reinterpret_cast<sockaddr_in&>(here).sin_port);
    Descriptor client(::socket(by_mapped_address ? AF_INET6 : family, SOCK_STREAM, 0));
    EXPECT_EQ(by_mapped_address ? ::connect(client.get(), reinterpret_cast<sockaddr*>(&there), sizeof there)
                                : ::connect(client.get(), address, size),
              0);
    Descriptor server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return {std::move(client), std::move(server)};
}

// A process that has a connection's client end and nothing else of it; ends with the test.
class Holder {
public:
    explicit Holder(Connected& connected) : process_(::fork()) {
        if (process_ == 0) {
            ::close(connected.server.get());
            ::pause();
            ::_exit(0);
        }
        connected.client = Descriptor();
    }
    Holder(const Holder&) = delete;
    ~Holder() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    pid_t id() const { return process_; }

private:
    pid_t process_;
};

bool has_ipv6() {
    Descriptor probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 here = mapped("::1", 0);
    return ::bind(probe.get(), reinterpret_cast<sockaddr*>(&here), sizeof here) == 0;
}

void expect_found(Connected connected) {
    auto peer = peer_socket(connected.server.get());
    ASSERT_TRUE(peer);
    EXPECT_TRUE(has_socket(::getpid(), peer->inode));
    Holder holder(connected);
    EXPECT_FALSE(has_socket(::getpid(), peer->inode));
    EXPECT_TRUE(has_socket(holder.id(), peer->inode));
}

TEST(PeerProcess, IsFoundByItsSocketWhateverTheFamily) {
    expect_found(connect_within(AF_INET));
    if (!has_ipv6()) return;
    expect_found(connect_within(AF_INET6));
    expect_found(connect_within(AF_INET, true));
}

TEST(PeerProcess, IsBelowWhoeverStartedIt) {
    Connected connected = connect_within(AF_INET);
    Holder holder(connected);
    EXPECT_TRUE(is_peer_below(connected.server.get(), ::getpid()));
    EXPECT_TRUE(is_peer_below(connected.server.get(), ::getppid()));
    EXPECT_FALSE(is_peer_below(connected.server.get(), holder.id()));
}

TEST(PeerProcess, IsNotBelowItself) {
    Connected connected = connect_within(AF_INET);
    EXPECT_FALSE(is_peer_below(connected.server.get(), ::getpid()));
}

TEST(PeerProcess, MayBeBelowOnceItHasGone) {
    // With and without something of it left in the kernel.
    for (bool reset : {false, true}) {
        Connected connected = connect_within(AF_INET);
        linger at_once{.l_onoff = reset ? 1 : 0, .l_linger = 0};
        ASSERT_EQ(::setsockopt(connected.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
        ASSERT_EQ(::send(connected.client.get(), "GET", 3, 0), 3);
        connected.client = Descriptor();
        EXPECT_TRUE(is_peer_below(connected.server.get(), ::getpid())) << reset;
    }
}

TEST(PeerProcess, IsNobodyWithoutAConnection) {
    EXPECT_FALSE(is_peer_below(-1, ::getpid()));
    EXPECT_FALSE(peer_socket(-1));
}

}  // namespace
