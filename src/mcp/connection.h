// One client with a lasting connection: a pipe, a socket, or a legacy HTTP session.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/server.h"

namespace mcp {

// Keeps the handshake's results and the open requests. The transport owns it and drops it when the client
// leaves; that cancels its calls. Speaks both eras: a request with an envelope is stateless even here.
class Connection {
public:
    Connection(Server& server, Peer& peer, tools::Caller caller);
    Connection(const Connection&) = delete;
    ~Connection();

    // Handles one received text: a message or, in 2025-03-26, a batch. Answers go to `sink`.
    void receive_text(std::string_view text, const std::shared_ptr<ResponseSink>& sink);
    void receive(json::value body, const std::shared_ptr<ResponseSink>& sink);

    bool initialized() const { return handshake_done_; }
    const std::string& version() const { return client_->version; }
    const tools::Caller& caller() const { return client_->caller; }
    std::size_t in_flight() const { return in_flight_.size(); }

    // The facts known about a client before its first message. `first_question` below is the first id that
    // our own requests may use.
    struct Introduced {
        std::string directory = {};
        std::string agent = {};  // empty: the client's own name
        bool lost_session = false;
    };
    void introduce(Introduced client, std::int64_t first_question);

    // Sets the scopes of the token that the next messages come with.
    void set_scopes(const std::vector<std::string>& scopes);

    // Sets the departure to report when this connection ends; Lost by default.
    void set_departure(Departure how) { departure_ = how; }

    // Sends a request of our own and returns the client's answer.
    Task<json::value> ask(std::string method, json::object params, ResponseSink& sink);

private:
    class BatchSink;

    void handle(Message message, const std::shared_ptr<ResponseSink>& sink);
    void handle_request(Request request, const std::shared_ptr<ResponseSink>& sink);
    void handle_notification(const Notification& notification);
    void handle_response(Response response);
    void handle_batch(json::array batch, const std::shared_ptr<ResponseSink>& sink);
    // Handles the methods that change this connection; returns nothing for any other method.
    std::optional<Answer> answer_here(const Request& request);
    void start(std::shared_ptr<RequestContext> context);
    // Forgets a question of ours, and withdraws it from the client if it was not answered.
    void forget_question(std::int64_t id, bool is_ping);
    // Starts notifying the client of changes.
    void listen();

    Server& server_;
    Peer& peer_;
    // Replaced, not changed: calls in progress keep the state they began with.
    std::shared_ptr<const ClientState> client_;
    bool handshake_done_ = false, began_ = false, ending_ = false;
    Departure departure_ = Departure::Lost;
    std::optional<Subscriptions::Listener> listener_;
    std::map<std::int64_t, Completion<Result<json::value>>> asked_;
    std::int64_t next_ask_ = 0;
    // Last, so destroyed first: calls in progress still use the members above.
    struct InFlight {
        std::shared_ptr<RequestContext> context;
        Running running;
    };
    std::map<RequestId, InFlight> in_flight_;
};

}  // namespace mcp
