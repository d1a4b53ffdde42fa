#include "transport/child_process_lines.h"

#include <boost/asio/buffer.hpp>

namespace transport {
namespace {

constexpr std::size_t kBufferSize = 64UL * 1024;
// More than a pipe holds by default, so no output of a dead program is lost; also ends the reading when other
// processes write without pause.
constexpr int kMaxLastReads = 64;

}  // namespace

LineReader::LineReader(Loop& loop, Descriptor pipe, std::size_t max_line, Overlong overlong)
    : pipe_(loop, pipe.release()),
      max_line_(max_line),
      overlong_(overlong),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferSize)) {
    pipe_.non_blocking(true);
}

void LineReader::start(Handlers handlers) {
    handlers_ = std::move(handlers);
    boost::asio::post(pipe_.get_executor(), [self = shared_from_this()] { self->read(); });
}

void LineReader::drain() {
    draining_ = true;
    boost::system::error_code ignored;
    // A read that already has its bytes still delivers them, so their order is kept.
    if (reading_) pipe_.cancel(ignored);
}

void LineReader::stop() {
    ended_ = true;
    boost::system::error_code ignored;
    pipe_.close(ignored);
}

void LineReader::read() {
    if (ended_) return;
    if (draining_) return read_what_is_left();
    reading_ = true;
    pipe_.async_read_some(boost::asio::buffer(buffer_.get(), kBufferSize),
                          [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
                              self->reading_ = false;
                              if (self->ended_) return;
                              self->take({self->buffer_.get(), count});
                              if (error && error != boost::asio::error::operation_aborted)
                                  return self->end(false);
                              self->read();
                          });
}

void LineReader::read_what_is_left() {
    for (int i = 0; i < kMaxLastReads && !ended_; ++i) {
        boost::system::error_code error;
        std::size_t count = pipe_.read_some(boost::asio::buffer(buffer_.get(), kBufferSize), error);
        if (error) break;
        take({buffer_.get(), count});
    }
    end(false);
}

void LineReader::take(std::string_view bytes) {
    while (!ended_ && !bytes.empty()) {
        std::size_t end_of_line = bytes.find('\n');
        std::string_view piece = bytes.substr(0, end_of_line);
        if (line_.size() + piece.size() > max_line_) {
            if (overlong_ == Overlong::End) return end(true);
            piece = piece.substr(0, max_line_ - line_.size());
            end_of_line = std::string_view::npos;
        }
        line_ += piece;
        bool complete = end_of_line != std::string_view::npos;
        bytes.remove_prefix(piece.size() + (complete ? 1 : 0));
        bool full = overlong_ == Overlong::Split && line_.size() == max_line_;
        if (complete || full) emit(std::exchange(line_, {}));
    }
}

void LineReader::emit(std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) handlers_.on_line(std::move(line));
}

void LineReader::end(bool line_too_long) {
    if (ended_) return;
    if (!line_.empty() && !line_too_long) emit(std::exchange(line_, {}));
    if (ended_) return;
    stop();
    handlers_.on_end(line_too_long);
}

}  // namespace transport
