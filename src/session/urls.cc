#include "session/urls.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "policy/origin.h"
#include "util/strings.h"

namespace session {
namespace {

using policy::as_browsers_read;
using policy::Origin;
using policy::read_authority;
using policy::scheme_of;

constexpr std::array<std::string_view, 5> kWithHost = {"http", "https", "ws", "wss", "ftp"};

bool has_host(std::string_view scheme) { return std::ranges::find(kWithHost, scheme) != kWithHost.end(); }

// Whether the address is complete, by the rules of the URL standard as far as they matter here.
bool is_whole(std::string_view url) {
    std::string scheme = scheme_of(url);
    if (scheme.empty()) return false;
    if (!has_host(scheme)) return true;
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

// Whether the address names a page below another one, rather than a host: "/cart", "?page=2", "docs/start".
bool is_relative(std::string_view typed) {
    std::string_view first = typed.substr(0, typed.find_first_of("/?#"));
    if (first.empty() || first == "." || first == "..") return true;
    return first != "localhost" && first.find_first_of(".:@") == std::string_view::npos;
}

std::optional<std::string> resolve(std::string_view base, std::string_view reference) {
    auto from = boost::urls::parse_uri(base);
    auto to = boost::urls::parse_uri_reference(reference);
    boost::urls::url url;
    if (!from || !to || !boost::urls::resolve(*from, *to, url)) return std::nullopt;
    return std::string(url.buffer());
}

}  // namespace

std::string complete_url(std::string_view typed, std::string_view base) {
    if (is_whole(as_browsers_read(typed))) return std::string(typed);
    if (!base.empty() && is_relative(typed)) {
        if (auto url = resolve(base, typed)) return *std::move(url);
    }
    return (typed.starts_with("localhost") ? "http://" : "https://") + std::string(typed);
}

Result<std::string> check_url(std::string_view typed, std::string_view base) {
    std::string url = complete_url(typed, base);
    // "http://" with nothing behind it is not a host called http.
    bool lacks_host = url.size() != typed.size() && has_host(scheme_of(as_browsers_read(typed))) &&
                      as_browsers_read(typed).contains("://");
    if (!lacks_host && is_whole(as_browsers_read(url))) return url;
    return Error{.code = ErrorCode::InvalidUrl,
                 .message = "Protocol error (Page.navigate): Cannot navigate to invalid URL"};
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
