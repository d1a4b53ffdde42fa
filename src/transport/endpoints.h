// One listener, many paths.
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
    // Takes the first line of a Unix-socket client that says who it is; `others` are this server's other
    // clients.
    std::function<std::optional<Introduction>(int descriptor, std::string_view line, std::size_t others)>
        introduce = {};
    // What /healthz says beyond that we live; may be empty.
    std::function<json::object()> health = {};
    // Answers what is at /api and below; empty: nothing is.
    std::function<void(mcp::Server& server, const std::shared_ptr<HttpExchange>& exchange,
                       tools::Caller caller)>
        api = {};
    // Told of what was asked for that a page may have asked for, and by which rule it was refused.
    std::function<void(const std::string& what, const std::string& rule)> refused = {};
    std::function<void()> stop = {};  // what GET /killkillkill does; empty: there is no such path
};

class Endpoints;

// Who sends a request, and until when the sender is believed.
struct Visitor {
    tools::Caller caller = {};
    Identity::Time expires = Identity::Time::max();
};

// What is at one path of the listener, or below it.
struct Route {
    enum class Token { Needed, NotNeeded };
    enum class Shown { ToPeople, ToPrograms };  // whether a person may look at it in a browser

    std::string_view path;  // "/api/*" is everything below /api
    Token token;
    Shown shown;
    void (Endpoints::*serve)(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor);

    bool matches(std::string_view asked) const;
};

// Routes every request of the listener: checks who asks, then hands it on by path.
class Endpoints {
public:
    Endpoints(mcp::Server& server, EndpointOptions options);

    // All there are; the first that matches answers.
    static std::span<const Route> routes();

    // The port is known only once the listener has it.
    void set_access(AccessOptions access);
    void handle(const std::shared_ptr<HttpExchange>& exchange);
    // A Unix-socket client that speaks lines of JSON.
    void take_lines(int descriptor, std::string first_bytes);

    // Ends all clients: streams get their last words, calls are cancelled.
    void close();
    std::size_t client_count() const;

private:
    // A request whose sender an authorization server is asked about.
    struct Authenticating {
        std::shared_ptr<HttpExchange> exchange;
        Running running;
    };

    // The one way from a request to what serves it.
    void authenticate(const Route& route, const std::shared_ptr<HttpExchange>& exchange);
    void admit(const Route& route, const std::shared_ptr<HttpExchange>& exchange, Result<Authenticated> who);
    void refuse(HttpExchange& exchange, const Refusal& refusal) const;
    // Whether a page may be asking.
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
