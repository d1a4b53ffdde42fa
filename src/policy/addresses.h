// Recognizes addresses outside the public internet.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace policy {

// Whether the address is loopback, private, link-local, shared, multicast, reserved or unspecified, also for
// an IPv4 address written as IPv6.
bool is_private(const boost::asio::ip::address& address);

}  // namespace policy
