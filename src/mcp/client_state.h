// State that a ClientConnection shares with its open requests, which may outlive it briefly.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "mcp/client.h"

namespace mcp {

struct ClientConnection::State : std::enable_shared_from_this<State> {
    State(Loop& loop_given, ClientTransport& transport_given, Log& log_given)
        : loop(loop_given), transport(&transport_given), log(log_given) {}

    void start();
    // Sends a request and returns its answer. Dropping the Task cancels the request.
    static Task<RawResult> exchange(std::shared_ptr<State> self, std::string method, json::object params,
                                    ProgressHandler on_progress = {});
    void notify(std::string_view method, json::object params);
    // Ends every open request with `reason`.
    void finish(const Error& reason);

    Loop& loop;
    ClientTransport* transport;  // null once closed
    Log& log;
    std::optional<Error> closed_because;
    std::unordered_map<std::string, NotificationHandler> notification_handlers;
    std::unordered_map<std::string, RequestHandler> request_handlers;
    std::function<void(const Error&)> close_handler;
    std::size_t malformed = 0;

private:
    struct Pending {
        std::string method;
        ProgressHandler on_progress;
        Completion<Result<RawResult>> answer;
    };
    class Abandoner;

    void receive(std::string text);
    void take(Request request);
    void take(const Notification& notification);
    void take(Response response, std::string text);
    void take(const BadMessage& bad, bool has_method, std::string_view text);
    void complete(std::int64_t id, Result<RawResult> answer);
    void abandon(std::int64_t id);
    void respond(const RequestId& id, Result<json::value> outcome);
    void note_malformed(std::string_view reason, std::string_view text);
    void send(std::string message, std::optional<std::int64_t> request = std::nullopt);

    std::map<std::int64_t, Pending> pending_;
    std::int64_t next_id_ = 1;
    std::map<RequestId, Running> serving_;  // the server's requests that we are answering
};

}  // namespace mcp
