// Routes the paths of one listener.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "transport/access.h"
#include "transport/http.h"
#include "transport/lines.h"
#include "transport/streamable_http.h"
#include "transport/streams.h"

namespace transport {

struct EndpointOptions {
    AccessOptions access;
    StreamableOptions streamable;
    LineOptions lines;
    std::string version = "0";
    // Handles the introduction that a Unix-socket client may send as its first line; `others` is the number
    // of this server's other clients.
    std::function<std::optional<Introduction>(int descriptor, std::string_view line, std::size_t others)>
        introduce = {};
    // Adds members to the answer of /healthz; may be empty.
    std::function<json::object()> health = {};
    // Answers requests to /api and below; empty: there is no API.
    std::function<void(mcp::Server& server, const std::shared_ptr<HttpExchange>& exchange,
                       tools::Caller caller)>
        api = {};
    // Called for a refused request that a page may have sent, with the request and the rule that refused it.
    std::function<void(const std::string& what, const std::string& rule)> refused = {};
    std::function<void()> stop = {};  // called by GET /killkillkill; empty: there is no such path
};

class Endpoints;

// The sender of a request, and the time until which its authentication is valid.
struct Visitor {
    tools::Caller caller = {};
    Identity::Time expires = Identity::Time::max();
};

// A path of the listener, or a path and everything below it.
struct Route {
    enum class Token { Needed, NotNeeded };
    enum class Shown { ToPeople, ToPrograms };  // whether a person may view it in a browser

    std::string_view path;  // "/api/*" is everything below /api
    Token token;
    Shown shown;
    void (Endpoints::*serve)(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    std::string_view page_methods = {};  // allowed to pages that may read the answers; empty: none

    bool matches(std::string_view asked) const;
};

// Routes every request of the listener: checks its sender, then passes it on by path.
class Endpoints {
public:
    Endpoints(mcp::Server& server, EndpointOptions options);

    // All routes; the first one that matches answers.
    static std::span<const Route> routes();

    // The port is known only once the listener has it.
    void set_access(AccessOptions access);
    void handle(const std::shared_ptr<HttpExchange>& exchange);
    // Serves a Unix-socket client that sends lines of JSON.
    void take_lines(int descriptor, std::string first_bytes);

    // Disconnects all clients: streams get their last messages, calls are cancelled.
    void close();
    std::size_t client_count() const;

private:
    // A request whose sender is being verified by an authorization server.
    struct Authenticating {
        std::shared_ptr<HttpExchange> exchange;
        Running running;
    };

    // Lets a page of an allowed origin read the answer. Returns true for a preflight, which it has answered.
    bool admit_page(HttpExchange& exchange, const Route& route) const;
    // Every request passes through this before its route serves it.
    void authenticate(const Route& route, const std::shared_ptr<HttpExchange>& exchange);
    void admit(const Route& route, const std::shared_ptr<HttpExchange>& exchange, Result<Authenticated> who);
    void refuse(HttpExchange& exchange, const Refusal& refusal) const;
    // Refuses the request if a page may have sent it.
    std::optional<Refusal> refuse_page(const HttpExchange& exchange, const Route& route) const;
    void serve_mcp(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_api(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_websocket(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_sse(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_metrics(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_stop(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_resource_metadata(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_health(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_root(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void serve_nothing(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);
    void answer_landing_page(HttpExchange& exchange) const;

    mcp::Server& server_;
    EndpointOptions options_;
    Access access_;
    StreamableHttp streamable_;
    LegacySse sse_;
    WebSocketClients websockets_;
    std::list<std::shared_ptr<LineClient>> lines_;
    std::map<std::uint64_t, Authenticating> authenticating_;
    std::uint64_t requests_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace transport
