#include "engine/cdp/web_client.h"

#include <cstring>
#include <deque>
#include <netinet/tcp.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/consign.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "engine/cdp/maybe_tls_stream.h"
#include "util/strings.h"

namespace cdp {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::size_t kMaxMessage = 1UL << 30;  // screenshots and traces are large
constexpr std::size_t kMaxQueued = 256UL << 20;
constexpr std::size_t kMaxAnswer = 64UL << 20;
constexpr std::size_t kKeptBuffer = 4UL << 20;
constexpr auto kGoodbye = 2s;

// "ECONNREFUSED", or the message of an error that has no such name.
std::string name_of(error_code error) {
    if (error.category() == boost::system::system_category())
        if (const char* name = ::strerrorname_np(error.value())) return name;
    return error.message();
}

Error network_error(std::string what) {
    return Error{.code = ErrorCode::NetworkError, .message = std::move(what)};
}

// Detects within half a minute a peer that vanished silently. Uses TCP keepalive, since older browsers reject
// WebSocket pings.
void watch_peer(tcp::socket& socket) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    auto set = [&](int option, int value) {
        ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
    };
    set(TCP_KEEPIDLE, 15);
    set(TCP_KEEPINTVL, 5);
    set(TCP_KEEPCNT, 3);
    set(TCP_USER_TIMEOUT, 30'000);
}

// All state that the operations of one connection use. Each operation holds it.
struct Wire {
    explicit Wire(Loop& loop) : resolver(loop), stream(loop) {}

    MaybeTlsStream& transport() { return stream.next_layer(); }
    void abort() {
        resolver.cancel();
        transport().close();
    }

    tcp::resolver resolver;
    std::optional<asio::ssl::context> tls;
    websocket::stream<MaybeTlsStream, false> stream;
    tcp::endpoint tried;
    boost::beast::flat_buffer buffer;
    http::request<http::empty_body> request;
    http::response_parser<http::string_body> parser;
    websocket::response_type answer;
};
using WirePtr = std::shared_ptr<Wire>;

// `co_await operation(..., held(wire))`: the wire lives until the operation has ended, even if cancelled.
auto held(const WirePtr& wire) { return asio::consign(use_task, wire); }

// Aborts the pending operation when its Task is dropped.
struct Abort {
    WirePtr wire;
    ~Abort() {
        if (wire) wire->abort();
    }
};

// Uses the system's certificate authorities. OpenSSL's default path is that of the build machine.
void trust_system(asio::ssl::context& context) {
    error_code ignored;
    context.set_default_verify_paths(ignored);
    for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                             "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
        error_code missing;
        context.load_verify_file(file, missing);
        if (!missing) break;
    }
    context.set_verify_mode(asio::ssl::verify_peer, ignored);
}

Task<> shake_hands(WirePtr wire, ServerAddress address) {
    wire->tls.emplace(asio::ssl::context::tls_client);
    trust_system(*wire->tls);
    auto& tls = wire->transport().use_tls(*wire->tls);
    SSL_set_tlsext_host_name(tls.native_handle(), address.host.c_str());
    error_code ignored;
    tls.set_verify_callback(asio::ssl::host_name_verification(address.host), ignored);
    auto [error] = co_await tls.async_handshake(asio::ssl::stream_base::client, held(wire));
    if (!error) co_return;
    long verdict = SSL_get_verify_result(tls.native_handle());
    co_await network_error(address.host + ": " +
                           (verdict == X509_V_OK ? error.message() : X509_verify_cert_error_string(verdict)));
}

// Resolves the server's name, connects, and starts TLS if the URL asks for it.
Task<> reach(WirePtr wire, ServerAddress address) {
    auto [unknown, found] = co_await wire->resolver.async_resolve(address.host, address.port, held(wire));
    if (unknown) co_await network_error("getaddrinfo ENOTFOUND " + address.host);
    auto note = [wire](error_code, const tcp::endpoint& next) {
        wire->tried = next;
        return true;
    };
    auto [error, endpoint] =
        co_await asio::async_connect(wire->transport().socket(), found, note, held(wire));
    if (error) {
        std::string host = wire->tried.address().to_string();
        if (wire->tried.address().is_v6()) host = "[" + host + "]";
        co_await network_error("connect " + name_of(error) + " " + host + ":" +
                               std::to_string(wire->tried.port()));
    }
    watch_peer(wire->transport().socket());
    if (address.tls) co_await shake_hands(wire, std::move(address));
}

template <class Request>
void add_headers(Request& request, const ServerAddress& address, const Headers& headers) {
    request.set(http::field::user_agent, "troupe/" TROUPE_VERSION);
    if (!address.credentials.empty())
        request.set(http::field::authorization, "Basic " + base64_encode(address.credentials));
    for (const auto& [name, value] : headers) request.set(name, value);
}

template <class Message>
HttpAnswer answer_of(Message& message) {
    return HttpAnswer{.status = static_cast<int>(message.result_int()),
                      .reason = std::string(message.reason()),
                      .location = std::string(message[http::field::location]),
                      .body = std::move(message.body())};
}

// Messages over an open WebSocket. Outlives its owner while the kernel still works on its buffers.
class Socket : public std::enable_shared_from_this<Socket> {
public:
    explicit Socket(WirePtr wire) : wire_(std::move(wire)) {}

    void start(std::function<void(std::string_view)> on_message, std::function<void(std::string)> on_closed) {
        on_message_ = std::move(on_message);
        on_closed_ = std::move(on_closed);
        read();
    }

