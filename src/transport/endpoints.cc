#include "transport/endpoints.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <unistd.h>

#include "mcp/message.h"
#include "transport/cross_origin.h"
#include "util/crypto.h"
#include "util/peer_user.h"
#include "util/strings.h"

namespace transport {
namespace {

void answer_json(HttpExchange& exchange, int status, const json::value& body, Headers headers = {}) {
    headers.emplace_back("Content-Type", "application/json");
    exchange.respond(status, headers, json::serialize(body));
}

std::string_view error_code(int status) {
    if (status == 401) return "UNAUTHORIZED";
    return status == 503 ? "UNAVAILABLE" : "FORBIDDEN";
}

bool wants_html(const HttpExchange& exchange) {
    return exchange.method() == "GET" &&
           exchange.header("Accept").value_or("").find("text/html") != std::string_view::npos;
}

}  // namespace

Endpoints::Endpoints(mcp::Server& server, EndpointOptions options)
    : server_(server),
      options_(std::move(options)),
      access_(options_.access),
      streamable_(server, options_.streamable),
      sse_(server),
      websockets_(server) {
    server.metrics().gauge("troupe_resident_memory_bytes", "Resident memory of the server process.",
                           [] { return static_cast<double>(resident_bytes()); });
    server.metrics().gauge("troupe_uptime_seconds", "Time since the server started.", [this] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    });
    server.metrics().gauge("troupe_line_clients", "Open Unix-socket clients that speak lines of JSON.",
                           [this] { return static_cast<double>(lines_.size()); });
}

void Endpoints::set_access(AccessOptions access) {
    options_.access = access;
    access_ = Access(std::move(access));
}

std::optional<Refusal> Endpoints::refuse_page(const HttpExchange& exchange, const Route& route) const {
    auto refusal = access_.check_origin(exchange);
    if (!refusal) refusal = access_.check_browser(exchange, route.shown == Route::Shown::ToPeople);
    if (refusal && options_.refused) {
        std::string host(exchange.header("Host").value_or(""));
        options_.refused("http://" + host + std::string(exchange.path()), refusal->rule);
    }
    return refusal;
}

// "/mcp/" is "/mcp".
bool Route::matches(std::string_view asked) const {
    if (asked.size() > 1 && asked.ends_with('/')) asked.remove_suffix(1);
    if (!path.ends_with("/*")) return asked == path;
    std::string_view folder = path.substr(0, path.size() - 1);
    return asked.size() > folder.size() && asked.starts_with(folder);
}

std::span<const Route> Endpoints::routes() {
    using enum Route::Token;
    using enum Route::Shown;
    static constexpr std::array kRoutes{
        Route{"/mcp", Needed, ToPrograms, &Endpoints::serve_mcp, "GET, POST, DELETE"},
        Route{"/mcp/*", Needed, ToPrograms, &Endpoints::serve_mcp, "GET, POST, DELETE"},
        Route{"/api/openapi.json", Needed, ToPeople, &Endpoints::serve_api},
        Route{"/api", Needed, ToPrograms, &Endpoints::serve_api},
        Route{"/api/*", Needed, ToPrograms, &Endpoints::serve_api},
        Route{"/ws", Needed, ToPrograms, &Endpoints::serve_websocket},
        Route{"/sse", Needed, ToPrograms, &Endpoints::serve_sse, "GET"},
        Route{"/messages", Needed, ToPrograms, &Endpoints::serve_sse, "POST"},
        Route{"/metrics", Needed, ToPeople, &Endpoints::serve_metrics},
        Route{"/killkillkill", Needed, ToPrograms, &Endpoints::serve_stop},
        // The OAuth metadata that tells clients where to get a token.
        Route{kResourceMetadataPath, NotNeeded, ToPrograms, &Endpoints::serve_resource_metadata, "GET"},
        Route{"/.well-known/oauth-protected-resource/*", NotNeeded, ToPrograms,
              &Endpoints::serve_resource_metadata, "GET"},
        // A supervisor's probe needs no token and learns only that the server is alive.
        Route{"/healthz", NotNeeded, ToPeople, &Endpoints::serve_health},
        Route{"/", Needed, ToPeople, &Endpoints::serve_root, "GET, POST, DELETE"},
        // Matches every other path.
        Route{"/*", Needed, ToPrograms, &Endpoints::serve_nothing},
    };
    return kRoutes;
}

