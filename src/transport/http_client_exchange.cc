#include "transport/http_client_exchange.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "util/strings.h"

namespace transport {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto kConnectTimeout = 10s;
// Shorter than the 5 s after which Node's servers close an idle connection, so no request meets that.
constexpr auto kMaxIdle = 4s;
constexpr std::size_t kMaxIdleConnections = 8;
constexpr std::size_t kMaxHeader = 64UL * 1024;

// "ECONNREFUSED", or the message of an error that has no such name.
std::string name_of(error_code error) {
    if (error.category() == boost::system::system_category())
        if (const char* name = ::strerrorname_np(error.value())) return name;
    return error.message();
}

struct Connection {
    explicit Connection(Loop& loop) : socket(loop) {}

    // A readable idle connection was closed, or received an unexpected message.
    bool is_quiet() {
        char byte;
        return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }

    tcp::socket socket;
    boost::beast::flat_buffer buffer;
    Deadline::Clock::time_point idle_since;
};

class Pool final : public HttpClientPool, public std::enable_shared_from_this<Pool> {
public:
    Pool(Loop& loop_given, HttpServerAddress address_given)
        : loop(loop_given), address(std::move(address_given)) {}

    std::shared_ptr<HttpClientExchange> start(HttpClientRequest request, std::size_t max_body,
                                              HttpClientHandlers handlers) override;
    void close() override {
        closed_ = true;
        idle_.clear();
    }

    std::unique_ptr<Connection> take_idle() {
        auto oldest = Deadline::Clock::now() - kMaxIdle;
        while (!idle_.empty()) {
            auto connection = std::move(idle_.back());
            idle_.pop_back();
            if (connection->idle_since > oldest && connection->is_quiet()) return connection;
        }
        return nullptr;
    }
    void give_back(std::unique_ptr<Connection> connection) {
        if (closed_) return;
        connection->idle_since = Deadline::Clock::now();
        idle_.push_back(std::move(connection));
        if (idle_.size() > kMaxIdleConnections) idle_.pop_front();
    }

    Loop& loop;
    const HttpServerAddress address;

private:
    std::deque<std::unique_ptr<Connection>> idle_;  // the most recently used last
    bool closed_ = false;
};

// Every operation holds the exchange, and so the buffers that it works on.
class Exchange final : public HttpClientExchange, public std::enable_shared_from_this<Exchange> {
public:
    Exchange(std::shared_ptr<Pool> pool, HttpClientRequest request, std::size_t max_body,
             HttpClientHandlers handlers)
        : pool_(std::move(pool)),
          max_body_(max_body),
          handlers_(std::move(handlers)),
          resolver_(pool_->loop),
          timer_(pool_->loop) {
        request_.method_string(request.method);
        request_.target(request.target);
        request_.version(11);
        request_.set(http::field::host, pool_->address.host_header);
        request_.set(http::field::user_agent, "troupe/" TROUPE_VERSION);
        for (const auto& [name, value] : request.headers) request_.set(name, value);
        request_.body() = std::move(request.body);
        if (request.method == "POST") request_.content_length(request_.body().size());
    }

    void run();
    void abort() override;

private:
    using Endpoints = tcp::resolver::results_type;

    void connect();
    void connect_to(const Endpoints& endpoints);
    void write();
    void read_head();
    void take_head();
    void read_body();
    void take_body();
    void succeed();
    void lose(error_code error);
    void fail(const std::string& what);
    // Wraps the handler of an operation so that it does nothing once the exchange is over.
    template <class Function>
    auto guarded(Function function) {
        return [self = shared_from_this(), function = std::move(function)](error_code error, auto&&...) {
            if (!self->over_) function(error);
        };
    }

