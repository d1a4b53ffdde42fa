// HTTP for the rest of the program: requests in, answers or streams out. Only this folder uses Beast.
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

// One request and the means to answer it. Lives until answered and released; after the client disconnects its
// answers are dropped. Releasing it unanswered closes the connection: no answer is sent by default. Lives on
// the main loop.
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
    // Whether the sender runs as this server's user: over a Unix socket, the kernel knows.
    virtual bool is_of_same_user() const { return false; }
    // Whether a process that this server started sent it, such as a browser: the kernel knows.
    virtual bool is_of_own_process() const { return false; }
    virtual bool wants_upgrade() const = 0;

    // Adds headers to the answer's own.
    virtual void add_headers(Headers more) { (void)more; }

    // Sends a whole answer. Status 204 has no body.
    virtual void respond(int status, const Headers& headers, std::string body) = 0;

    // Sends an answer in pieces: begin, any number of writes, end. `heartbeat` is sent when nothing else was
    // for a while.
    virtual void begin_stream(int status, const Headers& headers, std::string heartbeat) = 0;
    virtual void write(std::string piece) = 0;
    virtual void end() = 0;

    // Turns the connection into a WebSocket.
    virtual void accept_websocket(std::string_view subprotocol, WebSocketAccepted accepted) = 0;

    // Sets when the sender's authentication expires: a stream that is still open then is cut off.
    virtual void expire_at(std::chrono::system_clock::time_point when) { (void)when; }

    // `callback` runs once if the client disconnects before the answer ended; a later one replaces it.
    virtual void on_gone(std::function<void()> callback) = 0;
    virtual bool is_gone() const = 0;
};

// The users whose connections a Unix socket accepts. Its file mode keeps most others out, but not root.
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
    std::chrono::milliseconds linger{2'000};  // time for a refused client to stop sending
    std::chrono::milliseconds idle_timeout{120'000};
    std::chrono::milliseconds heartbeat{15'000};
};

// Listens, enforces the limits, and passes every request to the handler.
class HttpServer {
public:
    static std::unique_ptr<HttpServer> create(Loop& loop, HttpLimits limits, HttpHandler handler,
                                              LineHandler lines, Log& log, Metrics& metrics);
    virtual ~HttpServer() = default;

    // Sent with every answer, also to a request that cannot be read, unless the answer sets them itself.
    virtual void set_headers(Headers headers) = 0;
    // Returns the port, which matters when 0 was asked for. A host name listens on all its addresses.
    virtual Result<int> listen_tcp(const std::string& host, int port) = 0;
    // Replaces a stale socket file; a socket in use is an error. Mode 0600.
    virtual Result<void> listen_unix(const std::filesystem::path& path, Peers peers = Peers::Anybody) = 0;
    // Stops listening; open connections continue.
    virtual void stop_listening() = 0;
    // Closes each connection once its queued bytes were sent.
    virtual void drain() = 0;
    // Drops all connections.
    virtual void close() = 0;
    virtual std::size_t connection_count() const = 0;
};

std::string_view status_text(int status);
// Decodes "%41+b" as in a query string; broken escapes stay as they are.
std::string decode_url(std::string_view text);
// Returns a parameter of "a=1&b=2".
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

}  // namespace transport
