// TCP with or without TLS as one kind of stream, so that Beast is compiled for one. Only for web_client.cc.
#pragma once

#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>

#include "util/async.h"

namespace cdp {

// A connection to a server. TLS begins where `use_tls` was called and its handshake is done.
class Line {
    using tcp = boost::asio::ip::tcp;
    using error_code = boost::system::error_code;

public:
    using executor_type = tcp::socket::executor_type;

    explicit Line(Loop& loop) : socket_(loop) {}

    executor_type get_executor() { return socket_.get_executor(); }
    tcp::socket& socket() { return socket_; }
    boost::asio::ssl::stream<tcp::socket&>& use_tls(boost::asio::ssl::context& context) {
        return tls_.emplace(socket_, context);
    }
    // Ends what is under way, too.
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

// How Beast ends a stream: at once, and after the WebSocket's own goodbye.
inline void beast_close_socket(Line& line) { line.close(); }
inline void teardown(boost::beast::role_type, Line& line, boost::system::error_code& error) {
    line.close();
    error = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type, Line& line, Handler&& handler) {
    line.close();
    boost::asio::post(line.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
        handler(boost::system::error_code());
    });
}

}  // namespace cdp
