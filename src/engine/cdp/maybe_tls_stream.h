// TCP with or without TLS as one stream type, so that Beast is instantiated once. Only for web_client.cc.
#pragma once

#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>

#include "util/async.h"

namespace cdp {

// A connection to a server. TLS begins after a call of `use_tls` and its handshake.
class MaybeTlsStream {
    using tcp = boost::asio::ip::tcp;
    using error_code = boost::system::error_code;

public:
    using executor_type = tcp::socket::executor_type;

    explicit MaybeTlsStream(Loop& loop) : socket_(loop) {}

    executor_type get_executor() { return socket_.get_executor(); }
    tcp::socket& socket() { return socket_; }
    boost::asio::ssl::stream<tcp::socket&>& use_tls(boost::asio::ssl::context& context) {
        return tls_.emplace(socket_, context);
    }
    // Also ends pending operations.
    void close() {
        error_code ignored;
        socket_.close(ignored);
    }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, const Buffers& into) {
                if (tls_) return tls_->async_read_some(into, std::move(handler));
                socket_.async_read_some(into, std::move(handler));
            },
            token, buffers);
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, const Buffers& from) {
                if (tls_) return tls_->async_write_some(from, std::move(handler));
                socket_.async_write_some(from, std::move(handler));
            },
            token, buffers);
    }

private:
    tcp::socket socket_;
    std::optional<boost::asio::ssl::stream<tcp::socket&>> tls_;
};

// How Beast ends a stream: at once, and after the WebSocket's closing handshake.
inline void beast_close_socket(MaybeTlsStream& stream) { stream.close(); }
inline void teardown(boost::beast::role_type, MaybeTlsStream& stream, boost::system::error_code& error) {
    stream.close();
    error = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type, MaybeTlsStream& stream, Handler&& handler) {
    stream.close();
    boost::asio::post(stream.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
        handler(boost::system::error_code());
    });
}

}  // namespace cdp
