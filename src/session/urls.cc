#include "session/urls.h"

#include <algorithm>
#include <array>
#include <memory>

#include "util/strings.h"

namespace session {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The address as browsers read it: without spaces around it and without line breaks and tabs in it.
std::string as_browsers_read(std::string_view url) {
    auto is_control = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
    while (!url.empty() && is_control(url.front())) url.remove_prefix(1);
    while (!url.empty() && is_control(url.back())) url.remove_suffix(1);
    std::string read(url);
    std::erase_if(read, [](char c) { return c == '\t' || c == '\n' || c == '\r'; });
    return read;
}

// "https" of "https://…", in small letters; empty when there is none.
std::string scheme_of(std::string_view url) {
    std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_letter(url.front())) return {};
    auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
    std::string_view scheme = url.substr(0, colon);
    return std::all_of(scheme.begin(), scheme.end(), fits) ? to_lower(scheme) : std::string();
}

// Scheme, host and port of an address; `port` is empty for the scheme's own.
struct Origin {
    std::string scheme;
    std::string host;
    std::string port;
};

std::string default_port(std::string_view scheme) {
    if (scheme == "http" || scheme == "ws") return "80";
    if (scheme == "https" || scheme == "wss") return "443";
    return {};
}

// From "host:port"; an IPv6 host keeps its brackets.
void read_authority(std::string_view authority, Origin& origin) {
    if (std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
    std::size_t bracket = authority.rfind(']');
    std::size_t colon = authority.rfind(':');
    bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    origin.host = to_lower(authority.substr(0, has_port ? colon : authority.size()));
    if (has_port) origin.port = authority.substr(colon + 1);
    if (origin.port == default_port(origin.scheme)) origin.port.clear();
}

Origin read_origin(std::string_view url) {
    Origin origin{.scheme = scheme_of(url)};
    std::size_t slashes = url.find("://");
    bool has_authority = !origin.scheme.empty() && slashes == origin.scheme.size();
    if (has_authority)
        url.remove_prefix(slashes + 3);
    else
        origin.scheme.clear();
    read_authority(url.substr(0, url.find_first_of("/?#\\")), origin);
    return origin;
}

// A WebSocket counts as a request of the page's own scheme.
std::string as_http(std::string_view scheme) {
    return scheme == "ws" ? "http" : scheme == "wss" ? "https" : std::string(scheme);
}

bool matches(const Origin& rule, const Origin& origin) {
    if (!rule.scheme.empty() && as_http(rule.scheme) != as_http(origin.scheme)) return false;
    if (!matches_glob(origin.host, rule.host)) return false;
    if (rule.port == "*") return true;
    if (!rule.scheme.empty()) return rule.port == origin.port;
    return rule.port == origin.port || (origin.port.empty() && rule.port == default_port(origin.scheme));
}

bool any_matches(const std::vector<Origin>& rules, const Origin& origin) {
    return std::any_of(rules.begin(), rules.end(), [&](const Origin& rule) { return matches(rule, origin); });
}

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
    bool port_fits = origin.port.size() <= 5 &&
                     std::all_of(origin.port.begin(), origin.port.end(), is_digit) &&
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
    constexpr std::string_view kSource = "view-source:";
    std::string read = as_browsers_read(url);
    std::string_view rest = read;
    while (equals_ignoring_case(rest.substr(0, kSource.size()), kSource)) rest.remove_prefix(kSource.size());
    if (scheme_of(rest) != "file") return ok();
    return Error{
        .code = ErrorCode::PolicyDenied,
        .message = "Access to \"file:\" protocol is blocked. Attempted URL: \"" + std::string(url) + "\""};
}

std::function<bool(const std::string& url)> origin_filter(const std::vector<std::string>& allowed,
                                                          const std::vector<std::string>& blocked) {
    if (allowed.empty() && blocked.empty()) return {};
    struct Rules {
        std::vector<Origin> allowed, blocked;
    };
    auto rules = std::make_shared<Rules>();
    for (const std::string& text : allowed) rules->allowed.push_back(read_origin(text));
    for (const std::string& text : blocked) rules->blocked.push_back(read_origin(text));
    return [rules](const std::string& url) {
        Origin origin = read_origin(url);
        // data:, blob: and about: pages come from whoever made them.
        if (origin.scheme.empty()) return true;
        if (any_matches(rules->blocked, origin)) return false;
        return rules->allowed.empty() || any_matches(rules->allowed, origin);
    };
}

}  // namespace session
