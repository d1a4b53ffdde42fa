#include "engine/cdp/pipe.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

namespace cdp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kReadSize = 256 << 10;

// Outlives its owner while the kernel still works on its buffers.
class Pipe : public std::enable_shared_from_this<Pipe> {
public:
    Pipe(Loop& loop, Descriptor input, Descriptor output)
        : input_(loop, input.release()), output_(loop, output.release()) {}

    void start(std::function<void(std::string_view)> on_message, std::function<void(std::string)> on_closed) {
        on_message_ = std::move(on_message);
        on_closed_ = std::move(on_closed);
        read();
    }

    void send(std::string message) {
        if (closed_) return;
        outgoing_ += message;
        outgoing_ += '\0';
        if (writing_.empty()) write();
    }

    // Called while messages are delivered; stops the delivery.
    void pause() { paused_ = true; }
    void resume() {
        if (!std::exchange(paused_, false)) return;
        take_messages(0);
        if (!closed_ && !paused_) read();
    }

    std::size_t incomplete() const { return incoming_.size(); }

    void close() {
        if (std::exchange(closed_, true)) return;
        error_code ignored;
        input_.close(ignored);
        output_.close(ignored);
        on_message_ = nullptr;
        on_closed_ = nullptr;
    }

private:
    void read() {
        std::size_t before = incoming_.size();
        incoming_.resize(before + kReadSize);
        output_.async_read_some(asio::buffer(incoming_.data() + before, kReadSize),
                                [self = shared_from_this(), before](error_code error, std::size_t count) {
                                    if (self->closed_) return;
                                    self->incoming_.resize(before + count);
                                    self->take_messages(before);
                                    if (error) return self->lose("the browser closed its pipe");
                                    if (!self->closed_ && !self->paused_) self->read();
                                });
    }

    // No NUL stands before `searched`.
    void take_messages(std::size_t searched) {
        std::size_t start = 0;
        for (std::size_t end; (end = incoming_.find('\0', std::max(start, searched))) != std::string::npos;
             start = end + 1) {
            auto on_message = on_message_;
            if (!on_message) return;
            on_message(std::string_view(incoming_).substr(start, end - start));
            if (closed_) return;
            if (paused_) {
                start = end + 1;
                break;
            }
        }
        incoming_.erase(0, start);
        if (incoming_.empty() && incoming_.capacity() > (4U << 20)) incoming_.shrink_to_fit();
    }

    void write() {
        std::swap(writing_, outgoing_);
        asio::async_write(input_, asio::buffer(writing_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                              if (self->closed_) return;
                              self->writing_.clear();
                              if (error) return self->lose("the browser no longer reads its pipe");
                              if (!self->outgoing_.empty()) self->write();
                          });
    }

    void lose(std::string reason) {
        auto on_closed = on_closed_;
        close();
        if (on_closed) on_closed(std::move(reason));
    }

    asio::posix::stream_descriptor input_, output_;
    std::string incoming_, outgoing_, writing_;
    std::function<void(std::string_view)> on_message_;
    std::function<void(std::string)> on_closed_;
    bool closed_ = false, paused_ = false;
};

class PipeTransport final : public Transport {
public:
    explicit PipeTransport(std::shared_ptr<Pipe> pipe) : pipe_(std::move(pipe)) {}
    ~PipeTransport() override { pipe_->close(); }
    void start(std::function<void(std::string_view)> on_message,
               std::function<void(std::string)> on_closed) override {
        pipe_->start(std::move(on_message), std::move(on_closed));
    }
    void send(std::string message) override { pipe_->send(std::move(message)); }
    void close() override { pipe_->close(); }
    void pause() override { pipe_->pause(); }
    void resume() override { pipe_->resume(); }
    std::size_t incomplete() const override { return pipe_->incomplete(); }

private:
    std::shared_ptr<Pipe> pipe_;
};

}  // namespace

std::unique_ptr<Transport> pipe_transport(Loop& loop, Descriptor input, Descriptor output) {
    return std::make_unique<PipeTransport>(std::make_shared<Pipe>(loop, std::move(input), std::move(output)));
}

}  // namespace cdp
