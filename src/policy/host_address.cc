#include "policy/host_address.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include "util/strings.h"

namespace policy {
namespace {

namespace ip = boost::asio::ip;

// One part of an IPv4 address: decimal, 0x… or 0….
std::optional<std::uint64_t> read_number(std::string_view part) {
    int base = 10;
    if (part.starts_with("0x") || part.starts_with("0X")) {
        base = 16;
        part.remove_prefix(2);
        if (part.empty()) return 0;
    } else if (part.size() > 1 && part.starts_with('0')) {
        base = 8;
    }
    std::uint64_t value = 0;
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value, base);
    if (part.empty() || error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
    return value;
}

// As the URL standard reads it: the last part fills the bytes that the others leave.
std::optional<ip::address_v4> read_v4(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    std::vector<std::string> parts = split(host, '.');
    if (parts.empty() || parts.size() > 4) return std::nullopt;
    std::uint64_t address = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto number = read_number(parts[i]);
        bool last = i + 1 == parts.size();
        std::size_t bits = last ? 8 * (5 - parts.size()) : 8;
        if (!number || *number >> bits != 0) return std::nullopt;
        address = address << bits | *number;
    }
    return ip::address_v4(static_cast<std::uint32_t>(address));
}

std::optional<ip::address_v6> read_v6(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    // The parser reads any text behind a '%' as a zone and ends at a null byte.
    if (host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string_view::npos) return std::nullopt;
    boost::system::error_code error;
    auto address = ip::make_address_v6(std::string(host), error);
    return error ? std::nullopt : std::optional(address);
}

ip::address_v4 last_bytes(const ip::address_v6& address, std::size_t at) {
    auto bytes = address.to_bytes();
    return ip::address_v4({bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]});
}

}  // namespace

std::string comparable_host(const ip::address& address) {
    if (address.is_v4()) return address.to_string();
    ip::address_v6 v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    v6.scope_id(0);
    return "[" + v6.to_string() + "]";
}

std::string comparable_host(std::string_view host) {
    // Browsers decode a host before they read it.
    std::string decoded = host.contains('%') ? percent_decode(host) : std::string(host);
    if (decoded.contains(':')) {
        auto v6 = read_v6(decoded);
        return v6 ? comparable_host(ip::address(*v6)) : to_lower(decoded);
    }
    auto v4 = read_v4(decoded);
    return v4 ? v4->to_string() : to_lower(decoded);
}

std::optional<std::string> address_behind(std::string_view comparable_host) {
    auto v6 = comparable_host.starts_with('[') ? read_v6(comparable_host) : std::nullopt;
    if (!v6) return std::nullopt;
    std::uint32_t first = last_bytes(*v6, 0).to_uint();
    bool rest_is_zero = last_bytes(*v6, 4).to_uint() == 0 && last_bytes(*v6, 8).to_uint() == 0;
    std::uint32_t end = last_bytes(*v6, 12).to_uint();
    if (first == 0x0064ff9b && rest_is_zero) return last_bytes(*v6, 12).to_string();
    if (first >> 16 == 0x2002) return last_bytes(*v6, 2).to_string();
    // ::1 and :: are addresses of their own.
    if (first == 0 && rest_is_zero && end > 1) return last_bytes(*v6, 12).to_string();
    return std::nullopt;
}

}  // namespace policy
