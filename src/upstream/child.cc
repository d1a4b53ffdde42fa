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
    explicit Use(std::shared_ptr<Child> child) : child_(std::move(child)) { ++child_->calls_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
        --child_->calls_;
        child_->last_used_ = Clock::now();
    }

private:
    std::shared_ptr<Child> child_;
};

Child::Child(Loop& loop, const Options& options, std::string session, Ports& ports,
             ToolsChanged tools_changed, Log& log)
    : loop_(loop),
      options_(options),
      session_(std::move(session)),
      ports_(ports),
      tools_changed_(std::move(tools_changed)),
      log_(log),
      budget_(options.timing.restart) {}

Task<mcp::RawResult> Child::call(std::shared_ptr<Child> self, std::string tool, json::object arguments,
                                 mcp::CallOptions options) {
    Use use(self);
    std::shared_ptr<Server> server =
        co_await with_deadline(self->loop_, ready(self), options.deadline, "The start of the MCP server");
    auto answer =
        co_await as_result(server->connection().call_tool(tool, std::move(arguments), std::move(options)));
    if (!answer && server->ended() && !mcp::rpc_error_of(answer.error()))
        co_return ended_during(tool, *server->ended());
    co_return std::move(answer);
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

Task<std::shared_ptr<Server>> Child::start_when_due() {
    auto due = co_await budget_.next_start(Clock::now());
    if (due > Clock::now()) co_await sleep_until(loop_, Deadline(due));
    std::weak_ptr<Child> weak = weak_from_this();
    auto on_end = [weak](const Error&) {
        if (auto self = weak.lock(); self && !self->starting_) self->note_end();
    };
    auto server = co_await as_result(Server::launch(
        loop_, options_, session_, ports_, {.on_end = on_end, .on_tools_changed = tools_changed_}, log_));
    if (!server) note_end();
    co_return std::move(server);
}

Task<> Child::close(std::shared_ptr<Child> self, std::string last_call) {
    self->closed_ = true;
    self->start_.cancel();
    if (auto starting = std::exchange(self->starting_, nullptr)) starting->set(session_closed());
    if (auto server = std::exchange(self->server_, nullptr))
        co_await Server::stop(std::move(server), std::move(last_call));
}

}  // namespace upstream
