#include "mcp/client_state.h"

#include "mcp/client_text.h"

namespace mcp {
namespace {

constexpr std::size_t kMalformedWarnings = 5;
constexpr std::size_t kShownBytes = 200;

Error error_of_answer(const RpcError& answered, std::string_view text) {
    Error error{.message = answered.message, .details = std::string(member_text(text, "error"))};
    if (answered.code == kInvalidParams) error.code = ErrorCode::InvalidArgument;
    if (answered.code == kMethodNotFound || answered.code == kResourceNotFound)
        error.code = ErrorCode::NotFound;
    return error;
}

RpcError answer_for(const Error& error) {
    // An error of another server is passed on unchanged.
    if (auto answered = rpc_error_of(error)) return std::move(*answered);
    return {.code = error.code == ErrorCode::InvalidArgument ? kInvalidParams : kInternalError,
            .message = error.to_string()};
}

RawResult raw_result(json::value value, std::string message) {
    std::string_view text = member_text(message, "result");
    if (text.empty()) {  // a key with escapes
        message = json::serialize(value);
        text = message;
    }
    auto begin = static_cast<std::size_t>(text.data() - message.data());
    std::size_t size = text.size();
    return {.value = std::move(value), .message = std::move(message), .begin = begin, .size = size};
}

}  // namespace

// Lives in the frame of a request.
class ClientConnection::State::Abandoner {
public:
    Abandoner(std::shared_ptr<State> state, std::int64_t id) : state_(std::move(state)), id_(id) {}
    Abandoner(const Abandoner&) = delete;
    Abandoner& operator=(const Abandoner&) = delete;
    ~Abandoner() { state_->abandon(id_); }

private:
    std::shared_ptr<State> state_;
    std::int64_t id_;
};

void ClientConnection::State::start() {
    std::weak_ptr<State> weak = weak_from_this();
    transport->start({
        .on_message =
            [weak](std::string message) {
                if (auto self = weak.lock()) self->receive(std::move(message));
            },
        .on_request_failed =
            [weak](std::int64_t id, Error reason) {
                if (auto self = weak.lock()) self->complete(id, std::move(reason));
            },
        .on_close =
            [weak](const Error& reason) {
                auto self = weak.lock();
                if (!self || !self->transport) return;
                self->log.debug("An MCP server is gone.", {{"reason", reason.to_string()}});
                self->finish(reason);
                if (auto handler = self->close_handler) handler(reason);
            },
    });
}

Task<RawResult> ClientConnection::State::exchange(std::shared_ptr<State> self, std::string method,
                                                  json::object params, ProgressHandler on_progress) {
    if (self->closed_because) co_return *self->closed_because;
    std::int64_t id = self->next_id_++;
    if (on_progress) {
        json::value& meta = params["_meta"];
        if (!meta.is_object()) meta = json::object{};
        meta.get_object()["progressToken"] = id;
    }
    std::string text = params.empty() ? "" : json::serialize(std::move(params));
    Completion<Result<RawResult>> answer(self->loop);
    self->pending_.insert_or_assign(id, Pending{method, std::move(on_progress), answer});
    Abandoner abandoner(self, id);
    self->send(make_request(RequestId(id), method, text), id);
    co_return co_await answer;
}

void ClientConnection::State::notify(std::string_view method, json::object params) {
    send(make_notification(method, params.empty() ? "" : json::serialize(std::move(params))));
}

void ClientConnection::State::send(std::string message, std::optional<std::int64_t> request) {
    if (transport) transport->send(std::move(message), request);
}

void ClientConnection::State::finish(const Error& reason) {
    if (!transport) return;
    transport = nullptr;
    closed_because = reason;
    serving_.clear();
    for (auto& [id, request] : std::exchange(pending_, {})) request.answer.set(reason);
}

void ClientConnection::State::complete(std::int64_t id, Result<RawResult> answer) {
    auto request = pending_.extract(id);
    if (request.empty()) {
        log.debug("An answer came to no open request.", {{"id", id}});
        return;
    }
    if (transport) transport->release(id);
    request.mapped().answer.set(std::move(answer));
}

void ClientConnection::State::abandon(std::int64_t id) {
    auto request = pending_.extract(id);
    if (request.empty() || !transport) return;
    // The protocol does not allow cancelling initialize.
    if (request.mapped().method != "initialize")
        notify("notifications/cancelled", {{"requestId", id}, {"reason", "The caller gave up."}});
    if (transport) transport->release(id);
}

void ClientConnection::State::receive(std::string text) {
    auto self = shared_from_this();
    if (!transport) return;
    Result<json::value> parsed = json::parse(text);
    if (!parsed) return note_malformed(parsed.error().message, text);
    if (parsed->is_array()) {
        for (std::string_view element : element_texts(text)) {
            if (element.starts_with('[')) {
                note_malformed("a batch inside a batch", element);
            } else {
                receive(std::string(element));
            }
        }
        return;
    }
    bool has_method = json::find(*parsed, "method") != nullptr;
    auto outcome = parse_message(std::move(*parsed));
    if (auto* bad = std::get_if<BadMessage>(&outcome)) return take(*bad, has_method, text);
    auto& message = std::get<Message>(outcome);
    if (auto* request = std::get_if<Request>(&message)) return take(std::move(*request));
    if (auto* notification = std::get_if<Notification>(&message)) return take(*notification);
    take(std::move(std::get<Response>(message)), std::move(text));
}

void ClientConnection::State::take(Response response, std::string text) {
    const auto* id = std::get_if<std::int64_t>(&response.id);
    if (!id) {
        log.debug("An answer came to no open request.", {{"id", std::get<std::string>(response.id)}});
    } else if (auto* error = std::get_if<RpcError>(&response.outcome)) {
        complete(*id, error_of_answer(*error, text));
    } else {
        complete(*id, raw_result(std::move(std::get<json::value>(response.outcome)), std::move(text)));
    }
}

void ClientConnection::State::take(const BadMessage& bad, bool has_method, std::string_view text) {
    note_malformed(bad.error.message, text);
    if (!bad.id) return;
    if (has_method) return send(make_error(bad.id, bad.error));
    // The message answers this request, which must not wait for a better one.
    if (const auto* id = std::get_if<std::int64_t>(&*bad.id); id && pending_.contains(*id))
        complete(*id, Error{.message = "The MCP server sent an answer that is no JSON-RPC message.",
                            .details = bad.error.message});
}

void ClientConnection::State::take(const Notification& notification) {
    if (notification.method == "notifications/cancelled") {
        const json::value* id = json::find(notification.params, "requestId");
        if (auto cancelled = id ? parse_request_id(*id) : std::nullopt) serving_.erase(*cancelled);
    } else if (notification.method == "notifications/progress") {
        auto token = json::find_integer(notification.params, "progressToken");
        auto request = token ? pending_.find(*token) : pending_.end();
        if (request != pending_.end() && request->second.on_progress) {
            ProgressHandler handler = request->second.on_progress;
            return handler(notification.params);
        }
    }
    auto found = notification_handlers.find(notification.method);
    if (found == notification_handlers.end()) return;
    NotificationHandler handler = found->second;  // it may replace itself
    handler(notification.params);
}

void ClientConnection::State::take(Request request) {
    if (request.method == "ping") return send(make_response(request.id, "{}"));
    auto found = request_handlers.find(request.method);
    if (found == request_handlers.end())
        return send(make_error(request.id, {.code = kMethodNotFound, .message = "Method not found"}));
    if (serving_.contains(request.id))
        return send(make_error(request.id, {.code = kInvalidRequest, .message = "This id is in use."}));

    RequestHandler handler = found->second;
    std::weak_ptr<State> weak = weak_from_this();
    Running running =
        ::start(handler(std::move(request.params)), [weak, id = request.id](Result<json::value> outcome) {
            if (auto self = weak.lock()) self->respond(id, std::move(outcome));
        });
    if (!running.done() && transport) serving_.insert_or_assign(request.id, std::move(running));
}

void ClientConnection::State::respond(const RequestId& id, Result<json::value> outcome) {
    serving_.erase(id);
    send(outcome ? make_response(id, json::serialize(*outcome))
                 : make_error(id, answer_for(outcome.error())));
}

void ClientConnection::State::note_malformed(std::string_view reason, std::string_view text) {
    // A server that prints its log to stdout would fill ours.
    auto shown = text.substr(0, kShownBytes);
    if (++malformed <= kMalformedWarnings) {
        log.warn("An MCP server sent something that is no message.", {{"reason", reason}, {"text", shown}});
    } else {
        log.debug("An MCP server sent something that is no message.", {{"reason", reason}, {"text", shown}});
    }
}

}  // namespace mcp
