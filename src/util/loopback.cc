#include "util/loopback.h"

#include <string>

#include "util/strings.h"

bool is_loopback(const boost::asio::ip::address& address) {
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()).is_loopback();
    }
    return address.is_loopback();
}

bool is_loopback(std::string_view host) {
    if (equals_ignoring_case(host, "localhost") || equals_ignoring_case(host, "localhost.")) return true;
    bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
    if (bracketed) host = host.substr(1, host.size() - 2);
    // The parser below ends at a null byte and takes any text after a '%' for a zone.
    if (host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string_view::npos) return false;
    boost::system::error_code error;
    auto address = boost::asio::ip::make_address(std::string(host), error);
    return !error && (!bracketed || address.is_v6()) && is_loopback(address);
}
