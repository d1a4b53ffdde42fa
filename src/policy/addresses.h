// Which addresses are not of the public internet.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace policy {

// Loopback, private, link-local, shared, multicast, reserved and unspecified ones; those of IPv4 also where
// they are written as IPv6.
bool is_private(const boost::asio::ip::address& address);

}  // namespace policy
