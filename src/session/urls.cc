#include "session/urls.h"

#include <algorithm>
#include <array>

#include "policy/origin.h"
#include "util/strings.h"

namespace session {
namespace {

using policy::as_browsers_read;
using policy::Origin;
using policy::read_authority;
using policy::scheme_of;

// A whole address, by the rules of the URL standard as far as they matter here.
bool is_whole(std::string_view url) {
    static constexpr std::array<std::string_view, 5> kWithHost = {"http", "https", "ws", "wss", "ftp"};
    std::string scheme = scheme_of(url);
    if (scheme.empty()) return false;
    if (std::find(kWithHost.begin(), kWithHost.end(), scheme) == kWithHost.end()) return true;
    url.remove_prefix(scheme.size() + 1);
    while (!url.empty() && (url.front() == '/' || url.front() == '\\')) url.remove_prefix(1);
    Origin origin;
    read_authority(url.substr(0, url.find_first_of("/?#\\")), origin);
    bool port_fits =
        origin.port.size() <= 5 &&
        std::all_of(origin.port.begin(), origin.port.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
        (origin.port.empty() || std::stoi(origin.port) <= 65535);
    return !origin.host.empty() && origin.host.find_first_of(" <>^|%") == std::string::npos && port_fits;
}

}  // namespace

std::string complete_url(std::string_view typed) {
    if (is_whole(as_browsers_read(typed))) return std::string(typed);
    return (typed.starts_with("localhost") ? "http://" : "https://") + std::string(typed);
}

std::string browser_url(const std::string& url) {
    bool local = url.starts_with("localhost") || url.starts_with("127.0.0.1");
    return local ? "http://" + url : url;
}

Result<void> check_not_local(std::string_view url) {
    if (scheme_of(policy::without_view_source(as_browsers_read(url))) != "file") return ok();
    return Error{
        .code = ErrorCode::PolicyDenied,
        .message = "Access to \"file:\" protocol is blocked. Attempted URL: \"" + std::string(url) + "\""};
}

}  // namespace session
