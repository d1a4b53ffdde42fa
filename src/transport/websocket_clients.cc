#include "transport/streams.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace transport {

class WebSocketClients::Client final : public mcp::Peer,
                                       public mcp::Outlet,
                                       public std::enable_shared_from_this<Client> {
public:
    Client(mcp::Server& server, std::shared_ptr<WebSocket> socket, tools::Caller caller)
        : socket_(std::move(socket)),
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
    // Drops the calls, which hold this client as their outlet.
    void drop_calls() {
        auto connection = std::move(connection_);
        connection.reset();
    }
    void close() {
        drop_calls();
        socket_->close(1001, "server is ending");
    }

private:
    std::shared_ptr<WebSocket> socket_;
    std::unique_ptr<mcp::Connection> connection_;
};

WebSocketClients::WebSocketClients(mcp::Server& server) : server_(server) {
    server.metrics().gauge("troupe_websocket_clients", "Open WebSockets.",
                           [this] { return static_cast<double>(clients_.size()); });
}

WebSocketClients::~WebSocketClients() { close(); }

void WebSocketClients::open(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller) {
    bool offers_mcp = false;
    for (const std::string& each : split(exchange->header("Sec-WebSocket-Protocol").value_or(""), ',')) {
        offers_mcp = offers_mcp || trim(each) == "mcp";
    }
    if (!exchange->wants_upgrade() || !offers_mcp) {
        exchange->respond(400, {{"Content-Type", "text/plain; charset=utf-8"}},
                          "This address is a WebSocket: connect with the subprotocol \"mcp\".\n");
        return;
    }
    caller.connection = random_uuid();
    exchange->accept_websocket("mcp", [this, caller = std::move(caller)](std::shared_ptr<WebSocket> socket) {
        if (!socket) return;
        auto place =
            clients_.insert(clients_.end(), std::make_shared<Client>(server_, std::move(socket), caller));
        (*place)->start([this, place, alive = std::weak_ptr(alive_)] {
            if (alive.expired()) return;
            auto client = std::move(*place);
            clients_.erase(place);
            client->drop_calls();
        });
    });
}

void WebSocketClients::close() {
    // Each removes itself when its socket has said goodbye.
    auto all = clients_;
    for (const auto& client : all) client->close();
}

}  // namespace transport
