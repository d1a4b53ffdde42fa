#include "transport/http_connection.h"

#include <algorithm>
#include <cstdio>
#include <poll.h>

#include "util/peer_user.h"
#include "util/strings.h"

namespace transport {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string chunk(std::string piece) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    piece.insert(0, size);
    return piece += "\r\n";
}

bool sets(const Headers& headers, std::string_view name) {
    return std::ranges::any_of(headers,
                               [&](const auto& each) { return equals_ignoring_case(each.first, name); });
}

}  // namespace

std::string HttpShared::head(int status, const Headers& own, bool keep_alive) const {
    std::string text;
    text.reserve(512);
    text.append("HTTP/1.1 ")
        .append(std::to_string(status))
        .append(" ")
        .append(status_text(status))
        .append("\r\n");
    for (const auto& [name, value] : own) text.append(name).append(": ").append(value).append("\r\n");
    for (const auto& [name, value] : headers) {
        if (!sets(own, name)) text.append(name).append(": ").append(value).append("\r\n");
    }
    if (!keep_alive) text += "Connection: close\r\n";
    return text;
}

HttpConnection::HttpConnection(HttpShared& shared, Socket socket, bool local)
    : shared_(shared), socket_(std::move(socket)), local_(local) {}

void HttpConnection::start() {
    expect(shared_.limits.header_timeout);
    begin_request();
    read();
}

void HttpConnection::close() {
    if (closed_) return;
    closed_ = true;
    ErrorCode ignored;
    socket_.close(ignored);
    if (auto exchange = exchange_.lock()) exchange->cut_off();
    shared_.connections.erase(shared_from_this());
}

void HttpConnection::drain() {
    close_after_write_ = true;
    if (outgoing_.empty()) close();
}

