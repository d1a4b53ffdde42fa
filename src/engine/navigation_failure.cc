#include "engine/navigation_failure.h"

#include <algorithm>
#include <iterator>

namespace engine {
namespace {

bool is_of_network(std::string_view failure) {
    static constexpr std::string_view kFailures[] = {
        "net::ERR_NAME_NOT_RESOLVED",      "net::ERR_NAME_RESOLUTION_FAILED", "net::ERR_CONNECTION_REFUSED",
        "net::ERR_CONNECTION_RESET",       "net::ERR_CONNECTION_CLOSED",      "net::ERR_CONNECTION_ABORTED",
        "net::ERR_CONNECTION_FAILED",      "net::ERR_CONNECTION_TIMED_OUT",   "net::ERR_TIMED_OUT",
        "net::ERR_INTERNET_DISCONNECTED",  "net::ERR_ADDRESS_UNREACHABLE",    "net::ERR_NETWORK_CHANGED",
        "net::ERR_NETWORK_ACCESS_DENIED",  "net::ERR_EMPTY_RESPONSE",         "net::ERR_SOCKET_NOT_CONNECTED",
        "net::ERR_PROXY_CONNECTION_FAILED"};
    return std::ranges::find(kFailures, failure) != std::end(kFailures);
}

}  // namespace

std::string as_browsers_show(std::string_view url) {
    std::string shown(url);
    std::size_t host = url.find("://");
    if (host == url.npos) return shown;
    host += 3;
    std::size_t end = std::min(url.find_first_of("/?#", host), url.size());
    bool is_bare = end > host && (end == url.size() || url[end] != '/');
    if (is_bare && (url.starts_with("http://") || url.starts_with("https://"))) shown.insert(end, "/");
    return shown;
}

Error navigation_failed(std::string_view failure, std::string_view url) {
    return {.code = is_of_network(failure) ? ErrorCode::NetworkError : ErrorCode::NavigationFailed,
            .message = std::string(failure) + " at " + as_browsers_show(url)};
}

bool is_error_page(std::string_view url) { return url.starts_with("chrome-error:"); }

}  // namespace engine
