#include "transport/access.h"

#include "util/crypto.h"
#include "util/loopback.h"
#include "util/strings.h"

namespace transport {
namespace {

struct HostAndPort {
    std::string_view host;
    std::string_view port;
};

HostAndPort split_host(std::string_view text) {
    std::size_t bracket = text.rfind(']');
    std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
        return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

// An IPv6 address has brackets (RFC 3986, section 3.2.2): without them its end could be a port.
bool is_host(std::string_view host) {
    return !host.contains(':') || (host.starts_with('[') && host.ends_with(']'));
}

bool is_wildcard_address(std::string_view host) {
    return host == "0.0.0.0" || host == "::" || host == "[::]" || host == "*";
}

bool is_address_literal(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string_view::npos) return false;
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string(host), error);
    return !error;
}

}  // namespace

Authenticate static_tokens(std::map<std::string, std::string> tokens) {
    return [tokens = std::move(tokens)](std::string_view given) -> std::optional<std::string> {
        std::optional<std::string> principal;
        // Compares all of them, so that the time taken reveals nothing.
        for (const auto& [name, token] : tokens) {
            if (equal_in_constant_time(given, token)) principal = name;
        }
        return principal;
    };
}

Headers browser_headers() {
    return {{"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"X-Frame-Options", "DENY"},
            {"X-Content-Type-Options", "nosniff"},
            // The sandbox gives a document an origin of its own: an injected script does not run as ours.
            {"Content-Security-Policy",
             "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"}};
}

bool Access::allows_host(std::string_view given) const {
    auto [host, port] = split_host(given);
    if (!is_host(host)) return false;
    for (const std::string& allowed : options_.allowed_hosts) {
        if (allowed == "*" || equals_ignoring_case(allowed, given)) return true;
        if (split_host(allowed).port.empty() && equals_ignoring_case(allowed, host)) return true;
    }
    // A list of named hosts is complete.
    if (!options_.allowed_hosts.empty()) return false;
    bool same_port = port == std::to_string(options_.port) || (port.empty() && options_.port == 80);
    if (!same_port) return false;
    if (is_loopback(host) || equals_ignoring_case(host, options_.host)) return true;
    // Bound to every address: a page can name us only through DNS, so addresses are safe and names are not,
    // unless a token is asked for, which no page has.
    return is_wildcard_address(options_.host) && (options_.needs_token() || is_address_literal(host));
}

std::optional<Refusal> Access::check_origin(const HttpExchange& exchange) const {
    if (!exchange.is_local_socket()) {
        auto host = exchange.header("Host");
        if (!host || !allows_host(trim(*host))) {
            std::string names =
                (is_wildcard_address(options_.host) ? "this server's address" : options_.host) + ":" +
                std::to_string(options_.port);
            if (!options_.allowed_hosts.empty()) names = join(options_.allowed_hosts, ", ");
            return Refusal{403,
                           "Access is only allowed at " + names + ". Add other names with --allowed-hosts.",
                           "server.allowedHosts"};
        }
    }
    auto origin = exchange.header("Origin");
    if (!origin) return std::nullopt;
    if (readable_by(exchange)) return std::nullopt;
    std::size_t end = origin->find("://");
    std::string_view scheme = origin->substr(0, end);
    // Other schemes are those of apps and extensions, whose hosts are names that anybody can choose.
    bool is_of_web = equals_ignoring_case(scheme, "http") || equals_ignoring_case(scheme, "https");
    if (end != std::string_view::npos && is_of_web && !exchange.is_local_socket()) {
        // Our own pages: the origin names the same host and port as the request.
        auto host = exchange.header("Host");
        if (host && equals_ignoring_case(origin->substr(end + 3), trim(*host))) return std::nullopt;
        auto [name, port] = split_host(origin->substr(end + 3));
        if (is_host(name) && is_loopback(name) && port == std::to_string(options_.port)) return std::nullopt;
    }
    return Refusal{
        403,
        "Requests from the origin " + std::string(*origin) +
            " are not allowed. Add it with --allowed-http-origins if that page may drive your browser.",
        "server.allowedHttpOrigins"};
}

std::optional<Refusal> Access::check_browser(const HttpExchange& exchange, bool shown) const {
    std::string_view mode = exchange.header("Sec-Fetch-Mode").value_or(""),
                     site = exchange.header("Sec-Fetch-Site").value_or("");
    bool is_led = site == "cross-site" || site == "same-site";
    bool is_page = mode == "navigate" ? is_led || !shown : mode == "no-cors" || site == "same-origin";
    // Headers reveal a page only where the browser sends them, and do not identify the sender. Our own
    // browsers are recognized by their processes, whatever they request and under whatever name.
    if (!is_page && !exchange.is_of_own_process()) return std::nullopt;
    return Refusal{403, "This is for programs: pages that an agent visits never reach this server.",
                   "the rule that pages never reach this server"};
}

std::optional<std::string> Access::readable_by(const HttpExchange& exchange) const {
    auto origin = exchange.header("Origin");
    if (!origin) return std::nullopt;
    for (const std::string& allowed : options_.allowed_origins) {
        if (allowed == "*") return allowed;
        if (equals_ignoring_case(allowed, *origin)) return std::string(*origin);
    }
    return std::nullopt;
}

Task<Authenticated> Access::authenticate(const HttpExchange& exchange) const {
    if (!options_.needs_token() || exchange.is_local_socket()) co_return Identity{};
    constexpr std::string_view kScheme = "bearer ";
    std::string_view header = trim(exchange.header("Authorization").value_or(""));
    if (header.size() > kScheme.size() && equals_ignoring_case(header.substr(0, kScheme.size()), kScheme)) {
        std::string_view token = trim(header.substr(kScheme.size()));
        if (auto found = options_.authenticate ? options_.authenticate(token) : std::nullopt)
            co_return Identity{.principal = std::move(*found)};
        if (options_.oauth)
            co_return co_await options_.oauth->verify(std::string(token),
                                                      resource_identifiers(base_of(exchange)));
    }
    co_return Refusal{401, "This server needs a bearer token: send \"Authorization: Bearer <token>\"."};
}

std::string Access::base_of(const HttpExchange& exchange) const {
    if (!options_.oauth->resource.base.empty()) return options_.oauth->resource.base;
    // Accepting a name that leads elsewhere would make tokens for that server valid here.
    std::string host = to_lower(trim(exchange.header("Host").value_or("")));
    if (!is_loopback(split_host(host).host)) host = "localhost:" + std::to_string(options_.port);
    return "http://" + host;
}

std::string Access::challenge(const HttpExchange& exchange, const Refusal& refusal) const {
    if (!options_.oauth) return "Bearer";
    return bearer_challenge(options_.oauth->resource, base_of(exchange), exchange.path(), refusal.error,
                            refusal.message);
}

std::optional<json::object> Access::resource_metadata(const HttpExchange& exchange,
                                                      std::string_view path) const {
    auto found = resource_path(path);
    if (!options_.oauth || !found) return std::nullopt;
    return transport::resource_metadata(options_.oauth->resource, base_of(exchange), *found);
}

}  // namespace transport
