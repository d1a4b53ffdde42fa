// Normalizes hosts that are addresses, in any notation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

namespace policy {

// The host of a URL in the form that rules compare. An address has one text for all notations that browsers
// accept: decimal, octal, hexadecimal, with fewer parts, with a trailing dot, or an IPv4 address written as
// IPv6. IPv6 stands in brackets. Names are only lowercased.
std::string comparable_host(std::string_view host);
std::string comparable_host(const boost::asio::ip::address& address);

// The IPv4 addresses that packets for this IPv6 one may be sent to, by a translator or a tunnel: NAT64
// (64:ff9b::/96; in 64:ff9b:1::/48 one address for each length of a prefix), 6to4, the translated
// ::ffff:0:a.b.c.d, and the old ::a.b.c.d. Not ::ffff:a.b.c.d, which is that IPv4 address itself.
std::vector<boost::asio::ip::address_v4> addresses_behind(const boost::asio::ip::address_v6& address);
// The same for a host as comparable_host writes it, as such hosts.
std::vector<std::string> addresses_behind(std::string_view comparable_host);

}  // namespace policy
