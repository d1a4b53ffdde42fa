#include "mcp/connection.h"

#include "mcp/render.h"
#include "mcp/version.h"

namespace mcp {
namespace {

ClientState fresh_state(tools::Caller caller) {
    ClientState state;
    state.version = kNewestLegacyVersion;
    state.log_level = tools::MessageLevel::Info;
    state.caller = std::move(caller);
    return state;
}

void respond(const std::shared_ptr<ResponseSink>& sink, const RequestId& id, const Answer& answer) {
    sink->respond(answer.error ? make_error(id, *answer.error) : make_response(id, answer.result),
                  answer.http_status);
}

}  // namespace

// Collects the answers of a batch and sends them as one array when the last one is there.
class Connection::BatchSink final : public ResponseSink {
public:
    explicit BatchSink(std::shared_ptr<ResponseSink> sink) : sink_(std::move(sink)) {}
    // Cancelled requests never answer, so the batch ends when its last user is destroyed.
    ~BatchSink() override {
        if (!answers_.empty()) sink_->respond("[" + answers_ + "]", 200);
    }
    void notify(std::string message) override { sink_->notify(std::move(message)); }
    void respond(std::string message, int) override {
        answers_.append(answers_.empty() ? "" : ",").append(message);
    }

private:
    std::shared_ptr<ResponseSink> sink_;
    std::string answers_;
};

Connection::Connection(Server& server, Peer& peer, tools::Caller caller)
    : server_(server), peer_(peer), client_(std::make_shared<ClientState>(fresh_state(std::move(caller)))) {
    auto state = std::make_shared<ClientState>(*client_);
    state->caller.agent = server.options().agent_id;
    client_ = state;
    if (Presence* presence = server.options().presence) presence->add(state->caller.connection, peer);
}

Connection::~Connection() {
    ending_ = true;
    in_flight_.clear();
    if (Presence* presence = server_.options().presence) presence->remove(client_->caller.connection);
    if (server_.options().on_connection_ended)
        server_.options().on_connection_ended(client_->caller, departure_);
}

void Connection::introduce(Introduced client, std::int64_t first_question) {
    auto state = std::make_shared<ClientState>(*client_);
    state->caller.directory = std::move(client.directory);
    if (!client.agent.empty()) state->caller.agent = std::move(client.agent);
    state->caller.lost_session = client.lost_session;
    client_ = state;
    next_ask_ = first_question;
}

void Connection::set_scopes(const std::vector<std::string>& scopes) {
    if (client_->caller.scopes == scopes) return;
    auto state = std::make_shared<ClientState>(*client_);
    state->caller.scopes = scopes;
    client_ = state;
}

void Connection::receive_text(std::string_view text, const std::shared_ptr<ResponseSink>& sink) {
    auto body = json::parse(text);
    if (!body) {
        server_.log().debug("unreadable message", {{"error", body.error().message}});
        sink->respond(make_error(std::nullopt,
                                 {.code = kParseError, .message = "Parse error: " + body.error().message}),
                      400);
        return;
    }
    receive(std::move(*body), sink);
}

void Connection::receive(json::value body, const std::shared_ptr<ResponseSink>& sink) {
    if (body.is_array()) {
        handle_batch(std::move(body.get_array()), sink);
        return;
    }
    auto parsed = parse_message(std::move(body));
    if (auto* bad = std::get_if<BadMessage>(&parsed)) {
        sink->respond(make_error(bad->id, bad->error), 400);
        return;
    }
    handle(std::get<Message>(std::move(parsed)), sink);
}

void Connection::handle_batch(json::array batch, const std::shared_ptr<ResponseSink>& sink) {
    auto refuse = [&](std::string why) {
        sink->respond(make_error(std::nullopt,
                                 {.code = kInvalidRequest, .message = "Invalid Request: " + std::move(why)}),
                      400);
    };
    if (batch.empty()) return refuse("an empty batch");
    if (batch.size() > server_.options().max_batch) {
        return refuse("a batch holds at most " + std::to_string(server_.options().max_batch) + " messages");
    }
    for (const json::value& element : batch) {
        if (has_modern_claim(element)) return refuse("the stateless protocol has no batches");
        const json::value* method = json::find(element, "method");
        if (method && *method == "initialize") return refuse("initialize must not be part of a batch");
    }
    // Only 2025-03-26 has batches, but a client that has not sent its version may be using that one.
    if (handshake_done_ && version() != "2025-03-26")
        return refuse("protocol version " + version() + " has no batches");
    auto collector = std::make_shared<BatchSink>(sink);
    for (json::value& element : batch) {
        if (element.is_array()) {
            collector->respond(
                make_error(std::nullopt,
                           {.code = kInvalidRequest, .message = "Invalid Request: a batch within a batch"}),
                400);
        } else {
            receive(std::move(element), collector);
        }
    }
}

void Connection::handle(Message message, const std::shared_ptr<ResponseSink>& sink) {
    if (auto* request = std::get_if<Request>(&message)) {
        handle_request(std::move(*request), sink);
    } else if (const auto* notification = std::get_if<Notification>(&message)) {
        handle_notification(*notification);
    } else {
        handle_response(std::move(std::get<Response>(message)));
    }
}

void Connection::handle_request(Request request, const std::shared_ptr<ResponseSink>& sink) {
    if (in_flight_.contains(request.id)) {
        sink->respond(
            make_error(request.id, {.code = kInvalidRequest,
                                    .message = "Invalid Request: this id is in use by a request under way."}),
            400);
        return;
    }
    if (in_flight_.size() >= server_.options().max_in_flight) {
        sink->respond(make_error(request.id, {.code = kServerError,
                                              .message = "Too many requests under way: at most " +
                                                         std::to_string(server_.options().max_in_flight) +
                                                         " on one connection. Wait for answers first."}),
                      429);
        return;
    }
    if (has_modern_claim(request.params)) {
        auto opened = open_modern_request(request, nullptr, server_.registry(), client_->caller);
        if (auto* rejection = std::get_if<Rejection>(&opened)) {
            sink->respond(make_error(request.id, rejection->error), rejection->http_status);
            return;
        }
        start(std::make_shared<RequestContext>(std::move(request), std::get<0>(std::move(opened)), sink,
                                               AskClient{}));
        return;
    }
    if (auto answer = answer_here(request)) {
        respond(sink, request.id, *answer);
        return;
    }
    AskClient ask_client = [this](std::string method, json::object params, ResponseSink& way) {
        return ask(std::move(method), std::move(params), way);
    };
    start(std::make_shared<RequestContext>(std::move(request), client_, sink, std::move(ask_client)));
}

void Connection::start(std::shared_ptr<RequestContext> context) {
    RequestId id = context->request().id;
    Running running = server_.serve(context, [this, id] { in_flight_.erase(id); });
    if (!running.done()) in_flight_.emplace(std::move(id), InFlight{std::move(context), std::move(running)});
}

std::optional<Answer> Connection::answer_here(const Request& request) {
    if (request.method == "initialize") {
        auto state = std::make_shared<ClientState>(fresh_state(client_->caller));
        Answer answer = server_.initialize(request, *state);
        if (!answer.error) {
            client_ = state;
            handshake_done_ = true;
        }
        return answer;
    }
    if (request.method == "logging/setLevel") {
        auto level = parse_message_level(json::find_string(request.params, "level").value_or(""));
        if (!level) {
            return Answer{.error =
                              RpcError{.code = kInvalidParams,
                                       .message = "Invalid params: \"level\" must be one of debug, info, "
                                                  "notice, warning, error, critical, alert, emergency."}};
        }
        auto state = std::make_shared<ClientState>(*client_);
        state->log_level = level;
        client_ = state;
        return Answer{.result = "{}"};
    }
    bool subscribe = request.method == "resources/subscribe";
    if (subscribe || request.method == "resources/unsubscribe") {
        auto uri = json::find_string(request.params, "uri");
        if (!uri)
            return Answer{.error = RpcError{.code = kInvalidParams,
                                            .message = "Invalid params: \"uri\" must be a string."}};
        constexpr std::size_t kMaxSubscriptions = 1000, kMaxUriLength = 16 << 10;
        if (uri->size() > kMaxUriLength) {
            return Answer{.error =
                              RpcError{.code = kInvalidParams,
                                       .message = "Invalid params: \"uri\" is longer than any resource's."}};
        }
        auto permitted = subscribe ? may_subscribe(std::string(*uri), server_.registry(),
                                                   server_.options().gate, client_->caller)
                                   : ok();
        if (!permitted) {
            bool unknown = permitted.error().code == ErrorCode::NotFound;
            return Answer{.error = RpcError{.code = unknown ? kResourceNotFound : kInternalError,
                                            .message = permitted.error().to_string()}};
        }
        if (!listener_) listen();
        auto& uris = listener_->filter.uris;
        if (!subscribe) {
            uris.erase(std::string(*uri));
        } else if (uris.size() >= kMaxSubscriptions) {
            return Answer{.error = RpcError{
                              .code = kServerError,
                              .message = "Too many subscriptions on this connection. Unsubscribe first."}};
        } else {
            uris.try_emplace(std::string(*uri),
                             watch_resource(std::string(*uri), server_.registry(), client_->caller));
        }
        return Answer{.result = "{}"};
    }
    return std::nullopt;
}

void Connection::listen() {
    SubscriptionFilter filter{.tools = true, .prompts = true, .resources = true};
    listener_.emplace(server_.subscriptions(), client_->caller, std::move(filter),
                      [this](std::string_view method, std::string_view uri) {
                          std::string params =
                              uri.empty() ? std::string() : ObjectWriter().string("uri", uri).finish();
                          peer_.send(make_notification(method, params));
                      });
}

void Connection::handle_notification(const Notification& notification) {
    if (notification.method == "notifications/initialized") {
        if (!listener_) listen();
        if (handshake_done_ && !std::exchange(began_, true) && server_.options().on_connection_began)
            server_.options().on_connection_began(client_->caller);
    } else if (notification.method == "notifications/roots/list_changed") {
        if (server_.options().on_roots_changed) server_.options().on_roots_changed(client_->caller);
    } else if (notification.method == "notifications/cancelled") {
        const json::value* target = json::find(notification.params, "requestId");
        auto id = target ? parse_request_id(*target) : std::nullopt;
        auto cancelled = id ? in_flight_.find(*id) : in_flight_.end();
        if (cancelled == in_flight_.end()) return;
        cancelled->second.context->cancel();
        in_flight_.erase(cancelled);
    }
}

void Connection::handle_response(Response response) {
    const auto* id = std::get_if<std::int64_t>(&response.id);
    auto it = id ? asked_.find(*id) : asked_.end();
    if (it == asked_.end()) return;
    if (auto* error = std::get_if<RpcError>(&response.outcome)) {
        json::object details{{"code", error->code}, {"message", error->message}};
        it->second.set(Error{.code = ErrorCode::InvalidArgument,
                             .message = "The client refused: " + error->message,
                             .details = json::serialize(details)});
    } else {
        it->second.set(std::get<json::value>(std::move(response.outcome)));
    }
}

void Connection::forget_question(std::int64_t id, bool is_ping) {
    auto question = asked_.extract(id);
    if (ending_ || is_ping || question.empty() || question.mapped().is_set()) return;
    ObjectWriter params;
    params.raw("requestId", std::to_string(id)).string("reason", "The answer is no longer needed.");
    peer_.send(make_notification("notifications/cancelled", params.finish()));
}

Task<json::value> Connection::ask(std::string method, json::object params, ResponseSink& sink) {
    // Forgets the question however this ends: answered, or withdrawn because no caller waits any more.
    struct Forget {
        Connection& connection;
        std::int64_t id;
        bool is_ping;
        ~Forget() { connection.forget_question(id, is_ping); }
    };
    std::int64_t id = next_ask_++;
    Completion<Result<json::value>> answer(server_.loop());
    asked_.emplace(id, answer);
    Forget forget{*this, id, method == "ping"};
    sink.notify(
        make_request(RequestId(id), method, params.empty() ? std::string() : json::serialize(params)));
    co_return co_await answer;
}

}  // namespace mcp