    std::shared_ptr<Pool> pool_;
    std::size_t max_body_;
    HttpClientHandlers handlers_;
    tcp::resolver resolver_;
    boost::asio::steady_timer timer_;  // limits connecting
    std::unique_ptr<Connection> connection_;
    http::request<http::string_body> request_;
    std::optional<http::response_parser<http::string_body>> parser_;
    error_code write_error_;
    tcp::endpoint tried_;
    bool over_ = false;
};

std::shared_ptr<HttpClientExchange> Pool::start(HttpClientRequest request, std::size_t max_body,
                                                HttpClientHandlers handlers) {
    auto exchange =
        std::make_shared<Exchange>(shared_from_this(), std::move(request), max_body, std::move(handlers));
    boost::asio::post(loop, [exchange] { exchange->run(); });
    return exchange;
}

void Exchange::run() {
    if (over_) return;
    connection_ = pool_->take_idle();
    if (connection_) return write();
    connection_ = std::make_unique<Connection>(pool_->loop);
    connect();
}

void Exchange::connect() {
    const HttpServerAddress& address = pool_->address;
    timer_.expires_after(kConnectTimeout);
    timer_.async_wait(guarded([this, &address](error_code error) {
        if (!error) fail("connect ETIMEDOUT " + address.host_header);
    }));
    // Resolving a name costs a thread; most servers are on 127.0.0.1.
    error_code no_literal;
    auto literal = boost::asio::ip::make_address(address.host, no_literal);
    if (!no_literal) {
        auto port = static_cast<unsigned short>(std::strtoul(address.port.c_str(), nullptr, 10));
        return connect_to(Endpoints::create(tcp::endpoint(literal, port), address.host, address.port));
    }
    resolver_.async_resolve(address.host, address.port,
                            [self = shared_from_this()](error_code error, const Endpoints& found) {
                                if (self->over_) return;
                                if (error)
                                    return self->fail("getaddrinfo ENOTFOUND " + self->pool_->address.host);
                                self->connect_to(found);
                            });
}

void Exchange::connect_to(const Endpoints& endpoints) {
    auto note_endpoint = [self = shared_from_this()](error_code, const tcp::endpoint& next) {
        self->tried_ = next;
        return !self->over_;
    };
    auto connected = guarded([this](error_code error) {
        std::string host = tried_.address().to_string();
        if (tried_.address().is_v6()) host = "[" + host + "]";
        if (error)
            return fail("connect " + name_of(error) + " " + host + ":" + std::to_string(tried_.port()));
        timer_.cancel();
        error_code ignored;
        connection_->socket.set_option(tcp::no_delay(true), ignored);
        write();
    });
    boost::asio::async_connect(connection_->socket, endpoints, note_endpoint, std::move(connected));
}

void Exchange::write() {
    http::async_write(connection_->socket, request_, guarded([this](error_code error) {
                          // The server may have answered before it had read everything.
                          write_error_ = error;
                          read_head();
                      }));
}

void Exchange::read_head() {
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(max_body_);
    http::async_read_header(connection_->socket, connection_->buffer, *parser_,
                            guarded([this](error_code error) {
                                if (error && write_error_) error = write_error_;
                                if (error) return lose(error);
                                take_head();
                            }));
}

void Exchange::take_head() {
    const auto& message = parser_->get();
    if (message.result_int() / 100 == 1) return read_head();  // 100 Continue and the like
    HttpClientHead head{.status = static_cast<int>(message.result_int()),
                        .reason = std::string(message.reason())};
    for (const auto& field : message) head.headers.emplace_back(field.name_string(), field.value());
    if (to_lower(head.header("content-type")).starts_with("text/event-stream"))
        parser_->body_limit(boost::none);
    if (handlers_.on_head) handlers_.on_head(head);
    if (!over_) take_body();
}

void Exchange::read_body() {
    http::async_read_some(connection_->socket, connection_->buffer, *parser_,
                          guarded([this](error_code error) {
                              if (error) return lose(error);
                              take_body();
                          }));
}

void Exchange::take_body() {
    if (std::string& body = parser_->get().body(); !body.empty()) {
        if (handlers_.on_body) handlers_.on_body(body);
        if (over_) return;
        body.clear();
    }
    if (parser_->is_done()) return succeed();
    read_body();
}

void Exchange::succeed() {
    over_ = true;
    if (parser_->keep_alive() && connection_->buffer.size() == 0 && !write_error_)
        pool_->give_back(std::move(connection_));
    auto handlers = std::exchange(handlers_, {});
    if (handlers.on_end) handlers.on_end(std::nullopt);
}

void Exchange::lose(error_code error) {
    if (error == http::error::body_limit)
        return fail("it is larger than " + std::to_string(max_body_) + " bytes");
    fail("connection lost (" + name_of(error) + ")");
}

void Exchange::fail(const std::string& what) {
    auto handlers = std::move(handlers_);
    abort();
    if (handlers.on_end) handlers.on_end(Error{.code = ErrorCode::NetworkError, .message = what});
}

void Exchange::abort() {
    if (std::exchange(over_, true)) return;
    timer_.cancel();
    resolver_.cancel();
    error_code ignored;
    if (connection_) connection_->socket.close(ignored);
    // The caller may be one of the handlers.
    boost::asio::post(pool_->loop, [handlers = std::exchange(handlers_, {})] {});
}

}  // namespace

std::string_view HttpClientHead::header(std::string_view name) const {
    for (const auto& [field, value] : headers)
        if (equals_ignoring_case(field, name)) return value;
    return {};
}

Result<HttpUrl> parse_http_url(const std::string& text) {
    auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty())
        return Error{.code = ErrorCode::InvalidUrl,
                     .message = "Not a URL: " + text,
                     .hint = "Give one like http://127.0.0.1:8931/mcp."};
    if (url->scheme() == "https")
        return Error{.code = ErrorCode::InvalidUrl,
                     .message = "https:// is not supported yet for an MCP server: " + text,
                     .hint = "Use http://, for example through a local TLS proxy."};
    if (url->scheme() != "http")
        return Error{.code = ErrorCode::InvalidUrl,
                     .message = "Only http:// is supported for an MCP server: " + text};
    HttpUrl parsed;
    parsed.address.host = url->host_address();
    parsed.address.port = url->port().empty() ? "80" : std::string(url->port());
    parsed.address.host_header = std::string(url->encoded_host_and_port());
    parsed.target = url->encoded_path().empty() ? "/" : std::string(url->encoded_path());
    parsed.shown = "http://" + parsed.address.host_header + parsed.target;
    if (url->has_query()) parsed.target += "?" + std::string(url->encoded_query());
    return parsed;
}

std::shared_ptr<HttpClientPool> make_http_client_pool(Loop& loop, HttpServerAddress address) {
    return std::make_shared<Pool>(loop, std::move(address));
}

}  // namespace transport
