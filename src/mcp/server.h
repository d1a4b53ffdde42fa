// Answers MCP requests of both eras from one registry.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mcp/call_middleware.h"
#include "mcp/call_pipeline.h"
#include "mcp/modern.h"
#include "mcp/presence.h"
#include "mcp/request_context.h"
#include "mcp/request_state.h"
#include "mcp/subscriptions.h"
#include "mcp/watchdog.h"
#include "tools/call_gate.h"
#include "tools/registry.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace mcp {

// How a client with a lasting connection left: it closed the session, it was lost and may come back, or it
// was lost and did not come back in time.
enum class Departure { Goodbye, Lost, Expired };

struct ServerOptions {
    std::string name = "troupe";
    std::string title = "Troupe";
    std::string version = "0";
    std::string instructions = {};
    std::chrono::milliseconds call_timeout{std::chrono::minutes(10)};
    std::size_t page_size = 1000;          // entries of a list on one page
    std::size_t max_in_flight = 256;       // requests of one connection at the same time
    std::size_t max_batch = 100;           // messages in one 2025-03-26 batch
    std::size_t max_result_bytes = 0;      // zero: no limit
    CallMiddleware* middleware = nullptr;  // null: calls are not recorded or redacted
    tools::CallGate* gate = nullptr;       // null: every call is allowed
    std::string agent_id = {};             // agent name of every caller; empty: each client's own name
    Presence* presence = nullptr;          // gets every lasting client connection; may be null
    // Called for a client with a lasting connection once the handshake is done.
    std::function<void(const tools::Caller&)> on_connection_began = {};
    // Called when a client announces that its roots changed.
    std::function<void(const tools::Caller&)> on_roots_changed = {};
    // Called when the connection has ended.
    std::function<void(const tools::Caller&, Departure how)> on_connection_ended = {};
    // Gets a line about each call that the watchdog ended.
    std::function<void(const std::string& call)> on_call_overdue = {};
};

// The answer of a method: the JSON text of its result, or an error.
struct Answer {
    std::string result;
    std::optional<RpcError> error = std::nullopt;
    int http_status = 200;
};

class Methods;

// Runs the protocol's lifecycle and dispatches requests. One per process; it and everything passed to it live
// on the main loop.
class Server {
public:
    Server(Loop& loop, tools::Registry& registry, ServerOptions options, Log& log, Metrics& metrics);
    ~Server();

    // Answers a request on its sink. Dropping the Running cancels the work and answers with an error, unless
    // the client cancelled the request.
    Running serve(std::shared_ptr<RequestContext> context, std::function<void()> done);

    // The result of `initialize`: chooses the version and stores the client's description in `client`.
    Answer initialize(const Request& request, ClientState& client) const;

    // Ends every subscription stream; the transports close once none is open.
    void shut_down();
    bool is_shutting_down() const { return shutting_down_; }
    bool has_open_streams() const { return open_streams_ > 0; }

    Loop& loop() { return loop_; }
    tools::Registry& registry() { return registry_; }
    Subscriptions& subscriptions() { return subscriptions_; }
    const ServerOptions& options() const { return options_; }
    Log& log() { return log_; }
    Metrics& metrics() { return metrics_; }
    // The pipeline for every call of every entry, and for operations that stand for calls.
    CallPipeline& calls() { return calls_; }
    // The watchdog for every call of every entry.
    Watchdog& watchdog() { return watchdog_; }

private:
    class Reply;

    Task<> run(std::shared_ptr<RequestContext> context);

    Loop& loop_;
    tools::Registry& registry_;
    ServerOptions options_;
    Log& log_;
    Metrics& metrics_;
    CallPipeline calls_;
    Watchdog watchdog_;
    Subscriptions subscriptions_;
    RequestStateSealer sealer_;
    bool shutting_down_ = false;
    std::size_t open_streams_ = 0;  // subscriptions without their last answer
    std::unique_ptr<Methods> methods_;
};

}  // namespace mcp
