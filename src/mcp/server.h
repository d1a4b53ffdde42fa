// Answers MCP requests of both eras from one registry.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mcp/call_keeper.h"
#include "mcp/call_pipeline.h"
#include "mcp/exchange.h"
#include "mcp/modern.h"
#include "mcp/presence.h"
#include "mcp/request_state.h"
#include "mcp/subscriptions.h"
#include "mcp/watchdog.h"
#include "tools/call_gate.h"
#include "tools/registry.h"
#include "util/async.h"
#include "util/log.h"
#include "util/metrics.h"

namespace mcp {

// How a client that stayed is gone: it said so, it was lost and may come back, or it was lost and did not
// come back in the time that it had.
enum class Departure { Goodbye, Lost, Expired };

struct ServerOptions {
    std::string name = "troupe";
    std::string title = "Troupe";
    std::string version = "0";
    std::string instructions = {};
    std::chrono::milliseconds call_timeout{std::chrono::minutes(10)};
    std::size_t page_size = 1000;     // entries of a list on one page
    std::size_t max_in_flight = 256;  // requests of one connection at the same time
    std::size_t max_batch = 100;      // messages in one 2025-03-26 batch
    CallKeeper* keeper = nullptr;     // null: calls are only answered
    tools::CallGate* gate = nullptr;  // null: everybody may call everything
    std::string agent_id = {};        // what every caller is called; empty: what its client calls itself
    Presence* presence = nullptr;     // told of every client that stays; null: nobody asks
    // Told of a client that stays once the handshake is done.
    std::function<void(const tools::Caller&)> on_connection_began = {};
    // Told when it is gone.
    std::function<void(const tools::Caller&, Departure how)> on_connection_ended = {};
    // Gets a line about each call that the watchdog gave up.
    std::function<void(const std::string& call)> on_call_overdue = {};
};

// What a method gives: the JSON text of its result, or an error.
struct Answer {
    std::string result;
    std::optional<RpcError> error = std::nullopt;
    int http_status = 200;
};

class Methods;

// The protocol's lifecycle and the way of one request. One for the process; lives on the main loop, as
// everything it is given.
class Server {
public:
    Server(Loop& loop, tools::Registry& registry, ServerOptions options, Log& log, Metrics& metrics);
    ~Server();

    // Answers a request and hands the answer to its outlet. Dropping the Running cancels the work and answers
    // with an error, unless the client cancelled the request.
    Running serve(std::shared_ptr<Exchange> exchange, std::function<void()> done);

    // The result of `initialize`: settles the version and keeps what the client said in `client`.
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
    // Every call of every entry, and whatever stands for one, runs through this one.
    CallPipeline& calls() { return calls_; }
    // Every call of every entry is watched by this one.
    Watchdog& watchdog() { return watchdog_; }

private:
    class Reply;

    Task<> run(std::shared_ptr<Exchange> exchange);

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