void Endpoints::handle(const std::shared_ptr<HttpExchange>& exchange) {
    auto all = routes();
    auto route = std::ranges::find_if(all, [&](const Route& each) { return each.matches(exchange->path()); });
    if (route == all.end()) --route;
    if (auto refusal = refuse_page(*exchange, *route)) return refuse(*exchange, *refusal);
    if (admit_page(*exchange, *route)) return;
    if (route->token == Route::Token::NotNeeded) return (this->*route->serve)(exchange, {});
    authenticate(*route, exchange);
}

bool Endpoints::admit_page(HttpExchange& exchange, const Route& route) const {
    auto reader = access_.readable_by(exchange);
    if (!reader || route.page_methods.empty()) return false;
    exchange.add_headers(cross_origin_headers(std::move(*reader)));
    // A preflight carries no token: only the request after it does.
    if (!is_preflight(exchange)) return false;
    answer_preflight(exchange, route.page_methods);
    return true;
}

void Endpoints::authenticate(const Route& route, const std::shared_ptr<HttpExchange>& exchange) {
    std::uint64_t number = ++requests_;
    Running running =
        start(access_.authenticate(*exchange), [this, &route, exchange, number](Result<Authenticated> who) {
            authenticating_.erase(number);
            admit(route, exchange, std::move(who));
        });
    if (!running.done()) authenticating_[number] = {exchange, std::move(running)};
}

void Endpoints::admit(const Route& route, const std::shared_ptr<HttpExchange>& exchange,
                      Result<Authenticated> who) {
    if (exchange->is_gone()) return;
    if (!who) return refuse(*exchange, {503, "It cannot be found out now who sends this. Try again."});
    if (const auto* refusal = std::get_if<Refusal>(&*who)) return refuse(*exchange, *refusal);
    auto& identity = std::get<Identity>(*who);
    exchange->expire_at(identity.expires);
    (this->*route.serve)(exchange, {.caller = {.principal = std::move(identity.principal),
                                               .scopes = std::move(identity.scopes),
                                               .same_user = exchange->is_of_same_user()},
                                    .expires = identity.expires});
}

void Endpoints::refuse(HttpExchange& exchange, const Refusal& refusal) const {
    Headers headers{{"Content-Type", "application/json"}};
    if (refusal.status == 401 || !refusal.error.empty())
        headers.emplace_back("WWW-Authenticate", access_.challenge(exchange, refusal));
    if (refusal.status == 503) headers.emplace_back("Retry-After", "5");
    if (exchange.path().starts_with("/api/")) {
        json::object body{
            {"error", error_code(refusal.status)}, {"message", refusal.message}, {"details", nullptr}};
        return exchange.respond(refusal.status, headers, json::serialize(body));
    }
    exchange.respond(refusal.status, headers,
                     mcp::make_error(std::nullopt, {.code = mcp::kServerError, .message = refusal.message}));
}

void Endpoints::serve_mcp(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    constexpr std::string_view kNamed = "/mcp/";
    std::string_view path = exchange->path();
    if (path.ends_with('/')) path.remove_suffix(1);
    if (path.starts_with(kNamed)) visitor.caller.path_name = decode_url(path.substr(kNamed.size()));
    if (exchange->wants_upgrade()) return serve_websocket(exchange, std::move(visitor));
    streamable_.handle(exchange, std::move(visitor.caller));
}

void Endpoints::serve_api(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    if (!options_.api) return serve_nothing(exchange, std::move(visitor));
    options_.api(server_, exchange, std::move(visitor.caller));
}

void Endpoints::serve_websocket(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    websockets_.open(exchange, std::move(visitor.caller), visitor.expires);
}

void Endpoints::serve_sse(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    if (exchange->method() == "POST") return sse_.post(exchange, visitor.caller);
    if (exchange->method() == "GET" && exchange->path().starts_with("/sse"))
        return sse_.open(exchange, std::move(visitor.caller));
    serve_nothing(exchange, std::move(visitor));
}

void Endpoints::serve_metrics(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    if (exchange->method() != "GET") return serve_nothing(exchange, std::move(visitor));
    exchange->respond(200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
                      server_.metrics().render());
}

void Endpoints::serve_stop(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    if (exchange->method() != "GET" || !options_.stop) return serve_nothing(exchange, std::move(visitor));
    exchange->respond(200, {{"Content-Type", "text/plain; charset=utf-8"}}, "Killing process");
    options_.stop();
}

