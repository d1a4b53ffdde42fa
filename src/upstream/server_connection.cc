#include "upstream/server_connection.h"

#include "upstream/active_calls.h"

namespace upstream {
namespace {

using namespace std::chrono_literals;

constexpr auto kPortInterval = 20ms;

std::string in_seconds(milliseconds span) {
    return span < 1s ? std::to_string(span.count()) + " ms"
                     : std::to_string(std::chrono::ceil<std::chrono::seconds>(span).count()) + " s";
}

}  // namespace

ServerConnection::ServerConnection(Loop& loop, const Options& options, std::shared_ptr<ServerProcess> process,
                                   Log& log)
    : loop_(loop), options_(options), log_(log), process_(std::move(process)) {}

ServerConnection::~ServerConnection() = default;

Task<> ServerConnection::greet(std::shared_ptr<ServerConnection> self, Events events) {
    self->events_ = std::move(events);
    auto agreed = co_await as_result(self->shake_hands(Deadline::in(self->options_.timing.handshake)));
    if (!agreed || self->ended_) co_await self->not_started(agreed ? *self->ended_ : agreed.error());
    self->process_->set_ready();
    self->log_.debug("An MCP server is ready.",
                     {{"command", self->options_.command[0]}, {"pid", self->process_->pid()}});
    self->watching_ = ::start(self->watch());
}

Task<> ServerConnection::wait_for_port(int port, Deadline deadline) {
    while (!is_listening(port)) {
        if (ended_) co_await Error(*ended_);
        if (deadline.has_passed())
            co_await Error{.code = ErrorCode::Timeout,
                           .message = name() + " does not listen on port " + std::to_string(port) + "."};
        co_await sleep_for(loop_, kPortInterval);
    }
}

Task<> ServerConnection::connect(Deadline deadline) {
    if (process_->ended()) co_await Error(*process_->ended());
    mcp::ClientTransport* line = nullptr;
    if (std::optional<int> port = process_->port()) {
        process_->on_end([weak = weak_from_this()](const Error& reason) {
            if (auto self = weak.lock()) self->end(reason);
        });
        co_await wait_for_port(*port, deadline);
        http_ = co_await transport::HttpClient::create(
            loop_,
            {.url = "http://localhost:" + std::to_string(*port) + "/mcp",
             .max_message = options_.max_message},
            log_);
        line = http_.get();
    } else {
        line = &process_->streams();
    }
    connection_ = std::make_unique<mcp::ClientConnection>(loop_, *line, log_);
}

Task<> ServerConnection::shake_hands(Deadline deadline) {
    co_await connect(deadline);
    listen();
    mcp::ClientInfo client{.version = options_.client_version};
    if (!events_.client_name.empty()) client = {events_.client_name, events_.client_version};
    description_ = co_await connection_->initialize(std::move(client), events_.capabilities, deadline);
}

void ServerConnection::listen() {
    std::weak_ptr<ServerConnection> weak = weak_from_this();
    connection_->on_close([weak](const Error& reason) {
        if (auto self = weak.lock()) self->end(reason);
    });
    for (const char* list : {"tools", "prompts", "resources"}) {
        std::string method = "notifications/" + std::string(list) + "/list_changed";
        connection_->on_notification(std::move(method), [weak](const json::object&) {
            auto self = weak.lock();
            if (self && self->events_.on_list_changed) self->events_.on_list_changed(self);
        });
    }
    connection_->on_notification("notifications/resources/updated", [weak](const json::object& params) {
        auto self = weak.lock();
        auto uri = json::find_string(params, "uri");
        if (self && uri && self->events_.on_resource_updated)
            self->events_.on_resource_updated(std::string(*uri));
    });
    connection_->on_notification("notifications/message", [weak](const json::object& message) {
        auto self = weak.lock();
        if (self && self->events_.on_message) self->events_.on_message(message);
    });
    for (const auto& capability : events_.capabilities) {
        std::string method(ActiveCalls::method_of(capability.key()));
        connection_->on_request(method, [ask = events_.ask, method](json::object params) {
            return ask(method, std::move(params));
        });
    }
}

// Each ping times out when the next one is due.
Task<> ServerConnection::watch() {
    int missed = 0;
    for (;;) {
        Deadline next = Deadline::in(options_.timing.ping_interval);
        auto pong = co_await as_result(connection_->ping(next));
        // An error from the server shows that it is alive, too.
        missed = pong || mcp::rpc_error_of(pong.error()) ? 0 : missed + 1;
        if (missed >= options_.timing.missed_pings) break;
        co_await sleep_until(loop_, next);
    }
    end(Error{.code = ErrorCode::Timeout,
              .message = name() + " hangs: " + std::to_string(missed) + " pings were not answered."});
}

void ServerConnection::end(Error reason) {
    if (ended_) return;
    auto self = shared_from_this();
    ended_ = std::move(reason);
    log_.warn("An MCP server ended.",
              {{"pid", process_->pid()}, {"reason", ended_->to_string()}, {"stderr", ended_->details}});
    // Open calls end here; their callers check ended().
    if (connection_) connection_->close();
    last_words_ = process_->last_words();
    process_.reset();
    watching_.cancel();
    if (events_.on_end) events_.on_end(*ended_);
}

Error ServerConnection::not_started(const Error& reason) const {
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
    const std::string& words = process_ ? process_->last_words() : last_words_;
    if (!words.empty()) error.message += " Its last words: " + words;
    return error;
}

Task<> ServerConnection::stop(std::shared_ptr<ServerConnection> self, std::string last_call) {
    self->watching_.cancel();
    if (self->ended_) co_return;
    if (!last_call.empty())
        static_cast<void>(co_await as_result(self->connection_->call_tool(
            std::move(last_call), {}, {.deadline = Deadline::in(self->options_.timing.last_call)})));
    if (self->ended_) co_return;
    self->ended_ = Error{.code = ErrorCode::Cancelled, .message = "The session was closed."};
    if (self->connection_) self->connection_->close();
    auto process = std::exchange(self->process_, nullptr);
    // Other holders of the process are still using it.
    if (process.use_count() == 1) co_await ServerProcess::stop(std::move(process));
}

}  // namespace upstream
