// HTTP as the rest of the program sees it: requests in, answers or streams out. Beast stays behind this wall.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/websocket.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace transport {

using Headers = std::vector<std::pair<std::string_view, std::string>>;

// One request and the way back to its client. Lives until answered and let go; after the client went away its
// answers go nowhere. Let go without an answer, it closes the connection: nothing is ever answered by itself.
// Lives on the main loop.
class HttpExchange {
public:
    virtual ~HttpExchange() = default;

    virtual std::string_view method() const = 0;
    virtual std::string_view path() const = 0;
    virtual std::string_view query() const = 0;
    virtual std::string_view body() const = 0;
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    // Whether it came over a Unix socket, which the file system already guards.
    virtual bool is_local_socket() const = 0;
    // Whether whoever sent it runs as this server's user: over a Unix socket, the kernel knows.
    virtual bool is_of_same_user() const { return false; }
    virtual bool wants_upgrade() const = 0;

    // A whole answer.
    virtual void respond(int status, const Headers& headers, std::string body) = 0;

    // An answer in pieces: begin, any number of writes, end. `heartbeat` is sent when nothing else was for a
    // while.
    virtual void begin_stream(int status, const Headers& headers, std::string heartbeat) = 0;
    virtual void write(std::string piece) = 0;
    virtual void end() = 0;

    // Turns the connection into a WebSocket.
    virtual void accept_websocket(std::string_view subprotocol, WebSocketAccepted accepted) = 0;

    // Called once when the client goes away before the answer ended. Set it again to replace it.
    virtual void on_gone(std::function<void()> callback) = 0;
    virtual bool is_gone() const = 0;
};

// Whose connections a Unix socket takes. Its file's mode keeps most others out; root comes past that.
enum class Peers { Anybody, SameUser };

using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

// Takes over a Unix-socket connection whose first byte is `{` or `[`: lines of JSON instead of HTTP.
using LineHandler = std::function<void(int descriptor, std::string first_bytes)>;

struct HttpLimits {
    std::size_t max_connections = 4096;
    std::size_t max_body = 16 << 20;
    std::size_t max_header = 32 << 10;
    std::size_t max_queued = 64 << 20;  // bytes waiting for one client that does not read
    std::chrono::milliseconds header_timeout{10'000};
    std::chrono::milliseconds body_timeout{30'000};
    std::chrono::milliseconds write_timeout{30'000};
    std::chrono::milliseconds linger{2'000};  // for a refused client to stop sending
    std::chrono::milliseconds idle_timeout{120'000};
    std::chrono::milliseconds heartbeat{15'000};
};

// Listens, keeps the limits, and hands every request to the handler.
class HttpServer {
public:
    static std::unique_ptr<HttpServer> create(Loop& loop, HttpLimits limits, HttpHandler handler,
                                              LineHandler lines, Log& log, Metrics& metrics);
    virtual ~HttpServer() = default;

    // Sent with every answer, also to a request that cannot be read, unless the answer sets them itself.
    virtual void set_headers(Headers headers) = 0;
    // Gives the port, which matters when 0 was asked for. A name listens on all its addresses.
    virtual Result<int> listen_tcp(const std::string& host, int port) = 0;
    // Replaces a socket file that nobody listens on; a live one is an error. Mode 0600.
    virtual Result<void> listen_unix(const std::filesystem::path& path, Peers peers = Peers::Anybody) = 0;
    // Stops listening; connections go on.
    virtual void stop_listening() = 0;
    // Lets each connection go once what is queued for it was sent.
    virtual void drain() = 0;
    // Drops all connections.
    virtual void close() = 0;
    virtual std::size_t connection_count() const = 0;
};

std::string_view status_text(int status);
// "%41+b" as in a query string; broken escapes stay as they are.
std::string decode_url(std::string_view text);
// A parameter of "a=1&b=2".
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

}  // namespace transport
