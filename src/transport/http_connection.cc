#include "transport/http_connection.h"

#include <algorithm>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

#include "util/peer_process.h"
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
    // Checked before reading: a process that exits before its request is read can no longer be identified.
    from_own_process_ = !local_ && is_peer_below(socket_.native_handle(), ::getpid());
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
    if (auto exchange = exchange_.lock(); exchange && exchange->has_expired(now)) return close();
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

// Called when the answer to the current request is complete.
void HttpConnection::answered(bool keep_alive) {
    heartbeat_.clear();
    exchange_.reset();
    if (!keep_alive) close_after_write_ = true;
    if (close_after_write_) {
        if (outgoing_.empty()) close();
        return;
    }
    expect(shared_.limits.idle_timeout);
    // Runs from the loop: the handler that answered may still be on the stack.
    asio::post(shared_.loop, [self = shared_from_this()] {
        if (self->closed_ || self->close_after_write_ || self->is_handling()) return;
        self->begin_request();
        self->parse();
        self->read();
    });
}

void HttpConnection::upgrade(const Parser::value_type& request, std::string_view subprotocol,
                             WebSocketAccepted accepted) {
    // Beast reads the handshake itself, so it gets the request back as bytes, with the bytes after it.
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
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.max_header));
    parser_->body_limit(shared_.limits.max_body);
    header_seen_ = false;
    request_begun_ = false;
    head_read_ = 0;
    head_fields_.reset();
}

// Keeps one read in progress, also while a request is handled, to notice when the client disconnects.
void HttpConnection::read() {
    if (closed_ || reading_ || upgraded_) return;
    if (is_handling() && buffer_.size() >= shared_.limits.max_header) return;
    // The next request is already buffered and is handled first.
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

// A Unix socket also accepts lines of JSON; the first byte tells which it is.
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
    // The time limit starts with the first byte, however slowly the others come.
    if (!std::exchange(request_begun_, true)) expect(shared_.limits.header_timeout);
    while (!parser_->is_done() && buffer_.size() > 0) {
        if (is_short_of_end()) break;
        if (head_length() > shared_.limits.max_header) return refuse(http::error::header_limit);
        ErrorCode error;
        std::size_t body_read = parser_->get().body().size();
        std::size_t used = parser_->put(buffer_.data(), error);
        buffer_.consume(used);
        if (!parser_->is_header_done()) head_read_ += used;
        if (error && error != http::error::need_more) return refuse(error);
        bool reads_chunk_line =
            header_seen_ && parser_->chunked() && parser_->get().body().size() == body_read;
        if (reads_chunk_line && used > shared_.limits.max_header) return refuse(http::error::header_limit);
        if (parser_->is_header_done() && !std::exchange(header_seen_, true)) {
            on_header();
            if (close_after_write_) return;
            // The lines of a chunked body are read one at a time, so that each one's length is known.
            parser_->eager(!parser_->chunked());
        }
        if (used == 0) break;
    }
    // Headers have their own limit; this one is for the lines of a chunked body and its trailers, whether
    // they arrive in one piece or in several.
    if (!parser_->is_done() && parser_->is_header_done() && buffer_.size() > shared_.limits.max_header) {
        return refuse(http::error::header_limit);
    }
    if (parser_->is_done()) dispatch();
}

// The end of a chunked body, "0\r\n\r\n", must be read as a whole: Beast's parser fails an assertion on less.
bool HttpConnection::is_short_of_end() const {
    if (!parser_->is_header_done() || !parser_->chunked() || buffer_.size() >= 5) return false;
    return *static_cast<const char*>(buffer_.data().data()) == '0';
}

// The bytes of the head so far. The parser's own limit applies to the first line and the other lines each, or
// to all of them together, depending on how they arrive.
std::size_t HttpConnection::head_length() const {
    if (parser_->is_header_done()) return 0;
    std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (head_read_ > 0 && bytes.starts_with("\r\n")) return head_read_ + 2;
    std::size_t end = bytes.find("\r\n\r\n");
    return head_read_ + (end == std::string_view::npos ? bytes.size() : end + 4);
}

