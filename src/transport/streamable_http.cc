#include "transport/streamable_http.h"

#include "mcp/modern.h"
#include "mcp/version.h"
#include "util/crypto.h"
#include "util/strings.h"

namespace transport {
namespace {

void reject(HttpExchange& exchange, int status, int code, std::string message,
            const std::optional<mcp::RequestId>& id = std::nullopt, Headers more = {}) {
    more.emplace_back("Content-Type", "application/json");
    exchange.respond(status, more, mcp::make_error(id, {.code = code, .message = std::move(message)}));
}

// Whether an Accept header allows a media type; a missing header allows every type.
bool accepts(const HttpExchange& exchange, std::string_view type) {
    auto accept = exchange.header("Accept");
    if (!accept) return true;
    std::string_view family = type.substr(0, type.find('/'));
    for (const std::string& entry : split(*accept, ',')) {
        std::string_view given = trim(std::string_view(entry).substr(0, entry.find(';')));
        if (given == "*/*" || equals_ignoring_case(given, type)) return true;
        if (given.ends_with("/*") && equals_ignoring_case(given.substr(0, given.size() - 2), family))
            return true;
    }
    return false;
}

bool is_json(const HttpExchange& exchange) {
    std::string_view type = exchange.header("Content-Type").value_or("");
    return equals_ignoring_case(trim(type.substr(0, type.find(';'))), "application/json");
}

std::optional<mcp::RequestId> id_of(const json::value& message) {
    const json::value* id = json::find(message, "id");
    return id ? mcp::parse_request_id(*id) : std::nullopt;
}

bool is_request(const json::value& message) {
    return json::find(message, "method") && json::find(message, "id");
}

bool is_method(const json::value& message, std::string_view name) {
    const json::value* method = json::find(message, "method");
    return method && method->is_string() && std::string_view(method->get_string()) == name;
}

}  // namespace

StreamableHttp::StreamableHttp(mcp::Server& server, StreamableOptions options)
    : server_(server), options_(options), ticker_(server.loop()) {
    server.metrics().gauge("troupe_http_sessions", "Live legacy HTTP sessions.",
                           [this] { return static_cast<double>(sessions_.size()); });
}

StreamableHttp::~StreamableHttp() { close(); }

void StreamableHttp::handle(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller) {
    if (exchange->method() == "POST") return post(exchange, std::move(caller));
    // The stateless era has only POST.
    auto version = exchange->header("MCP-Protocol-Version");
    bool modern = version && mcp::is_modern_version(trim(*version));
    if (!modern && exchange->method() == "GET") {
        if (!accepts(*exchange, "text/event-stream")) {
            return reject(*exchange, 406, mcp::kServerError,
                          "Not Acceptable: the client must accept text/event-stream.");
        }
        if (auto session = find_session(*exchange, caller, std::nullopt)) session->open_stream(exchange);
        return;
    }
    if (!modern && exchange->method() == "DELETE") return end_session(exchange, caller);
    reject(*exchange, 405, mcp::kServerError, "Method not allowed.", std::nullopt,
           {{"Allow", modern ? "POST" : "GET, POST, DELETE"}});
}

void StreamableHttp::post(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller) {
    if (!is_json(*exchange)) {
        return reject(*exchange, 415, mcp::kServerError,
                      "Unsupported Media Type: Content-Type must be application/json.");
    }
    if (!accepts(*exchange, "application/json") || !accepts(*exchange, "text/event-stream")) {
        return reject(*exchange, 406, mcp::kServerError,
                      "Not Acceptable: the client must accept application/json and text/event-stream.");
    }
    auto body = json::parse(exchange->body());
    if (!body) return reject(*exchange, 400, mcp::kParseError, "Parse error: " + body.error().message);

    if (const auto* batch = body->if_array()) {
        if (std::any_of(batch->begin(), batch->end(),
                        [](const json::value& each) { return mcp::has_modern_claim(each); })) {
            return reject(*exchange, 400, mcp::kInvalidRequest,
                          "Invalid Request: the stateless protocol has no batches.");
        }
        return post_legacy(exchange, std::move(*body), std::move(caller));
    }
    auto version = exchange->header("MCP-Protocol-Version");
    bool modern = mcp::has_modern_claim(*body) || (version && mcp::is_modern_version(trim(*version)));
    if (modern) return post_modern(exchange, std::move(*body), std::move(caller));
    post_legacy(exchange, std::move(*body), std::move(caller));
}

// The answer to one stateless POST: plain JSON, or an event stream once a message comes before it. The
// request is cancelled when the client disconnects.
class StreamableHttp::ModernPost final : public mcp::ResponseSink {
public:
    using Clock = HttpSession::Clock;

