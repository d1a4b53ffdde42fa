// The MCP server of one session, whichever process that is at the moment.
#pragma once

#include <memory>
#include <string>

#include "upstream/callers.h"
#include "upstream/restart_budget.h"
#include "upstream/server.h"
#include "util/shared_result.h"

namespace upstream {

// Starts the server with the first call, and again with the next call after it ended on its own, as far as
// the limits let it. Lives on the loop; what it is given outlives it.
class Child : public std::enable_shared_from_this<Child> {
public:
    using Clock = std::chrono::steady_clock;
    using Launch = std::function<Task<std::shared_ptr<Server>>(Server::Events events)>;
    using ListChanged = std::function<void(const std::shared_ptr<Server>& server)>;

    Child(Loop& loop, const RestartLimits& limits, Launch launch, ListChanged list_changed, Log& log,
          Callers::FolderOf folder_of = {});

    // Calls run side by side. Dropping the Task cancels the call at the server, not the server's start. What
    // the server asks meanwhile goes to `client`.
    static Task<mcp::RawResult> call(std::shared_ptr<Child> self, std::string tool, json::object arguments,
                                     tools::Client& client, mcp::CallOptions options);
    // The same for any other request.
    static Task<mcp::RawResult> request(std::shared_ptr<Child> self, std::string method, json::object params,
                                        tools::Client& client, Deadline deadline);
    // Ends the server, after a call of the tool `last_call` unless that is empty or was the last one anyway.
    static Task<> close(std::shared_ptr<Child> self, std::string last_call);

    bool is_idle_since(Clock::time_point time) const { return callers_->empty() && last_used_ <= time; }
    Clock::time_point last_used() const { return last_used_; }
    // See Callers::workspace().
    const std::filesystem::path& workspace() const { return callers_->workspace(); }
    bool is_running() const { return server_ && !server_->ended(); }
    // For how long it will not be started again; zero when it may be.
    std::chrono::seconds closed_for();
    // The session's browser state is gone for this reason; its next answer is to say so.
    void note_loss(std::string reason) { loss_ = std::move(reason); }
    // What the answer that comes next has to say, once; empty: nothing.
    std::string take_loss() { return std::exchange(loss_, {}); }

private:
    using Starting = SharedResult<std::shared_ptr<Server>>;
    class Use;

    static Task<std::shared_ptr<Server>> ready(std::shared_ptr<Child> self);
    static Task<std::shared_ptr<Server>> ready_by(std::shared_ptr<Child> self, Deadline deadline);
    std::shared_ptr<Starting> begin_start();
    Task<std::shared_ptr<Server>> start_when_due();
    Server::Events events();
    void note_end() { budget_.note_end(Clock::now()); }
    void note_own_end(const Error& reason);

    Loop& loop_;
    Launch launch_;
    ListChanged list_changed_;
    Log& log_;
    RestartBudget budget_;
    std::shared_ptr<Callers> callers_;
    std::shared_ptr<Server> server_;
    std::shared_ptr<Starting> starting_;  // null unless one is being started
    Running start_;
    Clock::time_point last_used_ = Clock::now();
    std::string last_tool_;
    std::string loss_;
    bool closed_ = false;
};

}  // namespace upstream
