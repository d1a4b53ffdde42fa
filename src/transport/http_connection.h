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

// What connections need of the server they belong to; outlives them all.
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
    // WebSockets that were connections of ours.
    std::shared_ptr<std::size_t> upgraded = std::make_shared<std::size_t>(0);

    // The status line and headers of an answer, without the empty line that ends them.
    std::string head(int status, const Headers& own, bool keep_alive) const;

    // Counts one more until the token is dropped.
    std::shared_ptr<void> count_upgraded() const {
        ++*upgraded;
        return std::shared_ptr<void>(nullptr, [count = upgraded](void*) { --*count; });
    }
};

// One client's connection: reads requests one after the other, writes their answers in order.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    using Clock = std::chrono::steady_clock;
    using Socket = boost::asio::generic::stream_protocol::socket;
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    HttpConnection(HttpShared& shared, Socket socket, bool local);

    void start();
    void close();
    // Closes once what is queued was sent.
    void drain();
    // Called every second or so: drops a client that is too slow, and keeps streams alive.
    void tick(Clock::time_point now);

    // For the exchange under way.
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
    void on_header();
    void dispatch();
    void refuse(ErrorCode error);
    void refuse_with(int status, std::string message);
    void flush();
    void on_written(ErrorCode error, std::size_t count);

    HttpShared& shared_;
    Socket socket_;
    bool local_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::weak_ptr<ConnectionExchange> exchange_;
    std::deque<std::string> outgoing_;
    std::size_t written_of_first_ = 0;
    std::size_t queued_ = 0;
    std::string heartbeat_;
    // Gives the socket to a WebSocket, once what is queued was sent.
    std::move_only_function<void()> hand_over_;
    Clock::time_point deadline_, write_deadline_, next_heartbeat_;
    bool reading_ = false, writing_ = false, closed_ = false, upgraded_ = false;
    bool first_byte_seen_ = false, request_begun_ = false, header_seen_ = false, close_after_write_ = false,
         lingering_ = false;
};

// The part of a connection that one request's handler holds. Cut off from the connection when that closes.
class ConnectionExchange final : public HttpExchange {
public:
    ConnectionExchange(HttpConnection* connection, HttpConnection::Parser::value_type request, bool local,
                       bool same_user);
    ~ConnectionExchange() override;

    std::string_view method() const override { return request_.method_string(); }
    std::string_view path() const override { return path_; }
    std::string_view query() const override { return query_; }
    std::string_view body() const override { return request_.body(); }
    std::optional<std::string_view> header(std::string_view name) const override;
    bool is_local_socket() const override { return local_; }
    bool is_of_same_user() const override { return same_user_; }
    bool wants_upgrade() const override;

    void respond(int status, const Headers& headers, std::string body) override;
    void begin_stream(int status, const Headers& headers, std::string heartbeat) override;
    void write(std::string piece) override;
    void end() override;
    void accept_websocket(std::string_view subprotocol, WebSocketAccepted accepted) override;
    void on_gone(std::function<void()> callback) override { gone_ = std::move(callback); }
    bool is_gone() const override { return connection_ == nullptr; }

    // The connection closed.
    void cut_off();

private:
    // Ends this exchange's hold on the connection and gives it for the last words.
    HttpConnection* finish();

    HttpConnection* connection_;
    HttpConnection::Parser::value_type request_;
    bool local_, same_user_;
    std::string_view path_, query_;
    bool streaming_ = false;
    bool chunked_ = false;
    std::function<void()> gone_;
};

// Takes the bytes of a handshake (and what came behind them) and makes the socket a WebSocket.
void accept_websocket_on(HttpConnection::Socket socket, std::string bytes, std::string subprotocol,
                         std::size_t max_message, std::shared_ptr<void> counted, WebSocketAccepted accepted);

}  // namespace transport
