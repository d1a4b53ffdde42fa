#include "tests/fuzz/wire.h"

#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/http_answers.h"
#include "tests/fuzz/input.h"

namespace fuzz {
namespace {

using transport::HttpConnection;

constexpr int kPort = 8931;

transport::EndpointOptions endpoint_options() {
    transport::EndpointOptions options;
    options.access = {.host = "localhost", .port = kPort};
    options.lines = {.max_line = Wire::kMaxBody, .grace = std::chrono::milliseconds(0)};
    options.streamable.max_sessions = 3;
    return options;
}

// What stands behind the last `mark` in the text, up to the end of that word.
std::string word_after_last(std::string_view text, std::string_view mark) {
    std::size_t at = text.rfind(mark);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + mark.size());
    return std::string(text.substr(0, text.find_first_of("\r\n")));
}

}  // namespace

Wire::Wire() : endpoints_(std::make_unique<transport::Endpoints>(world_.server, endpoint_options())) {
    std::signal(SIGPIPE, SIG_IGN);  // as every main() of ours does
    transport::HttpLimits limits{.max_body = kMaxBody, .max_header = kMaxHeader, .max_queued = 1 << 20};
    shared_ = std::make_unique<transport::HttpShared>(transport::HttpShared{
        .loop = world_.loop,
        .limits = limits,
        .handler =
            [this](const std::shared_ptr<transport::HttpExchange>& exchange) {
                endpoints_->handle(exchange);
            },
        .lines = [this](int descriptor,
                        std::string first) { endpoints_->take_lines(descriptor, std::move(first)); },
        .log = world_.log,
        .requests = world_.metrics.counter("requests", ""),
        .refused = world_.metrics.counter("refused", ""),
        .timeouts = world_.metrics.counter("timeouts", ""),
    });
}

Wire::~Wire() {
    hang_up();
    endpoints_->close();
    settle();
    require(endpoints_->client_count() == 0, "closing ends every client");
}

void Wire::settle() {
    // Pausing and resuming goes through the socket's buffers, so reading makes more happen.
    for (bool more = true; more;) {
        world_.settle();
        more = false;
        for (Client& client : clients_) {
            char bytes[16 << 10];
            for (ssize_t count; (count = ::read(client.descriptor, bytes, sizeof bytes)) > 0; more = true) {
                client.received.append(bytes, static_cast<std::size_t>(count));
            }
        }
    }
}

void Wire::connect(Over over) {
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
            "there are sockets");
    clients_.push_back({.descriptor = ends[0], .over = over, .received = {}});
    HttpConnection::Socket socket(world_.loop, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
    auto connection = std::make_shared<HttpConnection>(*shared_, std::move(socket), over == Over::UnixSocket);
    shared_->connections.insert(connection);
    connection->start();
    settle();
}

void Wire::send(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t count = ::send(clients_.back().descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) break;  // the server hung up
        bytes.remove_prefix(static_cast<std::size_t>(count));
        settle();
    }
}

void Wire::pass(std::chrono::seconds span) {
    auto all = shared_->connections;
    for (const auto& connection : all) connection->tick(HttpConnection::Clock::now() + span);
    settle();
}

void Wire::hang_up() {
    for (const Client& client : clients_) ::close(client.descriptor);
    clients_.clear();
    settle();
    // A connection that is not read from, because too much waits in it already, looks up now and then.
    pass(std::chrono::seconds(0));
    require(shared_->connections.empty(), "no connection outlives its client");
}

void Wire::check_health() {
    connect(Over::Tcp);
    send("GET /healthz HTTP/1.1\r\nHost: localhost:8931\r\n\r\n");
    require(received().starts_with("HTTP/1.1 200 OK\r\n"), "the server still answers", received());
}

void Wire::check_answers() const {
    for (const Client& client : clients_) {
        bool lines = client.over == Over::UnixSocket && !client.received.starts_with("HTTP/");
        if (lines) {
            require(client.received.empty() || client.received.starts_with('{') ||
                        client.received.starts_with('['),
                    "a line is a message", client.received);
        } else {
            check_http_answers(client.received);
        }
    }
}

std::string Wire::session_id() const {
    std::string id;
    for (const Client& client : clients_) {
        if (auto found = word_after_last(client.received, "Mcp-Session-Id: "); !found.empty()) id = found;
        if (auto found = word_after_last(client.received, "?sessionId="); !found.empty()) id = found;
    }
    return id;
}

}  // namespace fuzz
