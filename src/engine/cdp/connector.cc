#include "engine/cdp/connector.h"

#include "engine/cdp/endpoint.h"
#include "engine/cdp/web_client.h"
#include "util/strings.h"

namespace cdp {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxRedirects = 5;
// We cannot replace it, and the network may delay its answers.
constexpr SilenceLimits kSilenceLimits{.after_asking = 18s};

bool is_redirect(const HttpAnswer& answer) {
    return answer.status / 100 == 3 && answer.status != 304 && !answer.location.empty();
}

// Credentials are only for the server they were meant for.
Headers without_credentials(Headers headers) {
    std::erase_if(headers, [](const auto& header) {
        std::string name = to_lower(header.first);
        return name == "authorization" || name == "cookie" || name.contains("access-key");
    });
    return headers;
}

Task<std::string> get(Loop& loop, std::string url, Headers headers) {
    for (int redirects = 0;; ++redirects) {
        ServerAddress address = co_await parse_address(url);
        HttpAnswer answer = co_await http_get(loop, address, headers);
        if (is_redirect(answer) && redirects < kMaxRedirects) {
            url = co_await resolve_url(url, answer.location);
            ServerAddress next = co_await parse_address(url);
            if (next.host_header != address.host_header) headers = without_credentials(std::move(headers));
            continue;
        }
        if (answer.status != 200) {
            co_await Error{.code = ErrorCode::NetworkError,
                           .message = "Unexpected status " + std::to_string(answer.status) +
                                      " when connecting to " + address.shown + ".",
                           .hint = "This does not look like a DevTools server, try connecting via ws://."};
        }
        co_return std::move(answer.body);
    }
}

Task<std::unique_ptr<Transport>> open(Loop& loop, std::string url, Headers headers) {
    for (bool redirected = false;; redirected = true) {
        ServerAddress address = co_await parse_address(url);
        auto handshake = co_await as_result(open_websocket(loop, address, headers));
        if (!handshake) {
            Error error = handshake.error();
            error.message = "WebSocket error: " + error.message;
            co_await std::move(error);
        }
        if (handshake->transport) co_return std::move(handshake->transport);
        const HttpAnswer& answer = handshake->answer;
        if (is_redirect(answer) && !redirected) {
            url = co_await resolve_url(url, answer.location);
            if (url.starts_with("http")) url.replace(0, 4, "ws");
            headers = without_credentials(std::move(headers));
            continue;
        }
        co_await Error{.code = ErrorCode::NetworkError,
                       .message = "WebSocket error: " + address.shown + " " + std::to_string(answer.status) +
                                  " " + answer.reason + (answer.body.empty() ? "" : "\n" + answer.body)};
    }
}

Task<Connected> reach(Loop& loop, engine::ConnectOptions options, Log& log) {
    Connected connected;
    std::string url = options.endpoint;
    if (!is_websocket(url)) {
        std::string asked = co_await url_below(options.endpoint, "json/version/");
        std::string version = co_await get(loop, asked, options.headers);
        url = co_await websocket_url(version, asked);
        // A server need not list its tabs, and some do not.
        std::string list = co_await url_below(options.endpoint, "json/list");
        auto tabs = co_await as_result(with_deadline(loop, get(loop, std::move(list), options.headers),
                                                     Deadline::in(2s), "Listing the tabs"));
        if (tabs) connected.recent_tabs = listed_tabs(*tabs);
    }
    auto transport = co_await open(loop, std::move(url), std::move(options.headers));
    connected.connection = Connection::create(loop, std::move(transport), log, kSilenceLimits);
    co_return connected;
}

}  // namespace

Task<Connected> connect(Loop& loop, engine::ConnectOptions options, Log& log) {
    Deadline deadline = options.timeout.count() > 0 ? Deadline::in(options.timeout) : Deadline::never();
    std::string limit = std::to_string(options.timeout.count());
    auto connected = co_await as_result(
        with_deadline(loop, reach(loop, std::move(options), log), deadline, "Connecting to the browser"));
    if (connected) co_return std::move(*connected);
    Error error = connected.error();
    if (error.code == ErrorCode::Timeout) error.message = "Timeout " + limit + "ms exceeded.";
    error.message.insert(0, "browserType.connectOverCDP: ");
    if (error.hint.empty())
        error.hint =
            "Is the browser of --cdp-endpoint running, with --remote-debugging-port? The next call tries "
            "again.";
    co_return error;
}

}  // namespace cdp
