#include "policy/addresses.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "policy/host_address.h"

namespace policy {
namespace {

namespace ip = boost::asio::ip;

struct Range {
    std::uint32_t first;
    int bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
    return a << 24 | b << 16 | c << 8 | d;
}

// IANA's registry of special purpose addresses.
constexpr std::array kPrivate{
    Range{v4(0, 0, 0, 0), 8},     Range{v4(10, 0, 0, 0), 8},      Range{v4(100, 64, 0, 0), 10},
    Range{v4(127, 0, 0, 0), 8},   Range{v4(169, 254, 0, 0), 16},  Range{v4(172, 16, 0, 0), 12},
    Range{v4(192, 0, 0, 0), 24},  Range{v4(192, 0, 2, 0), 24},    Range{v4(192, 168, 0, 0), 16},
    Range{v4(198, 18, 0, 0), 15}, Range{v4(198, 51, 100, 0), 24}, Range{v4(203, 0, 113, 0), 24},
    Range{v4(224, 0, 0, 0), 4},   Range{v4(240, 0, 0, 0), 4},
};

bool is_private_v4(std::uint32_t address) {
    for (const Range& range : kPrivate) {
        if ((address ^ range.first) >> (32 - range.bits) == 0) return true;
    }
    return false;
}

std::uint32_t four_bytes(const ip::address_v6::bytes_type& bytes, std::size_t at) {
    return v4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool is_private_v6(const ip::address_v6& address) {
    auto bytes = address.to_bytes();
    if (address.is_v4_mapped()) return is_private_v4(four_bytes(bytes, 12));
    if (address.is_loopback() || address.is_unspecified() || address.is_multicast()) return true;
    bool unique_local = (bytes[0] & 0xfe) == 0xfc;
    bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
    bool site_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0xc0;
    if (unique_local || link_local || site_local) return true;
    // NAT64 for local use (RFC 8215): its translators are part of a private network.
    if (four_bytes(bytes, 0) == 0x0064ff9b && four_bytes(bytes, 4) >> 16 == 1) return true;
    return std::ranges::any_of(addresses_behind(address),
                               [](const ip::address_v4& v4) { return is_private_v4(v4.to_uint()); });
}

}  // namespace

bool is_private(const ip::address& address) {
    return address.is_v4() ? is_private_v4(address.to_v4().to_uint()) : is_private_v6(address.to_v6());
}

}  // namespace policy
