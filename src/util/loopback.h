// Recognizes addresses and host names that lead only to this machine. All code that decides this uses it.
#pragma once

#include <string_view>

#include <boost/asio/ip/address.hpp>

// 127.0.0.0/8, ::1, and 127.0.0.0/8 written as IPv6.
bool is_loopback(const boost::asio::ip::address& address);

// The host of a URL or of a Host header, without its port: a loopback address in the standard notation, in
// brackets or not, or "localhost", also as the absolute name "localhost.". Names that DNS could resolve, such
// as "127.evil.example", "127.0.0.1.nip.io" or "app.localhost", do not count.
bool is_loopback(std::string_view host);
