#include <algorithm>

#include "transport/streams.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace transport {
namespace {

// Longer than any expiry matters, and short enough for every clock.
constexpr std::chrono::hours kMaxWait{24 * 365};

}  // namespace

class WebSocketClients::Client final : public mcp::Peer,
                                       public mcp::ResponseSink,
                                       public std::enable_shared_from_this<Client> {
public:
    Client(mcp::Server& server, std::shared_ptr<WebSocket> socket, tools::Caller caller)
        : expiry_(server.loop()),
          socket_(std::move(socket)),
          connection_(std::make_unique<mcp::Connection>(server, *this, std::move(caller))) {}

    void send(std::string message) override { socket_->send(std::move(message)); }
    void notify(std::string message) override { send(std::move(message)); }
    void respond(std::string message, int) override { send(std::move(message)); }

    void start(std::function<void()> closed) {
        socket_->start(
            [weak = weak_from_this()](std::string text) {
                auto self = weak.lock();
                if (self && self->connection_) self->connection_->receive_text(text, self);
            },
            std::move(closed));
    }
    void close_at(std::chrono::system_clock::time_point expires) {
        if (expires == std::chrono::system_clock::time_point::max()) return;
        auto left = expires - std::chrono::system_clock::now();
        expiry_.expires_after(std::min<std::chrono::system_clock::duration>(left, kMaxWait));
        expiry_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
            auto self = weak.lock();
            if (error || !self) return;
            self->drop_calls();
            self->socket_->close(1008, "the access token has expired");
        });
    }
    // Drops the calls, which hold this client as their sink.
    void drop_calls() {
        auto connection = std::move(connection_);
        connection.reset();
    }
    void close() {
        drop_calls();
        socket_->close(1001, "server is ending");
    }

private:
    boost::asio::steady_timer expiry_;
    std::shared_ptr<WebSocket> socket_;
    std::unique_ptr<mcp::Connection> connection_;
};

WebSocketClients::WebSocketClients(mcp::Server& server) : server_(server) {
    server.metrics().gauge("troupe_websocket_clients", "Open WebSockets.",
                           [this] { return static_cast<double>(clients_.size()); });
}

WebSocketClients::~WebSocketClients() { close(); }

void WebSocketClients::open(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller,
                            std::chrono::system_clock::time_point expires) {
    std::string_view offered = exchange->header("Sec-WebSocket-Protocol").value_or("");
    bool offers_mcp = false;
    for (const std::string& each : split(offered, ',')) offers_mcp = offers_mcp || trim(each) == "mcp";
    // A client that offers only other subprotocols wants another server, and would close the socket.
    if (!exchange->wants_upgrade() || (!offers_mcp && !trim(offered).empty())) {
        exchange->respond(
            400, {{"Content-Type", "text/plain; charset=utf-8"}},
            "This address is a WebSocket: connect with the subprotocol \"mcp\", or with none.\n");
        return;
    }
    caller.connection = random_uuid();
    std::string_view subprotocol = offers_mcp ? "mcp" : "";
    exchange->accept_websocket(
        subprotocol, [this, caller = std::move(caller), expires](std::shared_ptr<WebSocket> socket) {
            if (!socket) return;
            auto place =
                clients_.insert(clients_.end(), std::make_shared<Client>(server_, std::move(socket), caller));
            (*place)->close_at(expires);
            (*place)->start([this, place, alive = std::weak_ptr(alive_)] {
                if (alive.expired()) return;
                auto client = std::move(*place);
                clients_.erase(place);
                client->drop_calls();
            });
        });
}

void WebSocketClients::close() {
    // Each client removes itself when its socket has closed.
    auto all = clients_;
    for (const auto& client : all) client->close();
}

}  // namespace transport
