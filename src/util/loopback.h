// Which addresses and host names lead to this machine only. Every decision about it is made here.
#pragma once

#include <string_view>

#include <boost/asio/ip/address.hpp>

// 127.0.0.0/8, ::1, and 127.0.0.0/8 written as IPv6.
bool is_loopback(const boost::asio::ip::address& address);

// The host of a URL or of a Host header, without its port: a loopback address exactly as the standard texts
// write it, in brackets or not, or "localhost", also as the absolute name "localhost.". Whatever DNS could
// answer for, such as "127.evil.example", "127.0.0.1.nip.io" or "app.localhost", is none.
bool is_loopback(std::string_view host);
