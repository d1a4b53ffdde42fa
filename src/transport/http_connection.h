// One HTTP connection and the request it is answering. Only the HTTP server's own files include this.
#pragma once

#include <deque>
#include <unordered_set>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "transport/http.h"

namespace transport {

class HttpConnection;
class ConnectionExchange;
using HttpConnections = std::unordered_set<std::shared_ptr<HttpConnection>>;

// The server's state that connections need; outlives them all.
struct HttpShared {
    Loop& loop;
    HttpLimits limits;
    HttpHandler handler;
    LineHandler lines;
    Log& log;
    Counter& requests;
    Counter& refused;
    Counter& timeouts;
    Headers headers = {};  // of every answer that does not set them itself
    HttpConnections connections = {};
    // The number of open WebSockets that were HTTP connections.
    std::shared_ptr<std::size_t> upgraded = std::make_shared<std::size_t>(0);

    // The status line and headers of an answer, without the empty line that ends them.
    std::string head(int status, const Headers& own, bool keep_alive) const;

    // Increments the count until the token is dropped.
    std::shared_ptr<void> count_upgraded() const {
        ++*upgraded;
        return std::shared_ptr<void>(nullptr, [count = upgraded](void*) { --*count; });
    }
};

// One client's connection: reads requests one after the other and writes their answers in order.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    using Clock = std::chrono::steady_clock;
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    HttpConnection(HttpShared& shared, Socket socket, bool local);

    void start();
    void close();
    // Closes once the queued bytes were sent.
    void drain();
    // Called every second or so: drops a client that is too slow, and keeps streams alive.
    void tick(Clock::time_point now);

    // The head for an answer of the current exchange.
    std::string head(int status, const Headers& headers, bool keep_alive) const {
        return shared_.head(status, headers, keep_alive);
    }
    void send(std::string bytes);
    void set_heartbeat(std::string heartbeat) { heartbeat_ = std::move(heartbeat); }
    void answered(bool keep_alive);
    void upgrade(const Parser::value_type& request, std::string_view subprotocol, WebSocketAccepted accepted);

private:
    using ErrorCode = boost::system::error_code;

    void expect(std::chrono::milliseconds span) { deadline_ = Clock::now() + span; }
    bool is_handling() const { return !exchange_.expired(); }
    bool has_hung_up();
    void try_hand_over();
    void begin_request();
    void read();
    void on_read(ErrorCode error, std::size_t count);
    bool take_lines();
    void parse();
    bool is_short_of_end() const;
    std::size_t head_length() const;
    void on_header();
    void dispatch();
    void refuse(ErrorCode error);
    void refuse_with(int status, std::string message);
    void flush();
    void on_written(ErrorCode error, std::size_t count);

    HttpShared& shared_;
    Socket socket_;
    bool local_;
    bool from_own_process_ = false;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::weak_ptr<ConnectionExchange> exchange_;
    std::deque<std::string> outgoing_;
    std::size_t written_of_first_ = 0;
    std::size_t queued_ = 0;
    std::size_t head_read_ = 0;  // bytes of a head that the parser has, until it has all of it
    std::optional<boost::beast::http::fields> head_fields_;  // of a request whose body is chunked
    std::string heartbeat_;
    // Gives the socket to a WebSocket, once the queued bytes were sent.
    std::move_only_function<void()> hand_over_;
    Clock::time_point deadline_, write_deadline_, next_heartbeat_;
    bool reading_ = false, writing_ = false, closed_ = false, upgraded_ = false;
    bool first_byte_seen_ = false, request_begun_ = false, header_seen_ = false, close_after_write_ = false,
         lingering_ = false;
};

// The kernel's information about the peer.
struct Sender {
    bool local = false;  // over a Unix socket
    bool same_user = false;
    bool own_process = false;
};

// The part of a connection that one request's handler holds. Detached when the connection closes.
class ConnectionExchange final : public HttpExchange {
public:
    ConnectionExchange(HttpConnection* connection, HttpConnection::Parser::value_type request, Sender sender);
    ~ConnectionExchange() override;

    std::string_view method() const override { return request_.method_string(); }
    std::string_view path() const override { return path_; }
    std::string_view query() const override { return query_; }
    std::string_view body() const override { return request_.body(); }
    std::optional<std::string_view> header(std::string_view name) const override;
    bool is_local_socket() const override { return sender_.local; }
    bool is_of_same_user() const override { return sender_.same_user; }
    bool is_of_own_process() const override { return sender_.own_process; }
    bool wants_upgrade() const override;

    void add_headers(Headers more) override;
    void respond(int status, const Headers& headers, std::string body) override;
    void begin_stream(int status, const Headers& headers, std::string heartbeat) override;
    void write(std::string piece) override;
    void end() override;
    void accept_websocket(std::string_view subprotocol, WebSocketAccepted accepted) override;
    void expire_at(std::chrono::system_clock::time_point when) override;
    void on_gone(std::function<void()> callback) override { gone_ = std::move(callback); }
    bool is_gone() const override { return connection_ == nullptr; }

    // Called when the connection closes.
    void cut_off();
    // Whether it is a stream that outlives its sender's authentication.
    bool has_expired(HttpConnection::Clock::time_point now) const { return streaming_ && now >= expires_; }

private:
    // Detaches this exchange from the connection and returns it for the last bytes.
    HttpConnection* finish();
    std::string head(int status, Headers headers, bool keep_alive) const;
    void read_target();

    HttpConnection* connection_;
    HttpConnection::Parser::value_type request_;
    Sender sender_;
    std::string_view path_, query_;
    Headers added_;
    bool streaming_ = false;
    bool chunked_ = false;
    HttpConnection::Clock::time_point expires_ = HttpConnection::Clock::time_point::max();
    std::function<void()> gone_;
};

// Makes the socket a WebSocket. `bytes` are the handshake's bytes and those that came after it.
void accept_websocket_on(HttpConnection::Socket socket, std::string bytes, std::string subprotocol,
                         std::size_t max_message, std::shared_ptr<void> counted, WebSocketAccepted accepted);

}  // namespace transport
