#include "transport/websocket.h"

#include <deque>

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "transport/http_connection.h"

namespace transport {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

constexpr std::size_t kMaxQueued = 64 << 20;

// A WebSocket on Beast. Keeps itself alive while the peer is connected.
class BeastWebSocket final : public WebSocket, public std::enable_shared_from_this<BeastWebSocket> {
public:
    BeastWebSocket(HttpConnection::Socket socket, std::size_t max_message, std::shared_ptr<void> counted)
        : stream_(std::move(socket)), counted_(std::move(counted)) {
        stream_.read_message_max(max_message);
        stream_.set_option(websocket::stream_base::timeout::suggested(boost::beast::role_type::server));
    }

    void accept(std::string bytes, std::string subprotocol, WebSocketAccepted accepted) {
        stream_.set_option(
            websocket::stream_base::decorator([subprotocol](websocket::response_type& response) {
                if (!subprotocol.empty())
                    response.set(boost::beast::http::field::sec_websocket_protocol, subprotocol);
            }));
        handshake_ = std::move(bytes);
        stream_.async_accept(asio::buffer(handshake_),
                             [self = shared_from_this(), accepted = std::move(accepted)](error_code error) {
                                 self->handshake_.clear();
                                 accepted(error ? nullptr : self);
                             });
    }

    void start(std::function<void(std::string)> on_text, std::function<void()> on_closed) override {
        on_text_ = std::move(on_text);
        on_closed_ = std::move(on_closed);
        read();
    }

    void send(std::string text) override {
        if (finished_ || closing_) return;
        queued_ += text.size();
        if (queued_ > kMaxQueued) {
            asio::post(stream_.get_executor(), [self = shared_from_this()] { self->finish(); });
            return;
        }
        outgoing_.push_back(std::move(text));
        if (outgoing_.size() == 1) write();
    }

    void close(unsigned short code, const std::string& reason) override {
        if (finished_ || closing_) return;
        closing_ = true;
        reason_ = websocket::close_reason(static_cast<websocket::close_code>(code), reason);
        if (outgoing_.empty()) say_goodbye();
    }

    std::size_t queued() const override { return queued_; }

private:
    void say_goodbye() {
        stream_.async_close(reason_, [self = shared_from_this()](error_code) { self->finish(); });
    }

    void read() {
        stream_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
            if (error || self->finished_) return self->finish();
            std::string text = boost::beast::buffers_to_string(self->buffer_.data());
            self->buffer_.consume(self->buffer_.size());
            if (!self->stream_.got_text())
                return self->close(websocket::close_code::unknown_data, "text messages only");
            self->on_text_(std::move(text));
            if (!self->finished_ && !self->closing_) self->read();
        });
    }

    void write() {
        stream_.text(true);
        stream_.async_write(asio::buffer(outgoing_.front()),
                            [self = shared_from_this()](error_code error, std::size_t) {
                                if (error || self->finished_) return self->finish();
                                self->queued_ -= self->outgoing_.front().size();
                                self->outgoing_.pop_front();
                                if (!self->outgoing_.empty()) {
                                    self->write();
                                } else if (self->closing_) {
                                    self->say_goodbye();
                                }
                            });
    }

    void finish() {
        if (std::exchange(finished_, true)) return;
        error_code ignored;
        stream_.next_layer().close(ignored);
        on_text_ = nullptr;
        counted_.reset();
        if (auto closed = std::exchange(on_closed_, nullptr)) closed();
    }

    websocket::stream<HttpConnection::Socket> stream_;
    boost::beast::flat_buffer buffer_;
    std::string handshake_;
    std::deque<std::string> outgoing_;
    std::size_t queued_ = 0;
    bool closing_ = false, finished_ = false;
    websocket::close_reason reason_;
    std::shared_ptr<void> counted_;
    std::function<void(std::string)> on_text_;
    std::function<void()> on_closed_;
};

}  // namespace

void accept_websocket_on(HttpConnection::Socket socket, std::string bytes, std::string subprotocol,
                         std::size_t max_message, std::shared_ptr<void> counted, WebSocketAccepted accepted) {
    auto stream = std::make_shared<BeastWebSocket>(std::move(socket), max_message, std::move(counted));
    stream->accept(std::move(bytes), std::move(subprotocol), std::move(accepted));
}

}  // namespace transport