void HttpConnection::on_header() {
    const auto& request = parser_->get();
    if (request.count(http::field::host) > 1) return refuse_with(400, "More than one Host header.");
    // Repeated lengths that are all the same are parsed differently by different servers.
    std::string_view length = request[http::field::content_length];
    if (request.count(http::field::content_length) > 1 ||
        length.find_first_not_of("0123456789") != std::string_view::npos)
        return refuse_with(400, "More than one Content-Length.");
    if (request.count(http::field::transfer_encoding) > 1)
        return refuse_with(400, "More than one Transfer-Encoding header.");
    // The end of a body in an unknown encoding is decided by another party: RFC 9112, section 6.1.
    if (auto encoding = request.find(http::field::transfer_encoding); encoding != request.end()) {
        if (request.version() < 11) return refuse_with(400, "HTTP/1.0 has no Transfer-Encoding.");
        if (!equals_ignoring_case(trim(encoding->value()), "chunked"))
            return refuse_with(501, "The only Transfer-Encoding that is understood is chunked.");
    }
    if (parser_->is_done()) return;
    if (parser_->chunked()) head_fields_ = request.base();
    expect(shared_.limits.body_timeout);
    if (equals_ignoring_case(std::string_view(request[http::field::expect]), "100-continue")) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
    }
}

void HttpConnection::dispatch() {
    shared_.requests.add();
    deadline_ = Clock::time_point::max();
    int socket = socket_.native_handle();
    Sender sender{
        .local = local_, .same_user = local_ && is_same_user(socket), .own_process = from_own_process_};
    auto request = parser_->release();
    // The parser adds the unchecked trailers of a chunked body to the headers: restore the checked headers.
    if (auto head = std::exchange(head_fields_, std::nullopt))
        static_cast<http::fields&>(request) = std::move(*head);
    auto exchange = std::make_shared<ConnectionExchange>(this, std::move(request), sender);
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
        // Closing on a client that still sends could discard our answer: give it a short time to finish.
        ErrorCode ignored;
        socket_.shutdown(Socket::shutdown_send, ignored);
        expect(shared_.limits.linger);
    } else if (close_after_write_) {
        close();
    }
}

ConnectionExchange::ConnectionExchange(HttpConnection* connection, HttpConnection::Parser::value_type request,
                                       Sender sender)
    : connection_(connection), request_(std::move(request)), sender_(sender) {
    read_target();
}

// "/path?query", or "http://host/path?query": then that host applies, not the header (RFC 9112, section
// 3.2.2).
void ConnectionExchange::read_target() {
    std::string_view target = request_.target();
    std::size_t scheme_end = target.find("://");
    std::string_view scheme = scheme_end == target.npos ? std::string_view() : target.substr(0, scheme_end);
    if (equals_ignoring_case(scheme, "http") || equals_ignoring_case(scheme, "https")) {
        std::string_view rest = target.substr(scheme_end + 3);
        std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
        request_.set(http::field::host, rest.substr(0, path));
        target = rest.substr(path);
        if (!target.starts_with('/')) {
            path_ = "/";
            if (!target.empty()) query_ = target.substr(1);
            return;
        }
    }
    std::size_t mark = target.find('?');
    path_ = target.substr(0, mark);
    if (mark != std::string_view::npos) query_ = target.substr(mark + 1);
}

ConnectionExchange::~ConnectionExchange() {
    if (streaming_) {
        end();
    } else if (HttpConnection* connection = finish()) {
        // Sends no answer: the client sees that its request failed, and may try again.
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

void ConnectionExchange::expire_at(std::chrono::system_clock::time_point when) {
    using std::chrono::system_clock;
    constexpr std::chrono::hours kMaxWait(24 * 365);
    if (when == system_clock::time_point::max()) return;
    expires_ =
        HttpConnection::Clock::now() + std::min<system_clock::duration>(when - system_clock::now(), kMaxWait);
}

void ConnectionExchange::cut_off() {
    connection_ = nullptr;
    if (auto gone = std::exchange(gone_, nullptr)) gone();
}

HttpConnection* ConnectionExchange::finish() {
    gone_ = nullptr;
    return std::exchange(connection_, nullptr);
}

void ConnectionExchange::add_headers(Headers more) {
    for (auto& header : more) added_.push_back(std::move(header));
}

std::string ConnectionExchange::head(int status, Headers headers, bool keep_alive) const {
    headers.insert(headers.end(), added_.begin(), added_.end());
    return connection_->head(status, headers, keep_alive);
}

void ConnectionExchange::respond(int status, const Headers& headers, std::string body) {
    if (!connection_ || streaming_) return;
    std::string head = this->head(status, headers, request_.keep_alive());
    if (status != 204) head.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    head += "\r\n";
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
    std::string head = this->head(status, headers, chunked_ && request_.keep_alive());
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
