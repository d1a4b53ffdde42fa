// Addresses as browsers read them: the URL Standard's parser, written a second time so that ours has
// something to be compared with. Of names beyond ASCII it knows nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace fuzz {

using Ipv4 = std::uint32_t;
using Ipv6 = std::array<std::uint16_t, 8>;
using Host = std::variant<std::string, Ipv4, Ipv6>;

// The host of an address with a special scheme; nothing when browsers refuse it.
std::optional<Host> parse_host(std::string_view text);
// As location.hostname has it.
std::string serialize(const Host& host);

// An absolute address whose scheme has hosts: http, https, ws, wss, ftp.
struct StandardUrl {
    std::string scheme;
    Host host;
    std::string port;  // empty for the scheme's own

    // As location.origin has it.
    std::string origin() const;
};
std::optional<StandardUrl> parse_url(std::string_view text);

}  // namespace fuzz
