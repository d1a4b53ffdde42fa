#include "engine/cdp/endpoint.h"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "engine/cdp/fields.h"
#include "util/json.h"

namespace cdp {
namespace {

constexpr std::string_view kExample =
    "Give one like http://localhost:9222 or ws://localhost:9222/devtools/browser/….";

Error not_an_address(const std::string& text) {
    return Error{.code = ErrorCode::InvalidUrl,
                 .message = "Not the address of a browser: " + text,
                 .hint = std::string(kExample)};
}

}  // namespace

Result<ServerAddress> parse_address(const std::string& text) {
    auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty()) return not_an_address(text);
    std::string_view scheme = url->scheme();
    ServerAddress address;
    address.tls = scheme == "https" || scheme == "wss";
    if (!address.tls && scheme != "http" && scheme != "ws") return not_an_address(text);
    address.host = url->host_address();
    address.port = !url->port().empty() ? std::string(url->port()) : address.tls ? "443" : "80";
    address.host_header = std::string(url->encoded_host_and_port());
    address.target = url->encoded_path().empty() ? "/" : std::string(url->encoded_path());
    if (url->has_userinfo()) address.credentials = url->userinfo();
    address.shown = std::string(scheme) + "://" + address.host_header + address.target;
    if (url->has_query()) address.target += "?" + std::string(url->encoded_query());
    return address;
}

bool is_websocket(std::string_view url) { return url.starts_with("ws://") || url.starts_with("wss://"); }

Result<std::string> url_below(const std::string& endpoint, std::string_view path) {
    auto parsed = boost::urls::parse_uri(endpoint);
    if (!parsed) return not_an_address(endpoint);
    boost::urls::url url = *parsed;
    std::string whole(url.encoded_path());
    if (!whole.ends_with('/')) whole += '/';
    whole += path;
    url.set_encoded_path(whole);
    return std::string(url.buffer());
}

Result<std::string> resolve_url(const std::string& base, const std::string& reference) {
    auto from = boost::urls::parse_uri(base);
    auto to = boost::urls::parse_uri_reference(reference);
    boost::urls::url whole;
    if (!from || !to || !boost::urls::resolve(*from, *to, whole)) return not_an_address(reference);
    return std::string(whole.buffer());
}

Result<std::string> websocket_url(std::string_view answer, const std::string& url) {
    auto parsed = json::parse(answer);
    std::string given =
        parsed && parsed->is_object() ? text_of(parsed->get_object(), "webSocketDebuggerUrl") : "";
    if (given.empty()) {
        ServerAddress address = TRY(parse_address(url));
        return Error{
            .code = ErrorCode::NetworkError,
            .message = "What " + address.shown + " answered names no webSocketDebuggerUrl.",
            .hint = "This does not look like a DevTools server; if it is one, give its ws:// address."};
    }
    std::string whole = TRY(resolve_url(url, given));
    // A reference without a host stays on the server that sent it.
    if (whole.starts_with("http")) whole.replace(0, 4, "ws");
    if (!is_websocket(whole)) return not_an_address(whole);
    return whole;
}

std::vector<std::string> listed_tabs(std::string_view answer) {
    std::vector<std::string> ids;
    auto parsed = json::parse(answer);
    const json::array* list = parsed ? parsed->if_array() : nullptr;
    if (!list) return ids;
    for (const json::value& each : *list) {
        const json::object* target = each.if_object();
        if (target && text_of(*target, "type") == "page") ids.push_back(text_of(*target, "id"));
    }
    return ids;
}

}  // namespace cdp
