#include "transport/lines.h"

#include <boost/asio/write.hpp>

#include "mcp/message.h"
#include "util/strings.h"

namespace transport {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadSize = 64 << 10;
// Stop reading from a client that does not read its answers.
constexpr std::size_t kPauseAt = 8 << 20;
// Unrequested messages continue; a client that never reads is dropped at this size.
constexpr std::size_t kMaxQueued = 64 << 20;

}  // namespace

std::shared_ptr<LineClient> LineClient::start(mcp::Server& server, int in, int out, std::string first_bytes,
                                              LineOptions options, tools::Caller caller,
                                              std::function<void()> closed) {
    std::shared_ptr<LineClient> client(
        new LineClient(server, in, out, std::move(options), std::move(caller), std::move(closed)));
    client->incoming_ = std::move(first_bytes);
    // Runs from the loop, so that the caller has the client before any callback.
    asio::post(server.loop(), [client] {
        client->take_lines();
        client->read();
    });
    return client;
}

LineClient::LineClient(mcp::Server& server, int in, int out, LineOptions options, tools::Caller caller,
                       std::function<void()> closed)
    : server_(server),
      options_(std::move(options)),
      in_(server.loop(), in),
      out_(server.loop(), out),
      grace_(server.loop()),
      closed_(std::move(closed)),
      connection_(std::make_unique<mcp::Connection>(server, *this, std::move(caller))) {}

void LineClient::read() {
    if (reading_ || ended_ || outgoing_.size() > kPauseAt) return;
    reading_ = true;
    std::size_t before = incoming_.size();
    incoming_.resize(before + kReadSize);
    in_.async_read_some(asio::buffer(incoming_.data() + before, kReadSize),
                        [self = shared_from_this(), before](ErrorCode error, std::size_t count) {
                            self->reading_ = false;
                            if (self->finished_) return;
                            self->incoming_.resize(before + count);
                            self->take_lines();
                            if (error) {
                                // The last line may lack its newline.
                                if (!self->skipping_) self->take_line(self->incoming_);
                                return self->end_when_done();
                            }
                            self->read();
                        });
}

void LineClient::take_lines() {
    std::size_t start = 0;
    for (std::size_t end; (end = incoming_.find('\n', std::max(start, searched_))) != std::string::npos;
         start = end + 1) {
        std::string_view line = std::string_view(incoming_).substr(start, end - start);
        if (!std::exchange(skipping_, false)) take_line(line);
        if (finished_ || ended_) return;
    }
    incoming_.erase(0, start);
    if (incoming_.size() > options_.max_line && !skipping_) refuse_long_line();
    if (skipping_) incoming_.clear();
    if (incoming_.empty() && incoming_.capacity() > (1 << 20)) incoming_.shrink_to_fit();
    searched_ = incoming_.size();
}

void LineClient::take_line(std::string_view line) {
    line = trim(line);
    // After the server ends, no connection can answer.
    if (line.empty() || !connection_) return;
    if (line.size() > options_.max_line) return refuse_long_line();
    if (take_introduction(line)) return;
    connection_->receive_text(line, shared_from_this());
}

// Only the first line can be an introduction.
bool LineClient::take_introduction(std::string_view line) {
    Introduce introduce = std::exchange(options_.introduce, nullptr);
    auto introduction = introduce ? introduce(line) : std::nullopt;
    if (!introduction) return false;
    connection_->introduce({.directory = introduction->directory.string(),
                            .agent = introduction->agent,
                            .lost_session = introduction->lost_session},
                           introduction->first_question);
    send(std::move(introduction->answer));
    return true;
}

void LineClient::refuse_long_line() {
    skipping_ = incoming_.find('\n') == std::string::npos;
    send(mcp::make_error(std::nullopt, {.code = mcp::kInvalidRequest,
                                        .message = "Invalid Request: a message may have at most " +
                                                   std::to_string(options_.max_line) + " bytes."}));
}

void LineClient::send(std::string message) {
    if (finished_ || dropped_) return;
    if (outgoing_.size() + message.size() > kMaxQueued) {
        dropped_ = true;
        server_.log().warn("dropped a client that does not read", {{"queued", outgoing_.size()}});
        // Not from inside the function that is sending.
        asio::post(server_.loop(), [self = shared_from_this()] { self->finish(); });
        return;
    }
    outgoing_ += message;
    outgoing_ += '\n';
    if (writing_.empty()) write();
}

void LineClient::respond(std::string message, int) {
    send(std::move(message));
    // The call counts as in progress until its answer has been passed on.
    if (ended_) asio::post(server_.loop(), [self = shared_from_this()] { self->end_when_done(); });
}

void LineClient::write() {
    std::swap(writing_, outgoing_);
    asio::async_write(out_, asio::buffer(writing_),
                      [self = shared_from_this()](ErrorCode error, std::size_t) {
                          self->writing_.clear();
                          if (error) return self->finish();
                          if (!self->outgoing_.empty()) {
                              self->write();
                          } else if (self->ended_) {
                              self->end_when_done();
                          }
                          self->read();
                      });
}

void LineClient::close() {
    if (connection_) connection_.reset();
    end_when_done();
}

// Called after the client closed its side: waits a limited time for calls and output.
void LineClient::end_when_done() {
    if (finished_) return;
    bool busy = (connection_ && connection_->in_flight() > 0) || !writing_.empty() || !outgoing_.empty();
    if (!busy) return finish();
    if (std::exchange(ended_, true)) return;
    grace_.expires_after(options_.grace);
    grace_.async_wait([self = shared_from_this()](ErrorCode error) {
        if (!error) self->refuse_calls();
    });
}

// Answers open calls with an error, which is sent before the client is disconnected.
void LineClient::refuse_calls() {
    if (finished_) return;
    connection_.reset();
    grace_.expires_after(options_.grace);
    grace_.async_wait([self = shared_from_this()](ErrorCode error) {
        if (!error) self->finish();
    });
    end_when_done();
}

void LineClient::finish() {
    if (std::exchange(finished_, true)) return;
    ended_ = true;
    auto connection = std::move(connection_);
    connection.reset();
    grace_.cancel();
    ErrorCode ignored;
    in_.close(ignored);
    out_.close(ignored);
    // Runs from the loop: the callback may destroy everything.
    asio::post(server_.loop(), [closed = std::move(closed_)] {
        if (closed) closed();
    });
}

}  // namespace transport
