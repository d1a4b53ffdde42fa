// One client that stays: a pipe, a socket, or a legacy HTTP session.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mcp/server.h"

namespace mcp {

// Keeps what the handshake settled and what is under way. The transport owns it and drops it when the client
// goes; that cancels its calls. Speaks both eras: a request with an envelope is stateless even here.
class Connection {
public:
    Connection(Server& server, Peer& peer, tools::Caller caller);
    Connection(const Connection&) = delete;
    ~Connection();

    // Handles one received text: a message or, in 2025-03-26, a batch. Answers go to `outlet`.
    void receive_text(std::string_view text, const std::shared_ptr<Outlet>& outlet);
    void receive(json::value body, const std::shared_ptr<Outlet>& outlet);

    bool initialized() const { return handshake_done_; }
    const std::string& version() const { return client_->version; }
    const tools::Caller& caller() const { return client_->caller; }
    std::size_t in_flight() const { return in_flight_.size(); }

    // What is known of a client before it speaks: its working directory, from where on the ids of our own
    // requests are not in use yet, and its name.
    void introduce(const std::filesystem::path& directory, std::int64_t first_question,
                   std::string agent = {});

    // How the client will be gone when this ends; lost, unless somebody knows better.
    void set_departure(Departure how) { departure_ = how; }

    // Sends a request of our own and gives the client's answer.
    Task<json::value> ask(std::string method, json::object params, Outlet& outlet);

private:
    class BatchOutlet;

    void handle(Message message, const std::shared_ptr<Outlet>& outlet);
    void handle_request(Request request, const std::shared_ptr<Outlet>& outlet);
    void handle_notification(const Notification& notification);
    void handle_response(Response response);
    void handle_batch(json::array batch, const std::shared_ptr<Outlet>& outlet);
    // Methods that change this connection; nothing when the method is none of them.
    std::optional<Answer> answer_here(const Request& request);
    void start(std::shared_ptr<Exchange> exchange);
    // One that was not answered is taken back.
    void forget_question(std::int64_t id, bool is_ping);
    // From now on the client is told of changes.
    void listen();

    Server& server_;
    Peer& peer_;
    // Replaced, not changed: calls under way keep what they began with.
    std::shared_ptr<const ClientState> client_;
    bool handshake_done_ = false, began_ = false, ending_ = false;
    Departure departure_ = Departure::Lost;
    std::optional<Subscriptions::Listener> listener_;
    std::map<std::int64_t, Completion<Result<json::value>>> asked_;
    std::int64_t next_ask_ = 0;
    // Last, so first to go: calls under way still use what stands above.
    struct InFlight {
        std::shared_ptr<Exchange> exchange;
        Running running;
    };
    std::map<RequestId, InFlight> in_flight_;
};

}  // namespace mcp
