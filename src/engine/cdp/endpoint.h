// The address of a browser that somebody else started, and the way from there to its WebSocket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace cdp {

struct ServerAddress {
    bool tls = false;
    std::string host;  // a name, or an IP address without brackets
    std::string port;
    std::string host_header;
    std::string target;       // path and query
    std::string credentials;  // "user:password" where the address has them
    std::string shown;        // for people: without credentials and query
};
// Of http, https, ws and wss.
Result<ServerAddress> parse_address(const std::string& url);

bool is_websocket(std::string_view url);

// What the browser serves below an endpoint: "http://host/a?b" and "json/version/" give
// "http://host/a/json/version/?b".
Result<std::string> url_below(const std::string& endpoint, std::string_view path);
// Where `reference`, found at `base`, leads.
Result<std::string> resolve_url(const std::string& base, const std::string& reference);

// The browser's WebSocket, from what it answered at `url`.
Result<std::string> websocket_url(std::string_view answer, const std::string& url);
// The ids of its tabs, the last used first, from what it lists. Empty where it lists nothing.
std::vector<std::string> listed_tabs(std::string_view answer);

}  // namespace cdp
