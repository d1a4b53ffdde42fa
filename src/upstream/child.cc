#include "upstream/child.h"

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

// A call under way: nobody who is used is idle.
class Child::Use {
public:
    Use(std::shared_ptr<Child> child, tools::Client& client)
        : child_(std::move(child)), waiting_(child_->callers_, client) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { child_->last_used_ = Clock::now(); }

private:
    std::shared_ptr<Child> child_;
    Callers::Waiting waiting_;
};

Child::Child(Loop& loop, const RestartLimits& limits, Launch launch, ListChanged list_changed, Log& log,
             Callers::FolderOf folder_of)
    : loop_(loop),
      launch_(std::move(launch)),
      list_changed_(std::move(list_changed)),
      log_(log),
      budget_(limits),
      callers_(std::make_shared<Callers>(loop, std::move(folder_of))) {}

Task<mcp::RawResult> Child::call(std::shared_ptr<Child> self, std::string tool, json::object arguments,
                                 tools::Client& client, mcp::CallOptions options) {
    Use use(self, client);
    std::shared_ptr<Server> server = co_await ready_by(self, options.deadline);
    self->last_tool_ = tool;
    auto answer =
        co_await as_result(server->connection().call_tool(tool, std::move(arguments), std::move(options)));
    if (!answer && server->ended() && !mcp::rpc_error_of(answer.error()))
        co_return ended_during(tool, *server->ended());
    co_return std::move(answer);
}

Task<mcp::RawResult> Child::request(std::shared_ptr<Child> self, std::string method, json::object params,
                                    tools::Client& client, Deadline deadline) {
    Use use(self, client);
    std::shared_ptr<Server> server = co_await ready_by(self, deadline);
    co_return co_await server->connection().request(std::move(method), std::move(params), deadline);
}

std::chrono::seconds Child::closed_for() {
    auto now = Clock::now();
    auto until = budget_.closed_until(now);
    return until ? std::chrono::ceil<std::chrono::seconds>(*until - now) : std::chrono::seconds(0);
}

Task<std::shared_ptr<Server>> Child::ready_by(std::shared_ptr<Child> self, Deadline deadline) {
    Loop& loop = self->loop_;
    return with_deadline(loop, ready(std::move(self)), deadline, "The start of the MCP server");
}

Task<std::shared_ptr<Server>> Child::ready(std::shared_ptr<Child> self) {
    if (self->closed_) co_return session_closed();
    if (self->server_ && !self->server_->ended()) co_return self->server_;
    auto starting = self->starting_ ? self->starting_ : self->begin_start();
    co_return co_await starting->get();
}

std::shared_ptr<Child::Starting> Child::begin_start() {
    auto starting = std::make_shared<Starting>(loop_);
    starting_ = starting;
    server_.reset();
    start_ = ::start(start_when_due(), [this, starting](Result<std::shared_ptr<Server>> outcome) {
        if (outcome) server_ = *outcome;
        starting_.reset();
        starting->set(std::move(outcome));
    });
    return starting;
}

// A call under way is told by its own error; without one, the next answer has to tell.
void Child::note_own_end(const Error& reason) {
    note_end();
    if (callers_->empty()) note_loss(reason.message);
}

Server::Events Child::events() {
    std::weak_ptr<Child> weak = weak_from_this();
    tools::Caller caller = callers_->latest();
    return {
        .on_end =
            [weak](const Error& reason) {
                if (auto self = weak.lock(); self && !self->starting_) self->note_own_end(reason);
            },
        .on_list_changed = list_changed_,
        .on_message =
            [weak](const json::object& message) {
                auto self = weak.lock();
                if (self && !self->callers_->tell(message))
                    self->log_.debug("An MCP server logs.", {{"message", json::serialize(message)}});
            },
        .capabilities = callers_->capabilities(),
        .ask =
            [callers = callers_](std::string method, json::object params) {
                return Callers::ask(callers, std::move(method), std::move(params));
            },
        .client_name = std::move(caller.client_name),
        .client_version = std::move(caller.client_version),
    };
}

Task<std::shared_ptr<Server>> Child::start_when_due() {
    auto due = co_await budget_.next_start(Clock::now());
    if (due > Clock::now()) co_await sleep_until(loop_, Deadline(due));
    auto server = co_await as_result(launch_(events()));
    if (!server) note_end();
    co_return std::move(server);
}

Task<> Child::close(std::shared_ptr<Child> self, std::string last_call) {
    self->closed_ = true;
    self->start_.cancel();
    if (auto starting = std::exchange(self->starting_, nullptr)) starting->set(session_closed());
    // A browser that is closed would be started for it.
    if (self->last_tool_ == last_call) last_call.clear();
    if (auto server = std::exchange(self->server_, nullptr))
        co_await Server::stop(std::move(server), std::move(last_call));
}

}  // namespace upstream