    void send(std::string message) {
        if (closed_) return;
        queued_ += message.size();
        outgoing_.push_back(std::move(message));
        if (queued_ > kMaxQueued && !overflow_) {
            overflow_ = true;
            asio::post(wire_->stream.get_executor(), [self = shared_from_this()] {
                if (!self->closed_) self->lose("the browser no longer reads what it is sent");
            });
        }
        if (outgoing_.size() == 1) write();
    }

    std::size_t incomplete() const { return wire_->buffer.size(); }

    // Sends the closing handshake, and waits only briefly for the browser's.
    void close() {
        if (!finish()) return;
        wire_->stream.async_close(websocket::close_code::normal,
                                  [self = shared_from_this()](error_code) { self->wire_->abort(); });
    }

private:
    bool finish() {
        on_message_ = nullptr;
        on_closed_ = nullptr;
        return !std::exchange(closed_, true);
    }

    void read() {
        wire_->stream.async_read(wire_->buffer, [self = shared_from_this()](error_code error, std::size_t) {
            if (self->closed_) return;
            if (error) return self->lose(self->why(error));
            self->take_message();
            if (!self->closed_) self->read();
        });
    }

    void take_message() {
        auto& buffer = wire_->buffer;
        // The handler may destroy this object.
        auto on_message = on_message_;
        on_message(std::string_view(static_cast<const char*>(buffer.data().data()), buffer.size()));
        buffer.clear();
        if (buffer.capacity() > kKeptBuffer) buffer.shrink_to_fit();
    }

    void write() {
        wire_->stream.async_write(asio::buffer(outgoing_.front()),
                                  [self = shared_from_this()](error_code error, std::size_t) {
                                      self->queued_ -= self->outgoing_.front().size();
                                      self->outgoing_.pop_front();
                                      if (self->closed_) return;
                                      if (error) return self->lose(self->why(error));
                                      if (!self->outgoing_.empty()) self->write();
                                  });
    }

    std::string why(error_code error) const {
        if (error != websocket::error::closed) return "connection lost (" + name_of(error) + ")";
        std::string reason(wire_->stream.reason().reason.c_str());
        return "the browser closed the connection" + (reason.empty() ? "" : ": " + reason);
    }

    void lose(std::string reason) {
        auto on_closed = on_closed_;
        if (!finish()) return;
        wire_->abort();
        if (on_closed) on_closed(std::move(reason));
    }

    WirePtr wire_;
    std::deque<std::string> outgoing_;  // the first is being written
    std::size_t queued_ = 0;            // bytes
    std::function<void(std::string_view)> on_message_;
    std::function<void(std::string)> on_closed_;
    bool overflow_ = false;
    bool closed_ = false;
};

class SocketTransport final : public Transport {
public:
    explicit SocketTransport(WirePtr wire) : socket_(std::make_shared<Socket>(std::move(wire))) {}
    ~SocketTransport() override { socket_->close(); }
    void start(std::function<void(std::string_view)> on_message,
               std::function<void(std::string)> on_closed) override {
        socket_->start(std::move(on_message), std::move(on_closed));
    }
    void send(std::string message) override { socket_->send(std::move(message)); }
    void close() override { socket_->close(); }
    std::size_t incomplete() const override { return socket_->incomplete(); }

private:
    std::shared_ptr<Socket> socket_;
};

void set_up(websocket::stream<MaybeTlsStream, false>& stream, const ServerAddress& address,
            const Headers& headers) {
    stream.set_option(websocket::stream_base::decorator(
        [address, headers](websocket::request_type& request) { add_headers(request, address, headers); }));
    stream.read_message_max(kMaxMessage);
    stream.text(true);
    // One frame per message: browsers reject fragments.
    stream.auto_fragment(false);
    stream.write_buffer_bytes(64UL << 10);
}

}  // namespace

Task<HttpAnswer> http_get(Loop& loop, ServerAddress address, Headers headers) {
    auto wire = std::make_shared<Wire>(loop);
    Abort guard{wire};
    co_await reach(wire, address);
    wire->request.method(http::verb::get);
    wire->request.target(address.target);
    wire->request.version(11);
    wire->request.set(http::field::host, address.host_header);
    add_headers(wire->request, address, headers);
    wire->request.set(http::field::connection, "close");
    wire->parser.body_limit(kMaxAnswer);
    auto [unsent, sent] = co_await http::async_write(wire->transport(), wire->request, held(wire));
    if (unsent) co_await network_error("connection lost (" + name_of(unsent) + ")");
    auto [error, count] =
        co_await http::async_read(wire->transport(), wire->buffer, wire->parser, held(wire));
    if (error) co_await network_error("connection lost (" + name_of(error) + ")");
    co_return answer_of(wire->parser.get());
}

Task<Handshake> open_websocket(Loop& loop, ServerAddress address, Headers headers) {
    auto wire = std::make_shared<Wire>(loop);
    Abort guard{wire};
    co_await reach(wire, address);
    set_up(wire->stream, address, headers);
    auto [error] =
        co_await wire->stream.async_handshake(wire->answer, address.host_header, address.target, held(wire));
    if (error == websocket::error::upgrade_declined) {
        co_return Handshake{.transport = nullptr, .answer = answer_of(wire->answer)};
    }
    if (error) co_await network_error("connection lost (" + name_of(error) + ")");
    // From now on, only the closing timeout matters.
    wire->stream.set_option(websocket::stream_base::timeout{.handshake_timeout = kGoodbye,
                                                            .idle_timeout = websocket::stream_base::none(),
                                                            .keep_alive_pings = false});
    guard.wire = nullptr;
    co_return Handshake{.transport = std::make_unique<SocketTransport>(wire), .answer = {}};
}

}  // namespace cdp
