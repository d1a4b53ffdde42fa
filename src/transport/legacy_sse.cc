#include "transport/event_stream.h"
#include "transport/streams.h"
#include "util/crypto.h"

namespace transport {

// One open stream. The connection ends with it.
class LegacySse::Client final : public mcp::Peer,
                                public mcp::ResponseSink,
                                public std::enable_shared_from_this<Client> {
public:
    Client(mcp::Server& server, std::shared_ptr<HttpExchange> stream, tools::Caller caller)
        : stream_(std::move(stream)),
          connection_(std::make_unique<mcp::Connection>(server, *this, std::move(caller))) {}

    void send(std::string message) override { stream_->write(format_event("message", {}, message)); }
    void notify(std::string message) override { send(std::move(message)); }
    void respond(std::string message, int) override { send(std::move(message)); }

    void receive(std::string_view text, const std::vector<std::string>& scopes) {
        connection_->set_scopes(scopes);
        connection_->receive_text(text, shared_from_this());
    }
    const std::string& principal() const { return connection_->caller().principal; }
    void close() {
        // Calls in progress hold this client as their sink, so they are dropped first.
        auto connection = std::move(connection_);
        connection.reset();
        stream_->end();
    }

private:
    std::shared_ptr<HttpExchange> stream_;
    std::unique_ptr<mcp::Connection> connection_;
};

LegacySse::LegacySse(mcp::Server& server) : server_(server) {
    server.metrics().gauge("troupe_sse_clients", "Open legacy HTTP+SSE streams.",
                           [this] { return static_cast<double>(clients_.size()); });
}

LegacySse::~LegacySse() { close(); }

void LegacySse::open(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller) {
    std::string id = random_uuid();
    caller.connection = id;
    exchange->begin_stream(200, event_stream_headers(), std::string(kHeartbeat));
    exchange->write(format_event("endpoint", {}, "/messages?sessionId=" + id));
    clients_.emplace(id, std::make_shared<Client>(server_, exchange, std::move(caller)));
    server_.log().channel("pw:mcp:test", "create SSE session");
    exchange->on_gone([this, id] {
        auto it = clients_.find(id);
        if (it == clients_.end()) return;
        auto client = it->second;
        clients_.erase(it);
        server_.log().channel("pw:mcp:test", "delete SSE session");
        client->close();
    });
}

void LegacySse::post(const std::shared_ptr<HttpExchange>& exchange, const tools::Caller& caller) {
    auto it = clients_.find(query_parameter(exchange->query(), "sessionId").value_or(""));
    if (it == clients_.end() || it->second->principal() != caller.principal) {
        exchange->respond(404, {{"Content-Type", "text/plain; charset=utf-8"}},
                          "Session not found. Open GET /sse first.\n");
        return;
    }
    auto client = it->second;
    exchange->respond(202, {{"Content-Type", "text/plain; charset=utf-8"}}, "Accepted");
    client->receive(exchange->body(), caller.scopes);
}

void LegacySse::close() {
    for (const auto& [id, client] : std::exchange(clients_, {})) client->close();
}

}  // namespace transport
