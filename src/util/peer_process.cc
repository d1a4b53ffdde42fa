#include "util/peer_process.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include "util/processes.h"
#include "util/spawn.h"

namespace {

constexpr std::uint32_t kEveryState = 0xffffffff;

struct Address {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
    // The bytes of the address, and its port in network order.
    std::pair<std::span<const std::byte>, std::uint16_t> parts() const {
        if (storage.ss_family == AF_INET) {
            const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
            return {std::as_bytes(std::span(&v4.sin_addr, 1)), v4.sin_port};
        }
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        return {std::as_bytes(std::span(&v6.sin6_addr, 1)), v6.sin6_port};
    }
};

struct Question {
    nlmsghdr header;
    inet_diag_req_v2 request;
};

// Requests the one socket that is connected from `source` to `destination`.
Question question(const Address& source, const Address& destination) {
    Question asked{};
    asked.header = {
        .nlmsg_len = sizeof asked, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST};
    asked.request.sdiag_family = static_cast<std::uint8_t>(source.storage.ss_family);
    asked.request.sdiag_protocol = IPPROTO_TCP;
    asked.request.idiag_states = kEveryState;
    auto [from, from_port] = source.parts();
    auto [to, to_port] = destination.parts();
    std::memcpy(asked.request.id.idiag_src, from.data(), from.size());
    std::memcpy(asked.request.id.idiag_dst, to.data(), to.size());
    asked.request.id.idiag_sport = from_port;
    asked.request.id.idiag_dport = to_port;
    asked.request.id.idiag_cookie[0] = asked.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return asked;
}

struct Ends {
    Address here, there;
};

std::optional<Ends> ends_of(int socket) {
    Ends ends;
    if (::getsockname(socket, ends.here.get(), &ends.here.size) != 0 ||
        ::getpeername(socket, ends.there.get(), &ends.there.size) != 0)
        return std::nullopt;
    auto family = ends.there.storage.ss_family;
    return family == AF_INET || family == AF_INET6 ? std::optional(ends) : std::nullopt;
}

// A connection within this machine has the same address at both ends. After a reset that is unknown.
bool may_be_within_machine(int socket) {
    auto ends = ends_of(socket);
    return !ends || std::ranges::equal(ends->here.parts().first, ends->there.parts().first);
}

bool has_hung_up(int socket) {
    pollfd state{socket, POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

// A renderer runs a page's script in a sandbox without sockets; there may be many.
bool is_renderer(pid_t process) { return command_of(process).contains("--type=renderer "); }

bool has_socket_below(pid_t ancestor, std::uint64_t inode) {
    for (pid_t child : children_of(ancestor)) {
        if (is_renderer(child)) continue;
        if (has_socket(child, inode) || has_socket_below(child, inode)) return true;
    }
    return false;
}

}  // namespace

std::optional<PeerSocket> peer_socket(int socket) {
    auto ends = ends_of(socket);
    Descriptor kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!ends || kernel.get() < 0) return std::nullopt;
    Question asked = question(ends->there, ends->here);
    if (::send(kernel.get(), &asked, sizeof asked, 0) != sizeof asked) return std::nullopt;
    // The kernel has answered before send() returns.
    alignas(nlmsghdr) std::array<char, 4096> answer;
    ssize_t size = ::recv(kernel.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) return std::nullopt;
    const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
    inet_diag_msg found;
    std::memcpy(&found, NLMSG_DATA(header), sizeof found);
    return PeerSocket{.inode = found.idiag_inode};
}

bool has_socket(pid_t process, std::uint64_t inode) {
    std::string path = "/proc/" + std::to_string(process) + "/fd";
    std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
    if (!directory) return false;
    std::string wanted = "socket:[" + std::to_string(inode) + "]";
    std::array<char, 64> link;
    while (const dirent* entry = ::readdir(directory.get())) {
        ssize_t size = ::readlinkat(::dirfd(directory.get()), entry->d_name, link.data(), link.size());
        if (size > 0 && std::string_view(link.data(), static_cast<std::size_t>(size)) == wanted) return true;
    }
    return false;
}

bool is_peer_below(int socket, pid_t ancestor) {
    auto peer = peer_socket(socket);
    if (peer) return peer->inode == 0 || has_socket_below(ancestor, peer->inode);
    return has_hung_up(socket) && may_be_within_machine(socket);
}