    explicit ModernPost(std::shared_ptr<HttpExchange> exchange) : exchange_(std::move(exchange)) {}

    // Turns a slow answer into a stream: clients and proxies give up on connections without any bytes.
    void stream_when_slow(Clock::time_point now) {
        if (!answered_ && now - begun_ >= kSlowAnswer) begin_stream();
    }

    void notify(std::string message) override {
        begin_stream();
        exchange_->write(format_event("message", {}, message));
    }
    void respond(std::string message, int http_status) override {
        answered_ = true;
        if (streaming_) {
            exchange_->write(format_event("message", {}, message));
            exchange_->end();
        } else {
            exchange_->respond(http_status, {{"Content-Type", "application/json"}}, std::move(message));
        }
    }

private:
    void begin_stream() {
        if (!std::exchange(streaming_, true))
            exchange_->begin_stream(200, event_stream_headers(), std::string(kHeartbeat));
    }

    std::shared_ptr<HttpExchange> exchange_;
    bool streaming_ = false, answered_ = false;
    Clock::time_point begun_ = Clock::now();
};

void StreamableHttp::post_modern(const std::shared_ptr<HttpExchange>& exchange, json::value body,
                                 tools::Caller caller) {
    auto parsed = mcp::parse_message(std::move(body));
    if (const auto* bad = std::get_if<mcp::BadMessage>(&parsed)) {
        return reject(*exchange, 400, bad->error.code, bad->error.message, bad->id);
    }
    auto& message = std::get<mcp::Message>(parsed);
    if (std::holds_alternative<mcp::Notification>(message)) return exchange->respond(202, {}, {});
    auto* request = std::get_if<mcp::Request>(&message);
    if (!request)
        return reject(*exchange, 400, mcp::kInvalidRequest,
                      "Invalid Request: the stateless protocol has no responses from clients.");

    caller.agent = server_.options().agent_id;
    mcp::HeaderLookup headers = [&](std::string_view name) { return exchange->header(name); };
    auto opened = mcp::open_modern_request(*request, &headers, server_.registry(), std::move(caller));
    if (const auto* rejection = std::get_if<mcp::Rejection>(&opened)) {
        return exchange->respond(rejection->http_status, {{"Content-Type", "application/json"}},
                                 mcp::make_error(request->id, rejection->error));
    }
    std::uint64_t key = next_modern_++;
    exchange->on_gone([this, key] { modern_.erase(key); });
    auto answer = std::make_shared<ModernPost>(exchange);
    auto running =
        server_.serve(std::make_shared<mcp::RequestContext>(
                          std::move(*request), std::get<0>(std::move(opened)), answer, mcp::AskClient{}),
                      [this, key] { modern_.erase(key); });
    if (running.done()) return;
    modern_.emplace(key, Modern{answer, std::move(running)});
    tick_later();
}

std::shared_ptr<HttpSession> StreamableHttp::find_session(HttpExchange& exchange, const tools::Caller& caller,
                                                          const std::optional<mcp::RequestId>& id) {
    std::optional<std::string> name;
    if (auto header = exchange.header("Mcp-Session-Id")) name = trim(*header);
    // A DELETE may also name its session in the query.
    if (!name && exchange.method() == "DELETE") name = query_parameter(exchange.query(), "session");
    if (!name && exchange.method() == "GET" &&
        exchange.header("Accept").value_or("").find("text/event-stream") == std::string_view::npos) {
        // The sender is not a client but a person with a browser.
        exchange.respond(400, {{"Content-Type", "text/plain; charset=utf-8"}}, "Invalid request");
        return nullptr;
    }
    if (!name) {
        reject(exchange, 400, mcp::kServerError,
               "Invalid request: send initialize first, then its Mcp-Session-Id header with every request.",
               id);
        return nullptr;
    }
    auto it = sessions_.find(*name);
    // A caller must not learn about another caller's session, not even that it exists.
    if (it == sessions_.end() || it->second->principal() != caller.principal) {
        reject(exchange, 404, mcp::kSessionNotFound,
               "Session not found: it ended or never was. Send initialize again.", id);
        return nullptr;
    }
    auto version = exchange.header("MCP-Protocol-Version");
    if (version && !mcp::is_legacy_version(trim(*version))) {
        reject(exchange, 400, mcp::kServerError,
               "Bad Request: unsupported protocol version " + std::string(trim(*version)) +
                   " (supported: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28).",
               id);
        return nullptr;
    }
    it->second->set_scopes(caller.scopes);
    return it->second;
}

void StreamableHttp::post_legacy(const std::shared_ptr<HttpExchange>& exchange, json::value body,
                                 tools::Caller caller) {
    if (!body.is_array()) {
        if (auto bad = mcp::check_message(body))
            return reject(*exchange, 400, bad->error.code, bad->error.message, bad->id);
        if (is_method(body, "initialize") && is_request(body))
            return initialize(exchange, std::move(body), std::move(caller));
    }
    auto session = find_session(*exchange, caller, id_of(body));
    if (!session) return;
    if (holds_request(body) || body.is_array()) {
        session->post(std::move(body), exchange);
        tick_later();
    } else {
        session->post_without_answer(std::move(body));
        exchange->respond(202, {}, {});
    }
}

void StreamableHttp::initialize(const std::shared_ptr<HttpExchange>& exchange, json::value body,
                                tools::Caller caller) {
    if (exchange->header("Mcp-Session-Id")) {
        if (!find_session(*exchange, caller, id_of(body))) return;
        return reject(*exchange, 400, mcp::kInvalidRequest,
                      "Invalid Request: this session is initialized already.", id_of(body));
    }
    if (sessions_.size() >= options_.max_sessions) {
        return reject(*exchange, 503, mcp::kServerError,
                      "Too many sessions: " + std::to_string(options_.max_sessions) + ". Try again later.",
                      id_of(body), {{"Retry-After", "10"}});
    }
    std::string id = random_uuid();
    caller.connection = id;
    auto session = std::make_shared<HttpSession>(server_, id, std::move(caller));
    sessions_.emplace(id, session);
    session->post(std::move(body), exchange);
    if (session->initialized()) {
        note("create http session");
        return tick_later();
    }
    sessions_.erase(id);
    session->set_departure(mcp::Departure::Goodbye);
    session->close();
}

void StreamableHttp::end_session(const std::shared_ptr<HttpExchange>& exchange, const tools::Caller& caller) {
    auto session = find_session(*exchange, caller, std::nullopt);
    if (!session) return;
    sessions_.erase(session->id());
    session->set_departure(mcp::Departure::Goodbye);
    note("delete http session");
    session->close();
    exchange->respond(200, {}, {});
}

// Runs once a second while there are sessions or requests: expires idle sessions and turns slow answers into
// streams.
void StreamableHttp::tick_later() {
    if (ticking_ || (sessions_.empty() && modern_.empty())) return;
    ticking_ = true;
    constexpr std::chrono::milliseconds kMinInterval{10};
    auto interval = std::min<std::chrono::milliseconds>(
        {std::chrono::seconds(1), options_.session_timeout, absence_limit()});
    ticker_.start(std::max(kMinInterval, interval), [this] {
        ticking_ = false;
        tick();
        tick_later();
    });
}

void StreamableHttp::tick() {
    auto now = HttpSession::Clock::now();
    for (const auto& [key, request] : modern_) {
        if (auto answer = request.answer.lock()) answer->stream_when_slow(now);
    }
    for (auto it = sessions_.begin(); it != sessions_.end();) {
        auto session = it->second;
        session->stream_slow_answers(now);
        session->check_heartbeat(now, options_.ping_timeout);
        if (auto how = departure_of(*session, now)) {
            it = sessions_.erase(it);
            session->set_departure(*how);
            note("delete http session");
            session->close();
        } else {
            ++it;
        }
    }
}

std::chrono::milliseconds StreamableHttp::absence_limit() const {
    return options_.ping_timeout.count() > 0 ? options_.ping_timeout : options_.grace;
}

std::optional<mcp::Departure> StreamableHttp::departure_of(HttpSession& session,
                                                           HttpSession::Clock::time_point now) const {
    auto absent = session.absent_since(now);
    if (absent && now - *absent >= absence_limit()) return mcp::Departure::Expired;
    if (session.missed_heartbeat(now) || session.is_idle_since(now - options_.session_timeout))
        return mcp::Departure::Lost;
    return std::nullopt;
}

void StreamableHttp::close() {
    ticker_.cancel();
    modern_.clear();
    for (const auto& [id, session] : std::exchange(sessions_, {})) session->close();
}

}  // namespace transport
