#include "policy/proxy_request.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/origin.h"
#include "util/strings.h"

namespace policy {
namespace {

constexpr std::string_view kEnd = "\r\n";

// Whether a line has no control characters but tabs: no null, nor line breaks that only some servers know.
bool is_plain(std::string_view line) {
    auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
    return std::ranges::none_of(line, is_control);
}

bool is_host(std::string_view host) {
    auto fits = [](char c) { return c > ' ' && c < 0x7f && !std::string_view("#%/<>?@[\\]^|").contains(c); };
    return !host.empty() && std::ranges::all_of(host, fits);
}

bool is_port(std::string_view text) {
    std::uint16_t port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port > 0;
}

Error malformed(std::string_view what) {
    return Error{.code = ErrorCode::InvalidArgument, .message = "Malformed request: " + std::string(what)};
}

std::string_view take_line(std::string_view& rest) {
    std::size_t end = rest.find(kEnd);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kEnd.size());
    return line;
}

bool is_of_the_hop(std::string_view name) {
    static constexpr std::array<std::string_view, 4> kHop = {"connection", "proxy-connection", "keep-alive",
                                                             "proxy-authorization"};
    return std::any_of(kHop.begin(), kHop.end(),
                       [&](std::string_view each) { return equals_ignoring_case(name, each); });
}

// The header fields to forward, with "Connection: close".
std::string closing_fields(std::string_view rest) {
    std::string fields;
    while (!rest.empty()) {
        std::string_view line = take_line(rest);
        if (line.empty()) break;
        if (is_of_the_hop(trim(line.substr(0, line.find(':'))))) continue;
        fields.append(line).append(kEnd);
    }
    return fields + "Connection: close\r\n\r\n";
}

Result<void> read_body(std::string_view rest, ProxyRequest& request) {
    bool has_length = false;
    while (!rest.empty()) {
        std::string_view line = take_line(rest);
        if (line.empty()) break;
        std::size_t colon = line.find(':');
        std::string_view name = line.substr(0, colon);
        bool goes_on = line.starts_with(' ') || line.starts_with('\t');
        if (goes_on || colon == std::string_view::npos || !is_plain(line))
            return malformed("a line of its head");
        // A request whose end can be read in two ways can smuggle another one.
        if (equals_ignoring_case(trim(name), "transfer-encoding"))
            return malformed("its length is not known");
        if (!equals_ignoring_case(trim(name), "content-length")) continue;
        std::string_view value = trim(line.substr(colon + 1));
        auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), request.body);
        // Some servers would read 010 as eight.
        bool may_be_octal = value.size() > 1 && value.starts_with('0');
        if (has_length || error != std::errc{} || end != value.data() + value.size() || may_be_octal)
            return malformed("Content-Length");
        has_length = true;
    }
    return ok();
}

void set_host(ProxyRequest& request, const Origin& origin, std::string_view scheme) {
    request.host = origin.host;
    if (request.host.starts_with('[') && request.host.ends_with(']'))
        request.host = request.host.substr(1, request.host.size() - 2);
    request.port = origin.port.empty() ? default_port(scheme) : origin.port;
}

}  // namespace

Result<ProxyRequest> read_request(std::string_view head) {
    std::string_view rest = head;
    std::string_view line = take_line(rest);
    std::size_t space = line.find(' '), last = line.rfind(' ');
    if (space == std::string_view::npos || last <= space) return malformed("its first line");
    std::string_view method = line.substr(0, space), target = line.substr(space + 1, last - space - 1);
    std::string_view version = line.substr(last + 1);
    if (!is_plain(line) || target.find_first_of(" \t") != std::string_view::npos || method.contains('\t') ||
        (version != "HTTP/1.1" && version != "HTTP/1.0"))
        return malformed("its first line");
    ProxyRequest request{.tunnel = method == "CONNECT", .url = std::string(target)};
    if (request.tunnel) {
        Origin origin;
        read_authority(target, origin);
        set_host(request, origin, "https");
    } else {
        Origin origin = read_origin(target);
        std::string_view behind = target.substr(std::min(origin.scheme.size(), target.size()));
        bool is_whole =
            behind.starts_with("://") && !behind.starts_with(":///") && !behind.starts_with(":\\");
        if (origin.scheme != "http" || !is_whole) return malformed("its address must begin with http://");
        set_host(request, origin, "http");
        TRY(read_body(rest, request));
        std::size_t path = target.find_first_of("/?", origin.scheme.size() + 3);
        std::string_view asked = path == std::string_view::npos ? "/" : target.substr(path);
        request.head = std::string(method) + (asked.starts_with('/') ? " " : " /") + std::string(asked) +
                       std::string(line.substr(last)) + "\r\n" + closing_fields(rest);
    }
    if (!is_host(request.host) || !is_port(request.port)) return malformed("its address has no host");
    return request;
}

std::optional<std::string> closing_head(std::string_view head) {
    std::string_view rest = head;
    std::string_view line = take_line(rest);
    std::size_t space = line.find(' ');
    bool is_final = space == std::string_view::npos || line.substr(space + 1, 1) != "1";
    if (!is_final) return std::nullopt;
    return std::string(line) + "\r\n" + closing_fields(rest);
}

}  // namespace policy
