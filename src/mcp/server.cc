#include "mcp/server.h"

#include "mcp/methods.h"
#include "mcp/render.h"
#include "mcp/version.h"

namespace mcp {
namespace {

// The name of a request in the log: its tool, or its method.
std::string watched_name(const Request& request) {
    if (request.method != "tools/call") return request.method;
    return "Tool \"" + std::string(json::find_string(request.params, "name").value_or("")) + "\"";
}

}  // namespace

Server::Server(Loop& loop, tools::Registry& registry, ServerOptions options, Log& log, Metrics& metrics)
    : loop_(loop),
      registry_(registry),
      options_(std::move(options)),
      log_(log),
      metrics_(metrics),
      calls_(loop, options_, log, metrics),
      watchdog_(loop, log, metrics, options_.on_call_overdue),
      methods_(std::make_unique<Methods>(loop, registry, subscriptions_, sealer_, options_, calls_)) {
    registry_.set_observer([this](const tools::Change& change) {
        if (change.kind == tools::Kind::Tools) methods_->forget_rendered();
        subscriptions_.publish(change);
    });
}

Server::~Server() { registry_.set_observer({}); }

Running Server::serve(std::shared_ptr<RequestContext> context, std::function<void()> done) {
    context->redact_with(options_.middleware);
    return start(run(std::move(context)), [done = std::move(done)](Result<void>) {
        if (done) done();
    });
}

// The single answer of a request. If it is dropped without one because its work was dropped, it sends an
// error: only a request that its client cancelled gets no answer.
class Server::Reply {
public:
    Reply(Server& server, std::shared_ptr<RequestContext> context)
        : server_(server),
          context_(std::move(context)),
          is_stream_(context_->request().method == "subscriptions/listen") {
        if (is_stream_) ++server_.open_streams_;
    }
    Reply(const Reply&) = delete;
    ~Reply() {
        if (is_stream_) --server_.open_streams_;
        if (given_ || context_->is_cancelled()) return;
        std::string why = server_.is_shutting_down()
                              ? "The server is shutting down: this request was not finished."
                              : "The session ended: this request was not finished.";
        give({.error = RpcError{.code = kServerError, .message = std::move(why)}});
    }

    void give(const Answer& answer) {
        given_ = true;
        const RequestId& id = context_->request().id;
        context_->sink().respond(
            answer.error ? make_error(id, *answer.error) : make_response(id, answer.result),
            answer.http_status);
    }

private:
    Server& server_;
    std::shared_ptr<RequestContext> context_;
    const bool is_stream_;
    bool given_ = false;
};

Task<> Server::run(std::shared_ptr<RequestContext> context) {
    Reply reply(*this, context);
    const Request& request = context->request();
    auto outcome = co_await as_result(watchdog_.watch(
        {watched_name(request), context->caller(), context->stage(), methods_->deadline_of(request)},
        methods_->answer(*context)));
    if (!outcome && outcome.error().details == Watchdog::kDetails) {
        outcome = Answer{.error = RpcError{.code = kInternalError, .message = outcome.error().to_string()}};
    } else if (!outcome) {
        log_.error("request failed", {{"method", request.method},
                                      {"error", outcome.error().message},
                                      {"details", outcome.error().details}});
        outcome = Answer{.error = RpcError{.code = kInternalError, .message = "Internal error"}};
    }
    Answer& answer = *outcome;
    metrics_
        .counter("troupe_requests_total", "MCP requests answered.",
                 {{"era", context->era() == Era::Modern ? "modern" : "legacy"},
                  {"outcome", answer.error ? "error" : "ok"}})
        .add();
    reply.give(answer);
}

Answer Server::initialize(const Request& request, ClientState& client) const {
    auto version = json::find_string(request.params, "protocolVersion");
    if (!version) {
        return {.result = {},
                .error = RpcError{.code = kInvalidParams,
                                  .message = "Invalid params: \"protocolVersion\" must be a string."}};
    }
    client.era = Era::Legacy;
    client.version = is_legacy_version(*version) ? *version : kNewestLegacyVersion;
    client.log_level = tools::MessageLevel::Info;
    if (const json::object* capabilities = json::find_object(request.params, "capabilities"))
        client.capabilities = *capabilities;
    if (const json::object* info = json::find_object(request.params, "clientInfo")) {
        client.caller.client_name = json::find_string(*info, "name").value_or("");
        client.caller.client_version = json::find_string(*info, "version").value_or("");
    }
    return {.result = ObjectWriter()
                          .string("protocolVersion", client.version)
                          .raw("capabilities", json::serialize(methods_->capabilities()))
                          .raw("serverInfo", json::serialize(methods_->server_info()))
                          .optional_string("instructions", options_.instructions)
                          .finish()};
}

void Server::shut_down() {
    shutting_down_ = true;
    subscriptions_.shut_down();
}

}  // namespace mcp
