#include "daemon/greet.h"

#include <sys/socket.h>
#include <unistd.h>

namespace daemons {

std::optional<Greeted> greet(int descriptor, std::string_view line, std::size_t others,
                             const std::string& version) {
    auto hello = read_hello(line);
    ucred peer{};
    socklen_t size = sizeof peer;
    bool known = ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    if (!hello || !known || peer.uid != ::geteuid()) return std::nullopt;
    Welcome welcome{.version = version,
                    .clients = static_cast<std::int64_t>(others),
                    .retired = hello->retire == version && others == 0};
    return Greeted{std::move(*hello), std::move(welcome)};
}

}  // namespace daemons
