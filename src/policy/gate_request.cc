#include "policy/gate_request.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "policy/origin.h"
#include "util/strings.h"

namespace policy {
namespace {

constexpr std::string_view kEnd = "\r\n";

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

// The fields that go on, told to close.
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

Result<void> read_body(std::string_view rest, GateRequest& request) {
    bool has_length = false;
    while (!rest.empty()) {
        std::string_view line = take_line(rest);
        std::size_t colon = line.find(':');
        std::string_view name = line.substr(0, colon);
        // Two readings of where a request ends are how one is smuggled behind another.
        if (equals_ignoring_case(trim(name), "transfer-encoding"))
            return malformed("its length is not known");
        if (!equals_ignoring_case(trim(name), "content-length")) continue;
        std::string_view value = trim(line.substr(colon + 1));
        auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), request.body);
        if (has_length || error != std::errc{} || end != value.data() + value.size())
            return malformed("Content-Length");
        has_length = true;
    }
    return ok();
}

void set_host(GateRequest& request, const Origin& origin, std::string_view scheme) {
    request.host = origin.host;
    if (request.host.starts_with('[') && request.host.ends_with(']'))
        request.host = request.host.substr(1, request.host.size() - 2);
    request.port = origin.port.empty() ? default_port(scheme) : origin.port;
}

}  // namespace

Result<GateRequest> read_request(std::string_view head) {
    std::string_view rest = head;
    std::string_view line = take_line(rest);
    std::size_t space = line.find(' '), last = line.rfind(' ');
    if (space == std::string_view::npos || last <= space) return malformed("its first line");
    std::string_view method = line.substr(0, space), target = line.substr(space + 1, last - space - 1);
    if (target.find_first_of(" \t\r\n") != std::string_view::npos) return malformed("its first line");
    GateRequest request{.tunnel = method == "CONNECT", .url = std::string(target)};
    if (request.tunnel) {
        Origin origin;
        read_authority(target, origin);
        set_host(request, origin, "https");
    } else {
        Origin origin = read_origin(target);
        if (origin.scheme != "http") return malformed("its address must begin with http://");
        set_host(request, origin, "http");
        TRY(read_body(rest, request));
        std::size_t path = target.find_first_of("/?", origin.scheme.size() + 3);
        std::string_view asked = path == std::string_view::npos ? "/" : target.substr(path);
        request.head = std::string(method) + (asked.starts_with('/') ? " " : " /") + std::string(asked) +
                       std::string(line.substr(last)) + "\r\n" + closing_fields(rest);
    }
    if (request.host.empty() || request.port.empty()) return malformed("its address has no host");
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
