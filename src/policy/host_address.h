// Hosts that are addresses, whatever way they are written in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/address.hpp>

namespace policy {

// The host of a URL as rules compare it. An address has one text, whichever of the spellings that browsers
// take it was given in: decimal, octal, hexadecimal, with fewer parts, with a dot at its end, or an IPv4
// address written as IPv6. IPv6 stands in brackets. Names are only put into small letters.
std::string comparable_host(std::string_view host);
std::string comparable_host(const boost::asio::ip::address& address);

// The IPv4 address that packets for this IPv6 one may end at: NAT64, 6to4 and the old ::a.b.c.d.
std::optional<std::string> address_behind(std::string_view comparable_host);

}  // namespace policy
