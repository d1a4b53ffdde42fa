#include "mcp/server.h"

#include "mcp/methods.h"
#include "mcp/render.h"
#include "mcp/version.h"

namespace mcp {

Server::Server(Loop& loop, tools::Registry& registry, ServerOptions options, Log& log, Metrics& metrics)
    : loop_(loop),
      registry_(registry),
      options_(std::move(options)),
      log_(log),
      metrics_(metrics),
      methods_(std::make_unique<Methods>(loop, registry, subscriptions_, sealer_, options_, log, metrics)) {
    registry_.set_observer([this](const tools::Change& change) {
        if (change.kind == tools::Kind::Tools) methods_->forget_rendered();
        subscriptions_.publish(change);
    });
}

Server::~Server() { registry_.set_observer({}); }

Running Server::serve(std::shared_ptr<Exchange> exchange, std::function<void()> done) {
    return start(run(std::move(exchange)), [done = std::move(done)](Result<void>) {
        if (done) done();
    });
}

Task<> Server::run(std::shared_ptr<Exchange> exchange) {
    auto outcome = co_await as_result(methods_->answer(*exchange));
    const Request& request = exchange->request();
    if (!outcome) {
        log_.error("request failed", {{"method", request.method},
                                      {"error", outcome.error().message},
                                      {"details", outcome.error().details}});
        outcome = Answer{.error = RpcError{.code = kInternalError, .message = "Internal error"}};
    }
    Answer& answer = *outcome;
    metrics_
        .counter("troupe_requests_total", "MCP requests answered.",
                 {{"era", exchange->era() == Era::Modern ? "modern" : "legacy"},
                  {"outcome", answer.error ? "error" : "ok"}})
        .add();
    std::string message =
        answer.error ? make_error(request.id, *answer.error) : make_response(request.id, answer.result);
    exchange->outlet().respond(std::move(message), answer.http_status);
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

void Server::shut_down() { subscriptions_.shut_down(); }

}  // namespace mcp
