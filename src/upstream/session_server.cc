#include "upstream/session_server.h"

namespace upstream {
namespace {

Error session_closed() { return {.code = ErrorCode::Cancelled, .message = "The session was closed."}; }

Error ended_during(const std::string& tool, const Error& reason) {
    if (reason.code == ErrorCode::Cancelled) return reason;
    return {.code = ErrorCode::BrowserCrashed,
            .message = reason.message + " The call of " + tool +
                       " was lost, and so is the state of this session's browser.",
            .hint = "The next call starts the server again.",
            .details = reason.details};
}

}  // namespace

// A call in progress, which keeps the server from counting as idle.
class SessionServer::Use {
public:
    Use(std::shared_ptr<SessionServer> session_server, tools::Client& client)
        : session_server_(std::move(session_server)), waiting_(session_server_->active_calls_, client) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { session_server_->last_used_ = Clock::now(); }

private:
    std::shared_ptr<SessionServer> session_server_;
    ActiveCalls::Waiting waiting_;
};

SessionServer::SessionServer(Loop& loop, const RestartLimits& limits, Launch launch, ListChanged list_changed,
                             Log& log, ActiveCalls::FolderOf folder_of)
    : loop_(loop),
      launch_(std::move(launch)),
      list_changed_(std::move(list_changed)),
      log_(log),
      budget_(limits),
      active_calls_(std::make_shared<ActiveCalls>(loop, std::move(folder_of))) {}

Task<mcp::RawResult> SessionServer::call(std::shared_ptr<SessionServer> self, std::string tool,
                                         json::object arguments, tools::Client& client,
                                         mcp::CallOptions options) {
    Use use(self, client);
    std::shared_ptr<ServerConnection> server = co_await ready_by(self, options.deadline);
    self->last_tool_ = tool;
    auto answer =
        co_await as_result(server->connection().call_tool(tool, std::move(arguments), std::move(options)));
    if (!answer && server->ended() && !mcp::rpc_error_of(answer.error()))
        co_return ended_during(tool, *server->ended());
    co_return std::move(answer);
}

Task<mcp::RawResult> SessionServer::request(std::shared_ptr<SessionServer> self, std::string method,
                                            json::object params, tools::Client& client, Deadline deadline) {
    Use use(self, client);
    std::shared_ptr<ServerConnection> server = co_await ready_by(self, deadline);
    co_return co_await server->connection().request(std::move(method), std::move(params), deadline);
}

std::chrono::seconds SessionServer::closed_for() {
    auto now = Clock::now();
    auto until = budget_.closed_until(now);
    return until ? std::chrono::ceil<std::chrono::seconds>(*until - now) : std::chrono::seconds(0);
}

Task<std::shared_ptr<ServerConnection>> SessionServer::ready_by(std::shared_ptr<SessionServer> self,
                                                                Deadline deadline) {
    Loop& loop = self->loop_;
    return with_deadline(loop, ready(std::move(self)), deadline, "The start of the MCP server");
}

Task<std::shared_ptr<ServerConnection>> SessionServer::ready(std::shared_ptr<SessionServer> self) {
    if (self->closed_) co_return session_closed();
    if (self->server_ && !self->server_->ended()) co_return self->server_;
    auto starting = self->starting_ ? self->starting_ : self->begin_start();
    co_return co_await starting->get();
}

std::shared_ptr<SessionServer::Starting> SessionServer::begin_start() {
    auto starting = std::make_shared<Starting>(loop_);
    starting_ = starting;
    server_.reset();
    start_ = ::start(start_when_due(), [this, starting](Result<std::shared_ptr<ServerConnection>> outcome) {
        if (outcome) server_ = *outcome;
        starting_.reset();
        starting->set(std::move(outcome));
    });
    return starting;
}

// A call in progress gets its own error; without one, the next answer has to report the loss.
void SessionServer::note_own_end(const Error& reason) {
    note_end();
    if (active_calls_->empty()) note_loss(reason.message);
}

ServerConnection::Events SessionServer::events() {
    std::weak_ptr<SessionServer> weak = weak_from_this();
    tools::Caller caller = active_calls_->latest();
    return {
        .on_end =
            [weak](const Error& reason) {
                if (auto self = weak.lock(); self && !self->starting_) self->note_own_end(reason);
            },
        .on_list_changed = list_changed_,
        .on_message =
            [weak](const json::object& message) {
                auto self = weak.lock();
                if (self && !self->active_calls_->notify(message))
                    self->log_.debug("An MCP server logs.", {{"message", json::serialize(message)}});
            },
        .capabilities = active_calls_->capabilities(),
        .ask =
            [active_calls = active_calls_](std::string method, json::object params) {
                return ActiveCalls::ask(active_calls, std::move(method), std::move(params));
            },
        .client_name = std::move(caller.client_name),
        .client_version = std::move(caller.client_version),
    };
}

Task<std::shared_ptr<ServerConnection>> SessionServer::start_when_due() {
    auto due = co_await budget_.next_start(Clock::now());
    if (due > Clock::now()) co_await sleep_until(loop_, Deadline(due));
    auto server = co_await as_result(launch_(events()));
    if (!server) note_end();
    co_return std::move(server);
}

Task<> SessionServer::close(std::shared_ptr<SessionServer> self, std::string last_call) {
    self->closed_ = true;
    self->start_.cancel();
    if (auto starting = std::exchange(self->starting_, nullptr)) starting->set(session_closed());
    // The call would start a browser that is already closed.
    if (self->last_tool_ == last_call) last_call.clear();
    if (auto server = std::exchange(self->server_, nullptr))
        co_await ServerConnection::stop(std::move(server), std::move(last_call));
}

}  // namespace upstream
