// The URL of a browser that we did not start, and how to get its WebSocket URL.
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
    std::string credentials;  // "user:password" if the URL has them
    std::string shown;        // for display: without credentials and query
};
// Accepts http, https, ws and wss URLs.
Result<ServerAddress> parse_address(const std::string& url);

bool is_websocket(std::string_view url);

// The URL of a resource below an endpoint: "http://host/a?b" and "json/version/" give
// "http://host/a/json/version/?b".
Result<std::string> url_below(const std::string& endpoint, std::string_view path);
// Resolves `reference` against `base`.
Result<std::string> resolve_url(const std::string& base, const std::string& reference);

// Extracts the browser's WebSocket URL from its answer at `url`.
Result<std::string> websocket_url(std::string_view answer, const std::string& url);
// The tab ids in the browser's answer, the last used first. Empty if it lists none.
std::vector<std::string> listed_tabs(std::string_view answer);

}  // namespace cdp
