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

// Reads an address like the URL standard: the last part fills the bytes that the others leave.
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
    // The parser takes any text after a '%' for a zone and ends at a null byte.
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
    // Browsers decode a host before they parse it.
    std::string decoded = host.contains('%') ? percent_decode(host) : std::string(host);
    if (decoded.contains(':')) {
        auto v6 = read_v6(decoded);
        return v6 ? comparable_host(ip::address(*v6)) : to_lower(decoded);
    }
    auto v4 = read_v4(decoded);
    return v4 ? v4->to_string() : to_lower(decoded);
}

std::vector<ip::address_v4> addresses_behind(const ip::address_v6& address) {
    auto bytes = address.to_bytes();
    auto v4 = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return ip::address_v4({bytes[a], bytes[b], bytes[c], bytes[d]});
    };
    std::uint32_t first = last_bytes(address, 0).to_uint(), second = last_bytes(address, 4).to_uint(),
                  third = last_bytes(address, 8).to_uint();
    ip::address_v4 last = last_bytes(address, 12);
    // The addresses for local use stand where RFC 6052, section 2.2, puts them, behind prefixes of 48, 56,
    // 64 and 96 bits. The byte 8 is no part of them.
    if (first == 0x0064ff9b && second >> 16 == 1)
        return {v4(6, 7, 9, 10), v4(7, 9, 10, 11), v4(9, 10, 11, 12), last};
    if (first >> 16 == 0x2002) return {last_bytes(address, 2)};
    if (second != 0) return {};
    if (first == 0x0064ff9b && third == 0) return {last};
    // ::1 and :: are addresses of their own.
    if (first == 0 && third == 0 && last.to_uint() > 1) return {last};
    if (first == 0 && third == 0xffff0000) return {last};
    return {};
}

std::vector<std::string> addresses_behind(std::string_view comparable_host) {
    auto v6 = comparable_host.starts_with('[') ? read_v6(comparable_host) : std::nullopt;
    std::vector<std::string> hosts;
    if (!v6) return hosts;
    for (const ip::address_v4& address : addresses_behind(*v6)) hosts.push_back(address.to_string());
    return hosts;
}

}  // namespace policy