void Endpoints::serve_root(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    if (exchange->wants_upgrade()) return serve_websocket(exchange, std::move(visitor));
    if (wants_html(*exchange)) return answer_landing_page(*exchange);
    streamable_.handle(exchange, std::move(visitor.caller));
}

void Endpoints::serve_nothing(const std::shared_ptr<HttpExchange>& exchange, Visitor) {
    answer_json(
        *exchange, 404,
        json::object{{"error", "NOT_FOUND"}, {"message", "There is nothing at this path. MCP is at /mcp."}});
}

void Endpoints::serve_resource_metadata(const std::shared_ptr<HttpExchange>& exchange, Visitor visitor) {
    auto metadata =
        access_.resource_metadata(*exchange, exchange->path().substr(kResourceMetadataPath.size()));
    if (exchange->method() != "GET" || !metadata) return serve_nothing(exchange, std::move(visitor));
    answer_json(*exchange, 200, *metadata);
}

void Endpoints::serve_health(const std::shared_ptr<HttpExchange>& exchange, Visitor) {
    json::object health{{"status", "ok"}, {"version", options_.version}};
    if (options_.health) {
        for (auto& [key, value] : options_.health()) health[key] = value;
    }
    answer_json(*exchange, 200, health, {{"Cache-Control", "no-store"}});
}

void Endpoints::answer_landing_page(HttpExchange& exchange) const {
    std::string base = "http://" + escape_html(exchange.header("Host").value_or("localhost"));
    std::string page =
        "<!doctype html><html lang=en><meta charset=utf-8><title>Troupe</title>"
        "<meta name=viewport content='width=device-width'>"
        "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:4rem auto;padding:0 "
        "1rem;color:#1b1f24;background:#fff}"
        "h1{margin-bottom:0}p.sub{color:#57606a;margin-top:.25rem}pre{background:#f6f8fa;padding:.75rem "
        "1rem;border-radius:6px;overflow:auto}"
        "td{padding:.2rem 1rem .2rem "
        "0}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}pre{background:#161b22}p."
        "sub{color:#8b949e}"
        "a{color:#58a6ff}}</style>"
        "<h1>Troupe</h1><p class=sub>" +
        escape_html(options_.version) +
        ", running. Browsers for many agents over MCP.</p>"
        "<h2>Connect</h2><pre>claude mcp add --transport http troupe " +
        base +
        "/mcp</pre>"
        "<h2>Here</h2><table>"
        "<tr><td><code>/mcp</code><td>streamable HTTP, every protocol revision; "
        "<code>/mcp/&lt;name&gt;</code> names a session"
        "<tr><td><code>/sse</code><td>legacy HTTP+SSE"
        "<tr><td><a href=/api/openapi.json>/api</a><td>JSON API: calls, sessions, the record"
        "<tr><td><code>/ws</code><td>WebSocket"
        "<tr><td><a href=/healthz>/healthz</a><td>liveness"
        "<tr><td><a href=/metrics>/metrics</a><td>Prometheus</table></html>";
    exchange.respond(200,
                     {{"Content-Type", "text/html; charset=utf-8"},
                      {"Content-Security-Policy", std::string(kShownPagePolicy)}},
                     std::move(page));
}

void Endpoints::take_lines(int descriptor, std::string first_bytes) {
    int out = ::dup(descriptor);
    if (out < 0) {
        server_.log().warn("cannot serve a Unix-socket client", {{"error", std::strerror(errno)}});
        ::close(descriptor);
        return;
    }
    tools::Caller caller{.connection = random_uuid(), .same_user = is_same_user(descriptor)};
    LineOptions lines = options_.lines;
    if (options_.introduce) {
        lines.introduce = [this, descriptor](std::string_view line) {
            return options_.introduce(descriptor, line, client_count() - 1);
        };
    }
    auto place = lines_.insert(lines_.end(), nullptr);
    *place = LineClient::start(server_, descriptor, out, std::move(first_bytes), std::move(lines),
                               std::move(caller), [this, place] { lines_.erase(place); });
}

void Endpoints::close() {
    for (auto& [number, waiting] : std::exchange(authenticating_, {}))
        refuse(*waiting.exchange, {503, "The server is ending."});
    streamable_.close();
    sse_.close();
    websockets_.close();
    for (const auto& client : lines_) client->close();
}

std::size_t Endpoints::client_count() const {
    return streamable_.session_count() + sse_.count() + websockets_.count() + lines_.size();
}

}  // namespace transport
