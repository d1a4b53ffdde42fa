#include "upstream/server.h"

#include "upstream/callers.h"
#include "util/strings.h"

namespace upstream {
namespace {

using namespace std::chrono_literals;

constexpr auto kPortInterval = 20ms;
constexpr std::size_t kShownWords = 500;

std::string in_seconds(milliseconds span) {
    return span < 1s ? std::to_string(span.count()) + " ms"
                     : std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

}  // namespace

Server::~Server() = default;

Result<std::shared_ptr<Server>> Server::start(Loop& loop, const Options& options, const std::string& session,
                                              Ports& ports, Log& log) {
    std::shared_ptr<Server> server(new Server(loop, options, log));
    TRY(server->start_process(session, ports));
    return server;
}

Task<> Server::greet(std::shared_ptr<Server> self, Events events) {
    self->events_ = std::move(events);
    auto agreed = co_await as_result(self->shake_hands(Deadline::in(self->options_.timing.handshake)));
    if (!agreed) co_await self->not_started(agreed.error());
    self->log_.debug("An MCP server is ready.",
                     {{"command", self->options_.command[0]}, {"pid", self->pid_}});
    self->watching_ = ::start(self->watch());
}

Task<std::shared_ptr<Server>> Server::launch(Loop& loop, const Options& options, std::string session,
                                             Ports& ports, Events events, Log& log) {
    auto server = co_await start(loop, options, session, ports, log);
    co_await greet(server, std::move(events));
    co_return server;
}

Result<void> Server::start_process(const std::string& session, Ports& ports) {
    transport::ChildOptions child{.command = options_.command,
                                  .keeper = options_.keeper,
                                  .environment = options_.environment,
                                  .directory = options_.directory,
                                  .max_line = options_.max_message,
                                  .max_queue = options_.max_message};
    if (options_.transport == Transport::Http) {
        port_ = TRY(ports.take(session));
        child.command.insert(child.command.end(), {"--port", std::to_string(*port_)});
    }
    std::weak_ptr<Server> weak = weak_from_this();
    child.on_stderr = [weak](std::string_view line) {
        auto self = weak.lock();
        if (!self || trim(line).empty()) return;
        self->last_words_ = trim(line).substr(0, kShownWords);
        self->log_.info("An MCP server says.", {{"pid", self->pid_}, {"line", line}});
    };
    process_ = TRY(transport::ChildProcess::create(loop_, std::move(child)));
    pid_ = process_->pid();
    if (options_.transport == Transport::Stdio) return ok();
    process_->start({
        .on_message =
            [weak](const std::string& line) {
                if (auto self = weak.lock())
                    self->log_.debug("An MCP server prints.", {{"pid", self->pid_}, {"line", line}});
            },
        .on_request_failed = [](std::int64_t, const Error&) {},
        .on_close =
            [weak](Error reason) {
                if (auto self = weak.lock()) self->end(std::move(reason));
            },
    });
    return ok();
}

Task<> Server::wait_for_port(Deadline deadline) {
    while (!is_listening(*port_)) {
        if (ended_) co_await Error(*ended_);
        if (deadline.has_passed())
            co_await Error{.code = ErrorCode::Timeout,
                           .message = name() + " does not listen on port " + std::to_string(*port_) + "."};
        co_await sleep_for(loop_, kPortInterval);
    }
}

Task<> Server::shake_hands(Deadline deadline) {
    mcp::ClientTransport* line = process_.get();
    if (options_.transport == Transport::Http) {
        co_await wait_for_port(deadline);
        http_ = co_await transport::HttpClient::create(
            loop_,
            {.url = "http://localhost:" + std::to_string(*port_) + "/mcp",
             .max_message = options_.max_message},
            log_);
        line = http_.get();
    }
    connection_ = std::make_unique<mcp::ClientConnection>(loop_, *line, log_);
    listen();
    co_await connection_->initialize({.version = options_.client_version}, events_.capabilities, deadline);
}

void Server::listen() {
    std::weak_ptr<Server> weak = weak_from_this();
    connection_->on_close([weak](const Error& reason) {
        if (auto self = weak.lock()) self->end(reason);
    });
    connection_->on_notification("notifications/tools/list_changed", [weak](const json::object&) {
        auto self = weak.lock();
        if (self && self->events_.on_tools_changed) self->events_.on_tools_changed(self);
    });
    connection_->on_notification("notifications/message", [weak](const json::object& message) {
        auto self = weak.lock();
        if (self && self->events_.on_message) self->events_.on_message(message);
    });
    for (const auto& capability : events_.capabilities) {
        std::string method(Callers::method_of(capability.key()));
        connection_->on_request(method, [ask = events_.ask, method](json::object params) {
            return ask(method, std::move(params));
        });
    }
}

// Each ping has until the next one is due.
Task<> Server::watch() {
    int missed = 0;
    for (;;) {
        Deadline next = Deadline::in(options_.timing.ping_interval);
        auto pong = co_await as_result(connection_->ping(next));
        // An error that the server answers with is a sign of life, too.
        missed = pong || mcp::rpc_error_of(pong.error()) ? 0 : missed + 1;
        if (missed >= options_.timing.missed_pings) break;
        co_await sleep_until(loop_, next);
    }
    end(Error{.code = ErrorCode::Timeout,
              .message = name() + " hangs: " + std::to_string(missed) + " pings were not answered."});
}

void Server::end(Error reason) {
    if (ended_) return;
    auto self = shared_from_this();
    ended_ = std::move(reason);
    log_.warn("An MCP server ended.",
              {{"pid", pid_}, {"reason", ended_->to_string()}, {"stderr", ended_->details}});
    // Open calls end here; those who made them look at ended().
    if (connection_) connection_->close();
    process_.reset();
    port_.reset();
    watching_.cancel();
    if (events_.on_end) events_.on_end(*ended_);
}

Error Server::not_started(const Error& reason) const {
    Error error = ended_ ? *ended_ : reason;
    if (!ended_ && error.code == ErrorCode::Timeout) {
        error.message =
            name() + " did not answer the handshake within " + in_seconds(options_.timing.handshake) + ".";
        if (connection_ && connection_->malformed_count() > 0)
            error.message += " It printed what is no MCP message: does it log to its standard output?";
        error.hint = "Raise upstream.startTimeout if it needs more time.";
    } else {
        error.message = "Starting failed: " + error.message;
        error.hint = "Check upstream.command: it must run an MCP server.";
    }
    if (!last_words_.empty()) error.message += " Its last words: " + last_words_;
    return error;
}

Task<> Server::stop(std::shared_ptr<Server> self, std::string last_call) {
    self->watching_.cancel();
    if (self->ended_) co_return;
    if (!last_call.empty())
        static_cast<void>(co_await as_result(self->connection_->call_tool(
            std::move(last_call), {}, {.deadline = Deadline::in(self->options_.timing.last_call)})));
    if (self->ended_) co_return;
    self->ended_ = Error{.code = ErrorCode::Cancelled, .message = "The session was closed."};
    if (self->connection_) self->connection_->close();
    milliseconds patience = self->options_.timing.terminate;
    static_cast<void>(co_await as_result(self->process_->stop(patience, patience)));
    self->process_.reset();
    self->port_.reset();
}

}  // namespace upstream
