#include "policy/origin.h"

#include <algorithm>
#include <array>

#include "policy/host_address.h"
#include "util/strings.h"

namespace policy {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A WebSocket counts as a request of the page's own scheme.
std::string as_http(std::string_view scheme) {
    return scheme == "ws" ? "http" : scheme == "wss" ? "https" : std::string(scheme);
}

// "example.com." is the same host as "example.com".
std::string_view without_dot(std::string_view host) {
    while (host.ends_with('.')) host.remove_suffix(1);
    return host;
}

// 0080 is port 80.
std::string_view without_zeros(std::string_view port) {
    while (port.size() > 1 && port.starts_with('0')) port.remove_prefix(1);
    return port;
}

}  // namespace

std::string as_browsers_read(std::string_view url) {
    auto is_control = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!url.empty() && is_control(url.front())) url.remove_prefix(1);
    while (!url.empty() && is_control(url.back())) url.remove_suffix(1);
    std::string read(url);
    std::erase_if(read, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
    return read;
}

std::string without_view_source(std::string url) {
    constexpr std::string_view kSource = "view-source:";
    while (equals_ignoring_case(std::string_view(url).substr(0, kSource.size()), kSource))
        url = as_browsers_read(url.substr(kSource.size()));
    return url;
}

bool is_script(std::string_view url) {
    return scheme_of(without_view_source(as_browsers_read(url))) == "javascript";
}

bool brings_script(std::string_view given) {
    // Types without scripts. Browsers guess the type of data that has none that they know.
    static constexpr std::array<std::string_view, 6> kWithoutScript = {
        "", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"};
    static constexpr std::array<std::string_view, 3> kOfPages = {"javascript", "blob", "filesystem"};
    std::string url = without_view_source(as_browsers_read(given));
    std::string scheme = scheme_of(url);
    std::string_view rest = std::string_view(url).substr(std::min(scheme.size() + 1, url.size()));
    if (scheme == "about") return to_lower(rest.substr(0, rest.find_first_of("?#"))) == "srcdoc";
    if (scheme != "data") return std::ranges::find(kOfPages, scheme) != kOfPages.end();
    std::string type = to_lower(trim(rest.substr(0, rest.find_first_of(";,"))));
    return std::ranges::find(kWithoutScript, type) == kWithoutScript.end();
}

std::string scheme_of(std::string_view url) {
    std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(url.front())) return {};
    auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
    std::string_view scheme = url.substr(0, colon);
    return std::all_of(scheme.begin(), scheme.end(), fits) ? to_lower(scheme) : std::string();
}

std::string default_port(std::string_view scheme) {
    if (scheme == "http" || scheme == "ws") return "80";
    if (scheme == "https" || scheme == "wss") return "443";
    if (scheme == "ftp") return "21";
    return {};
}

bool always_has_host(std::string_view scheme) { return !default_port(scheme).empty(); }

void read_authority(std::string_view authority, Origin& origin) {
    if (std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
    std::size_t bracket = authority.rfind(']');
    std::size_t colon = authority.rfind(':');
    bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    origin.host = comparable_host(authority.substr(0, has_port ? colon : authority.size()));
    if (has_port) origin.port = without_zeros(authority.substr(colon + 1));
    if (origin.port == default_port(origin.scheme)) origin.port.clear();
}

Origin read_origin(std::string_view url) {
    Origin origin{.scheme = scheme_of(url)};
    std::string_view rest = url.substr(std::min(origin.scheme.size() + 1, url.size()));
    if (always_has_host(origin.scheme))
        // Browsers accept any number of slashes before the host, including none, and backslashes for slashes.
        url = rest.substr(std::min(rest.find_first_not_of("/\\"), rest.size()));
    else if (!origin.scheme.empty() && rest.starts_with("//"))
        url = rest.substr(2);
    else
        origin.scheme.clear();
    read_authority(url.substr(0, url.find_first_of("/?#\\")), origin);
    return origin;
}

bool matches(const Origin& rule, const Origin& origin) {
    if (!rule.scheme.empty() && as_http(rule.scheme) != as_http(origin.scheme)) return false;
    if (!matches_glob(without_dot(origin.host), without_dot(rule.host))) return false;
    if (rule.port == "*") return true;
    if (!rule.scheme.empty()) return rule.port == origin.port;
    return rule.port == origin.port || (origin.port.empty() && rule.port == default_port(origin.scheme));
}

bool is_in_domain(std::string_view host, std::string_view domain) {
    host = without_dot(host);
    domain = without_dot(domain);
    if (matches_glob(host, domain)) return true;
    if (domain.find_first_of("*?") != std::string_view::npos) return false;
    return host.size() > domain.size() && host.ends_with(domain) &&
           host[host.size() - domain.size() - 1] == '.';
}

}  // namespace policy