// Whether the other side has closed, even behind bytes that nobody has read yet.
bool HttpConnection::has_hung_up() {
    pollfd state{socket_.native_handle(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void HttpConnection::tick(Clock::time_point now) {
    if (is_handling() && !reading_ && !upgraded_ && has_hung_up()) return close();
    if (now >= deadline_ || (writing_ && now >= write_deadline_)) {
        shared_.timeouts.add();
        close();
    } else if (!heartbeat_.empty() && outgoing_.empty() && now >= next_heartbeat_) {
        send(std::string(heartbeat_));
    }
}

void HttpConnection::send(std::string bytes) {
    if (closed_) return;
    queued_ += bytes.size();
    if (queued_ > shared_.limits.max_queued) {
        shared_.log.warn("dropped a client that does not read", {{"queued", queued_}});
        // Not from inside the handler that is writing.
        asio::post(shared_.loop, [self = shared_from_this()] { self->close(); });
        return;
    }
    outgoing_.push_back(std::move(bytes));
    next_heartbeat_ = Clock::now() + shared_.limits.heartbeat;
    if (!writing_) flush();
}

// The answer to the current request is complete.
void HttpConnection::answered(bool keep_alive) {
    heartbeat_.clear();
    exchange_.reset();
    if (!keep_alive) close_after_write_ = true;
    if (close_after_write_) {
        if (outgoing_.empty()) close();
        return;
    }
    expect(shared_.limits.idle_timeout);
    // From the loop: the handler that answered may still be on the stack.
    asio::post(shared_.loop, [self = shared_from_this()] {
        if (self->closed_ || self->close_after_write_ || self->is_handling()) return;
        self->begin_request();
        self->parse();
        self->read();
    });
}

void HttpConnection::upgrade(const Parser::value_type& request, std::string_view subprotocol,
                             WebSocketAccepted accepted) {
    // Beast reads the handshake itself, so it gets the request back as bytes, with what came behind it.
    std::string head = "GET " + std::string(request.target()) + " HTTP/1.1\r\n";
    for (const auto& field : request) {
        head.append(field.name_string()).append(": ").append(field.value()).append("\r\n");
    }
    head += "\r\n";
    upgraded_ = true;
    exchange_.reset();
    hand_over_ = [this, bytes = std::move(head), subprotocol = std::string(subprotocol),
                  accepted = std::move(accepted)]() mutable {
        bytes.append(static_cast<const char*>(buffer_.data().data()), buffer_.size());
        Socket socket = std::move(socket_);
        HttpShared& shared = shared_;
        close();
        accept_websocket_on(std::move(socket), std::move(bytes), std::move(subprotocol),
                            shared.limits.max_body, shared.count_upgraded(), std::move(accepted));
    };
    try_hand_over();
}

// Answers to earlier requests go out first, and no read of ours may take the WebSocket's bytes.
void HttpConnection::try_hand_over() {
    if (!hand_over_ || writing_ || !outgoing_.empty()) return;
    if (reading_) {
        ErrorCode ignored;
        socket_.cancel(ignored);
        return;
    }
    auto self = shared_from_this();
    std::exchange(hand_over_, nullptr)();
}

void HttpConnection::begin_request() {
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.max_header));
    parser_->body_limit(shared_.limits.max_body);
    header_seen_ = false;
    request_begun_ = false;
}

// Keeps one read under way, also while a request is handled: only so is it noticed that the client went.
void HttpConnection::read() {
    if (closed_ || reading_ || upgraded_) return;
    if (is_handling() && buffer_.size() >= shared_.limits.max_header) return;
    // The next request is here already and has its turn first.
    if (!parser_ && !is_handling() && !close_after_write_ && buffer_.size() > 0) return;
    reading_ = true;
    socket_.async_read_some(buffer_.prepare(16 << 10),
                            [self = shared_from_this()](ErrorCode error, std::size_t count) {
                                self->reading_ = false;
                                self->on_read(error, count);
                            });
}

void HttpConnection::on_read(ErrorCode error, std::size_t count) {
    if (closed_) return;
    if (hand_over_ && (!error || error == asio::error::operation_aborted)) {
        buffer_.commit(count);
        return try_hand_over();
    }
    if (error) {
        close();
        return;
    }
    buffer_.commit(count);
    if (close_after_write_) {
        buffer_.clear();
    } else if (!is_handling()) {
        if (!std::exchange(first_byte_seen_, true) && take_lines()) return;
        parse();
    }
    read();
}

// A Unix socket also speaks lines of JSON: the first byte tells.
bool HttpConnection::take_lines() {
    const char* first = static_cast<const char*>(buffer_.data().data());
    if (!local_ || !shared_.lines || (*first != '{' && *first != '[')) return false;
    std::string bytes(first, buffer_.size());
    ErrorCode error;
    int descriptor = socket_.release(error);
    close();
    if (!error) shared_.lines(descriptor, std::move(bytes));
    return true;
}

void HttpConnection::parse() {
    // Between an answer and the next request's parser, bytes only wait.
    if (!parser_ || buffer_.size() == 0 || is_handling()) return;
    // From its first byte, however slowly the others come.
    if (!std::exchange(request_begun_, true)) expect(shared_.limits.header_timeout);
    while (!parser_->is_done() && buffer_.size() > 0) {
        ErrorCode error;
        std::size_t used = parser_->put(buffer_.data(), error);
        buffer_.consume(used);
        if (error && error != http::error::need_more) return refuse(error);
        if (used == 0) break;
    }
    // Headers have their own limit; the lines of a chunked body and its trailers have this one.
    if (!parser_->is_done() && parser_->is_header_done() && buffer_.size() >= shared_.limits.max_header) {
        return refuse(http::error::header_limit);
    }
    if (parser_->is_header_done() && !std::exchange(header_seen_, true)) on_header();
    if (!close_after_write_ && parser_->is_done()) dispatch();
}

void HttpConnection::on_header() {
    const auto& request = parser_->get();
    if (request.count(http::field::host) > 1) return refuse_with(400, "More than one Host header.");
    if (request.count(http::field::transfer_encoding) > 1)
        return refuse_with(400, "More than one Transfer-Encoding header.");
    // A body in an encoding that we do not know ends where somebody else says: RFC 9112, section 6.1.
    if (auto encoding = request.find(http::field::transfer_encoding); encoding != request.end()) {
        if (request.version() < 11) return refuse_with(400, "HTTP/1.0 has no Transfer-Encoding.");
        if (!equals_ignoring_case(trim(encoding->value()), "chunked"))
            return refuse_with(501, "The only Transfer-Encoding that is understood is chunked.");
    }
    if (parser_->is_done()) return;
    expect(shared_.limits.body_timeout);
    if (equals_ignoring_case(std::string_view(request[http::field::expect]), "100-continue")) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
    }
}

void HttpConnection::dispatch() {
    shared_.requests.add();
    deadline_ = Clock::time_point::max();
    bool same_user = local_ && is_same_user(socket_.native_handle());
    auto exchange = std::make_shared<ConnectionExchange>(this, parser_->release(), local_, same_user);
    parser_.reset();
    exchange_ = exchange;
    shared_.handler(std::move(exchange));
}

void HttpConnection::refuse(ErrorCode error) {
    if (error == http::error::body_limit) {
        refuse_with(413, "The body is larger than " + std::to_string(shared_.limits.max_body) + " bytes.");
    } else if (error == http::error::header_limit) {
        refuse_with(431,
                    "The headers are larger than " + std::to_string(shared_.limits.max_header) + " bytes.");
    } else {
        refuse_with(400, "Malformed HTTP request: " + error.message() + ".");
    }
}

void HttpConnection::refuse_with(int status, std::string message) {
    shared_.refused.add();
    message += '\n';
    Headers headers{{"Content-Type", "text/plain; charset=utf-8"},
                    {"Content-Length", std::to_string(message.size())}};
    expect(shared_.limits.write_timeout);
    close_after_write_ = true;
    lingering_ = true;
    send(head(status, headers, false) + "\r\n" + message);
}

