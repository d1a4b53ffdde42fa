// Reads lines from a pipe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "util/async.h"
#include "util/spawn.h"

namespace transport {

// Reads a pipe to its end, or to the last byte in it once `drain` was called: a dead program's pipe may stay
// open in other processes. Held by a shared_ptr, which a read in progress shares.
class LineReader : public std::enable_shared_from_this<LineReader> {
public:
    enum class Overlong { Split, End };  // what a line over the limit becomes

    struct Handlers {
        std::function<void(std::string line)> on_line;
        std::function<void(bool line_too_long)> on_end;
    };

    LineReader(Loop& loop, Descriptor pipe, std::size_t max_line, Overlong overlong);

    void start(Handlers handlers);
    void drain();
    // Stops calling the handlers.
    void stop();
    bool ended() const { return ended_; }

private:
    void read();
    void read_what_is_left();
    void take(std::string_view bytes);
    void emit(std::string line);
    void end(bool line_too_long);

    boost::asio::posix::stream_descriptor pipe_;
    std::size_t max_line_;
    Overlong overlong_;
    Handlers handlers_;
    std::unique_ptr<char[]> buffer_;  // its pages cost memory only once used
    std::string line_;
    bool reading_ = false;
    bool draining_ = false;
    bool ended_ = false;
};

}  // namespace transport
