// An HTTP server played by the test: it reads requests and writes the bytes it is told.
#pragma once

#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "util/async.h"
#include "util/strings.h"

namespace fakes {

struct HttpRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers = {};  // names in lower case
    std::string body = {};
    int connection = 0;  // the how manieth, from 1
};

class HttpServer {
    using tcp = boost::asio::ip::tcp;
    using error_code = boost::system::error_code;

public:
    class Connection : public std::enable_shared_from_this<Connection> {
    public:
        Connection(HttpServer& server, tcp::socket socket, int number)
            : server_(server), socket_(std::move(socket)), number_(number) {}

        void write(std::string_view bytes) {
            error_code ignored;
            boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
        }
        void close() {
            error_code ignored;
            socket_.close(ignored);
        }
        void read() {
            auto self = shared_from_this();
            boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(buffer_), "\r\n\r\n",
                                          [self](error_code error, std::size_t count) {
                                              if (error) return self->end();
                                              self->take_head(count);
                                          });
        }

    private:
        void take_head(std::size_t count) {
            auto lines = split(buffer_.substr(0, count - 4), '\n');
            buffer_.erase(0, count);
            auto words = split(trim(lines.at(0)), ' ');
            HttpRequest request{.method = words.at(0), .target = words.at(1), .connection = number_};
            for (std::size_t i = 1; i < lines.size(); ++i) {
                std::size_t colon = lines[i].find(':');
                request.headers[to_lower(lines[i].substr(0, colon))] = trim(lines[i].substr(colon + 1));
            }
            std::size_t length = 0;
            const std::string& given = request.headers["content-length"];
            std::from_chars(given.data(), given.data() + given.size(), length);
            std::size_t missing = length - std::min(length, buffer_.size());
            boost::asio::async_read(
                socket_, boost::asio::dynamic_buffer(buffer_), boost::asio::transfer_exactly(missing),
                [self = shared_from_this(), request, length](error_code error, std::size_t) mutable {
                    if (error) return self->end();
                    request.body = self->buffer_.substr(0, length);
                    self->buffer_.erase(0, length);
                    self->server_.take(std::move(request), self);
                    self->read();
                });
        }
        void end() {
            if (socket_.is_open()) ++server_.hung_up;
        }

        HttpServer& server_;
        tcp::socket socket_;
        int number_;
        std::string buffer_;
    };
    using Handler = std::function<void(const HttpRequest&, const std::shared_ptr<Connection>&)>;

    // Outlives the run of the loop.
    HttpServer(Loop& loop, Handler handler)
        : acceptor_(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
          handler_(std::move(handler)) {
        accept();
    }

    std::string url() const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/mcp";
    }
    // How many connections the client closed.
    int hung_up = 0;
    std::vector<HttpRequest> requests;

private:
    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error) return;
            std::make_shared<Connection>(*this, std::move(socket), ++accepted_)->read();
            accept();
        });
    }
    void take(HttpRequest request, const std::shared_ptr<Connection>& connection) {
        requests.push_back(request);
        handler_(request, connection);
    }

    tcp::acceptor acceptor_;
    Handler handler_;
    int accepted_ = 0;
};

// A whole answer.
inline std::string http_answer(std::string_view status, std::string_view body,
                               std::string_view headers = "") {
    return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

inline std::string json_answer(std::string_view body, std::string_view headers = "") {
    return http_answer("200 OK", body,
                       "Content-Type: application/json; charset=utf-8\r\n" + std::string(headers));
}

// The beginning of a stream, which goes on in http_chunk()s and ends with an empty one.
inline constexpr std::string_view kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

inline std::string http_chunk(std::string_view bytes) {
    return hex_encode(
               std::string{static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size() & 255)}) +
           "\r\n" + std::string(bytes) + "\r\n";
}

}  // namespace fakes
