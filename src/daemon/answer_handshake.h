// The daemon's side of the handshake.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/handshake.h"

namespace daemons {

// The client's greeting and the answer to it.
struct HandshakeAnswer {
    Hello hello;
    Welcome welcome;
};

// Returns nothing when the line is no greeting, or comes from another user's process.
std::optional<HandshakeAnswer> answer_handshake(int descriptor, std::string_view line, std::size_t others,
                                                const std::string& version);

}  // namespace daemons
