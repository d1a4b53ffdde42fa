// The MCP server of one session, whose process may change.
#pragma once

#include <memory>
#include <string>

#include "upstream/active_calls.h"
#include "upstream/restart_budget.h"
#include "upstream/server_connection.h"
#include "util/shared_result.h"

namespace upstream {

// Starts the server with the first call, and again with the next call after it ended on its own, as far as
// the limits allow. Lives on the loop; its constructor arguments outlive it.
class SessionServer : public std::enable_shared_from_this<SessionServer> {
public:
    using Clock = std::chrono::steady_clock;
    using Launch = std::function<Task<std::shared_ptr<ServerConnection>>(ServerConnection::Events events)>;
    using ListChanged = std::function<void(const std::shared_ptr<ServerConnection>& server)>;

    SessionServer(Loop& loop, const RestartLimits& limits, Launch launch, ListChanged list_changed, Log& log,
                  ActiveCalls::FolderOf folder_of = {});

    // Calls run side by side. Dropping the Task cancels the call at the server, not the server's start. The
    // server's questions during the call go to `client`.
    static Task<mcp::RawResult> call(std::shared_ptr<SessionServer> self, std::string tool,
                                     json::object arguments, tools::Client& client, mcp::CallOptions options);
    // The same for any other request.
    static Task<mcp::RawResult> request(std::shared_ptr<SessionServer> self, std::string method,
                                        json::object params, tools::Client& client, Deadline deadline);
    // Ends the server, after a call of the tool `last_call` unless that is empty or was the last call anyway.
    static Task<> close(std::shared_ptr<SessionServer> self, std::string last_call);

    bool is_idle_since(Clock::time_point time) const { return active_calls_->empty() && last_used_ <= time; }
    Clock::time_point last_used() const { return last_used_; }
    // See ActiveCalls::workspace().
    const std::filesystem::path& workspace() const { return active_calls_->workspace(); }
    bool is_running() const { return server_ && !server_->ended(); }
    // Null unless it runs.
    std::shared_ptr<ServerConnection> running() const { return is_running() ? server_ : nullptr; }
    // The time until it may be started again; zero when it may be now.
    std::chrono::seconds closed_for();
    // Records why the session's browser state is gone; its next answer reports that.
    void note_loss(std::string reason) { loss_ = std::move(reason); }
    // Returns the reason that the next answer must report, once; empty: none.
    std::string take_loss() { return std::exchange(loss_, {}); }

private:
    using Starting = SharedResult<std::shared_ptr<ServerConnection>>;
    class Use;

    static Task<std::shared_ptr<ServerConnection>> ready(std::shared_ptr<SessionServer> self);
    static Task<std::shared_ptr<ServerConnection>> ready_by(std::shared_ptr<SessionServer> self,
                                                            Deadline deadline);
    std::shared_ptr<Starting> begin_start();
    Task<std::shared_ptr<ServerConnection>> start_when_due();
    ServerConnection::Events events();
    void note_end() { budget_.note_end(Clock::now()); }
    void note_own_end(const Error& reason);

    Loop& loop_;
    Launch launch_;
    ListChanged list_changed_;
    Log& log_;
    RestartBudget budget_;
    std::shared_ptr<ActiveCalls> active_calls_;
    std::shared_ptr<ServerConnection> server_;
    std::shared_ptr<Starting> starting_;  // null unless a start is in progress
    Running start_;
    Clock::time_point last_used_ = Clock::now();
    std::string last_tool_;
    std::string loss_;
    bool closed_ = false;
};

}  // namespace upstream
