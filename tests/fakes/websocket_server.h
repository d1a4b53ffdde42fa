// A WebSocket server played by the test, a frame at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <openssl/sha.h>

#include "util/async.h"
#include "util/strings.h"

namespace fakes {

// Takes one client at a time. Outlives the run of the loop.
class WebSocketServer {
    using tcp = boost::asio::ip::tcp;
    using error_code = boost::system::error_code;

public:
    enum : std::uint8_t { kText = 1, kClose = 8, kPing = 9, kPong = 10 };

    explicit WebSocketServer(Loop& loop)
        : acceptor_(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)), socket_(loop) {
        accept();
    }

    std::string url() const {
        return "ws://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/devtools";
    }

    void send(std::string_view payload, std::uint8_t opcode = kText, bool last = true) {
        std::string frame{static_cast<char>((last ? 0x80 : 0) | opcode)};
        if (payload.size() < 126) {
            frame += static_cast<char>(payload.size());
        } else {
            frame += static_cast<char>(127);
            for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(payload.size() >> shift);
        }
        frame += payload;
        auto kept = std::make_shared<std::string>(std::move(frame));
        boost::asio::async_write(socket_, boost::asio::buffer(*kept), [kept](error_code, std::size_t) {});
    }
    // Gone without a word.
    void hang_up() {
        error_code ignored;
        socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
        socket_.close(ignored);
    }
    // Stops reading what comes.
    void stop_reading() { reading_ = false; }

    std::string head;                                                // of the last handshake
    std::function<void(std::uint8_t, const std::string&)> on_frame;  // opcode and payload
    std::string refusal;                                             // an HTTP answer instead of a WebSocket
    int frames = 0;
    bool whole_frames = true;  // no message came in fragments
    bool ended = false;

private:
    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error) return;
            socket_ = std::move(socket);
            buffer_.clear();
            boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(buffer_), "\r\n\r\n",
                                          [this](error_code failed, std::size_t count) {
                                              if (failed) return;
                                              head = buffer_.substr(0, count);
                                              buffer_.erase(0, count);
                                              answer();
                                              accept();
                                          });
        });
    }
    void answer() {
        if (!refusal.empty()) {
            boost::asio::write(socket_, boost::asio::buffer(refusal));
            return;
        }
        std::size_t at = to_lower(head).find("sec-websocket-key: ") + 19;
        std::string key = head.substr(at, head.find('\r', at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        unsigned char digest[SHA_DIGEST_LENGTH];
        ::SHA1(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest);
        std::string accepted = base64_encode({reinterpret_cast<const char*>(digest), sizeof digest});
        std::string answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: " +
            accepted + "\r\n\r\n";
        boost::asio::write(socket_, boost::asio::buffer(answer));
        read();
    }
    void read() {
        if (!reading_) return;
        take_frames();
        boost::asio::async_read(socket_, boost::asio::dynamic_buffer(buffer_),
                                boost::asio::transfer_at_least(1), [this](error_code error, std::size_t) {
                                    ended = static_cast<bool>(error);
                                    if (!error) read();
                                });
    }
    void take_frames() {
        for (;;) {
            if (buffer_.size() < 2) return;
            std::size_t length = buffer_[1] & 0x7F, head_size = 2;
            std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
            if (buffer_.size() < head_size + more + 4) return;
            if (more != 0) length = 0;
            for (std::size_t i = 0; i < more; ++i)
                length = length << 8 | static_cast<unsigned char>(buffer_[2 + i]);
            head_size += more + 4;
            if (buffer_.size() < head_size + length) return;
            std::string payload = buffer_.substr(head_size, length);
            for (std::size_t i = 0; i < length; ++i) payload[i] ^= buffer_[head_size - 4 + i % 4];
            bool last = (buffer_[0] & 0x80) != 0;
            auto opcode = static_cast<std::uint8_t>(buffer_[0] & 0x0F);
            buffer_.erase(0, head_size + length);
            whole_frames = whole_frames && last;
            ++frames;
            if (on_frame) on_frame(opcode, payload);
        }
    }

    tcp::acceptor acceptor_;
    tcp::socket socket_;
    std::string buffer_;
    bool reading_ = true;
};

}  // namespace fakes
