#include "upstream/ports.h"

#include <arpa/inet.h>
#include <cstddef>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/crypto.h"
#include "util/spawn.h"

namespace upstream {
namespace {

// Below 32768, where Linux begins to assign ports to outgoing connections: one of those could take the port
// between our check and the server's listen, and our own check could connect to itself.
constexpr int kFirst = 20000;
constexpr int kCount = 32768 - kFirst;

struct Address {
    sockaddr_storage storage = {};
    socklen_t size = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address loopback(int family, int port) {
    Address address;
    if (family == AF_INET) {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
        v4->sin_family = AF_INET;
        v4->sin_port = htons(static_cast<std::uint16_t>(port));
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.size = sizeof *v4;
    } else {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(static_cast<std::uint16_t>(port));
        v6->sin6_addr = IN6ADDR_LOOPBACK_INIT;
        address.size = sizeof *v6;
    }
    return address;
}

bool is_free(int family, int port) {
    Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return true;  // this machine lacks the address family
    // Like servers do: a socket that an earlier server left in TIME_WAIT does not block the port.
    int yes = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    Address address = loopback(family, port);
    return ::bind(socket.get(), address.get(), address.size) == 0 || errno != EADDRINUSE;
}

// Keeps our other processes from choosing the same port between our check and the server's listen. A name in
// the abstract namespace is unique per machine, and released with the process that holds it.
Descriptor claim_port(int port) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::string name = "troupe-port-" + std::to_string(port);
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return Descriptor();
    return socket;
}

bool accepts(int family, int port) {
    Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return false;
    // On loopback the answer is immediate, unless a listener never accepts.
    timeval limit{.tv_sec = 0, .tv_usec = 100'000};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    Address address = loopback(family, port);
    return ::connect(socket.get(), address.get(), address.size) == 0;
}

}  // namespace

int preferred_port(std::string_view session) {
    std::string hash = sha256(session);
    int number = static_cast<unsigned char>(hash[0]) * 256 + static_cast<unsigned char>(hash[1]);
    return kFirst + number % kCount;
}

bool is_listening(int port) { return accepts(AF_INET, port) || accepts(AF_INET6, port); }

Result<Ports::Lease> Ports::take(std::string_view session) {
    int first = preferred_port(session) - kFirst;
    for (int i = 0; i < kCount; ++i) {
        int port = kFirst + (first + i) % kCount;
        auto claim = std::make_shared<Descriptor>(claim_port(port));
        if (claim->get() < 0 || !is_free(AF_INET, port) || !is_free(AF_INET6, port)) continue;
        return Lease(new int(port), [claim](const int* leased) { delete leased; });
    }
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = "No port from 20000 to 32767 is free for another MCP server.",
                 .hint = "Close some sessions, or use upstream.transport stdio."};
}

}  // namespace upstream
