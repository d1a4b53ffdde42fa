#include "engine/tab_claims.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/crypto.h"
#include "util/strings.h"

namespace engine {
namespace {

// An abstract address (leading NUL): it has no file and no owner, and is freed when the process ends.
struct SocketName {
    sockaddr_un address{};
    socklen_t size = 0;

    SocketName(const std::string& space, const std::string& tab) {
        std::string name = "troupe-tab-" + hex_encode(sha256(space + '\n' + tab));
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path + 1, name.data(), name.size());
        size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

Descriptor open_socket() { return Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

}  // namespace

std::optional<TabClaim> TabClaims::claim(const std::string& tab) const {
    Descriptor socket = open_socket();
    SocketName name(space_, tab);
    if (socket.get() >= 0 && ::bind(socket.get(), name.get(), name.size) != 0 && errno == EADDRINUSE)
        return std::nullopt;
    return TabClaim(std::move(socket));
}

bool TabClaims::is_claimed(const std::string& tab) const {
    Descriptor socket = open_socket();
    SocketName name(space_, tab);
    return socket.get() >= 0 && ::connect(socket.get(), name.get(), name.size) == 0;
}

}  // namespace engine