void HttpConnection::flush() {
    writing_ = true;
    write_deadline_ = Clock::now() + shared_.limits.write_timeout;
    std::array<asio::const_buffer, 8> buffers;
    for (std::size_t i = 0; i < outgoing_.size() && i < buffers.size(); ++i) {
        std::size_t skip = i == 0 ? written_of_first_ : 0;
        buffers[i] = asio::const_buffer(outgoing_[i].data() + skip, outgoing_[i].size() - skip);
    }
    socket_.async_write_some(buffers, [self = shared_from_this()](ErrorCode error, std::size_t count) {
        self->on_written(error, count);
    });
}

void HttpConnection::on_written(ErrorCode error, std::size_t count) {
    writing_ = false;
    if (closed_) return;
    if (error) {
        close();
        return;
    }
    queued_ -= count;
    count += std::exchange(written_of_first_, 0);
    while (!outgoing_.empty() && count >= outgoing_.front().size()) {
        count -= outgoing_.front().size();
        outgoing_.pop_front();
    }
    written_of_first_ = count;
    if (!outgoing_.empty()) {
        flush();
    } else if (hand_over_) {
        try_hand_over();
    } else if (lingering_) {
        // Closing on a client that still sends would take our answer from it: let it finish, not for long.
        ErrorCode ignored;
        socket_.shutdown(Socket::shutdown_send, ignored);
        expect(shared_.limits.linger);
    } else if (close_after_write_) {
        close();
    }
}

ConnectionExchange::ConnectionExchange(HttpConnection* connection, HttpConnection::Parser::value_type request,
                                       bool local, bool same_user)
    : connection_(connection), request_(std::move(request)), local_(local), same_user_(same_user) {
    std::string_view target = request_.target();
    std::size_t mark = target.find('?');
    path_ = target.substr(0, mark);
    if (mark != std::string_view::npos) query_ = target.substr(mark + 1);
}

ConnectionExchange::~ConnectionExchange() {
    if (streaming_) {
        end();
    } else if (HttpConnection* connection = finish()) {
        // No answer is the honest one: the client sees that its request failed, and may try again.
        connection->close();
    }
}

std::optional<std::string_view> ConnectionExchange::header(std::string_view name) const {
    auto it = request_.find(name);
    if (it == request_.end()) return std::nullopt;
    return std::string_view(it->value());
}

bool ConnectionExchange::wants_upgrade() const {
    auto upgrade = header("Upgrade");
    return upgrade && equals_ignoring_case(trim(*upgrade), "websocket");
}

void ConnectionExchange::cut_off() {
    connection_ = nullptr;
    if (auto gone = std::exchange(gone_, nullptr)) gone();
}

HttpConnection* ConnectionExchange::finish() {
    gone_ = nullptr;
    return std::exchange(connection_, nullptr);
}

void ConnectionExchange::respond(int status, const Headers& headers, std::string body) {
    if (!connection_ || streaming_) return;
    std::string head = connection_->head(status, headers, request_.keep_alive());
    head.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
    if (request_.method() == http::verb::head) body.clear();
    HttpConnection* connection = finish();
    // A short answer goes out in one piece, a long one is not copied.
    constexpr std::size_t kShort = 16 << 10;
    if (body.size() < kShort) {
        connection->send(std::move(head.append(body)));
    } else {
        connection->send(std::move(head));
        connection->send(std::move(body));
    }
    connection->answered(request_.keep_alive());
}

void ConnectionExchange::begin_stream(int status, const Headers& headers, std::string heartbeat) {
    if (!connection_ || streaming_) return;
    streaming_ = true;
    chunked_ = request_.version() >= 11;
    std::string head = connection_->head(status, headers, chunked_ && request_.keep_alive());
    if (chunked_) head += "Transfer-Encoding: chunked\r\n";
    connection_->send(head + "\r\n");
    if (!heartbeat.empty())
        connection_->set_heartbeat(chunked_ ? chunk(std::move(heartbeat)) : std::move(heartbeat));
}

void ConnectionExchange::write(std::string piece) {
    if (!connection_ || !streaming_ || piece.empty()) return;
    connection_->send(chunked_ ? chunk(std::move(piece)) : std::move(piece));
}

void ConnectionExchange::end() {
    if (!connection_ || !streaming_) return;
    HttpConnection* connection = finish();
    if (chunked_) connection->send("0\r\n\r\n");
    connection->answered(chunked_ && request_.keep_alive());
}

void ConnectionExchange::accept_websocket(std::string_view subprotocol, WebSocketAccepted accepted) {
    if (!connection_ || streaming_) return;
    finish()->upgrade(request_, subprotocol, std::move(accepted));
}

}  // namespace transport
