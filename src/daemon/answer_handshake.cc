#include "daemon/answer_handshake.h"

#include "util/peer_user.h"

namespace daemons {

std::optional<HandshakeAnswer> answer_handshake(int descriptor, std::string_view line, std::size_t others,
                                                const std::string& version) {
    auto hello = read_hello(line);
    if (!hello || !is_same_user(descriptor)) return std::nullopt;
    Welcome welcome{.version = version,
                    .clients = static_cast<std::int64_t>(others),
                    .retired = hello->retire == version && others == 0};
    return HandshakeAnswer{std::move(*hello), std::move(welcome)};
}

}  // namespace daemons
