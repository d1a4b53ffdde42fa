#include "transport/http_client.h"

#include <algorithm>
#include <deque>
#include <set>

#include "transport/http_client_exchange.h"
#include "transport/sse_parser.h"
#include "util/json.h"
#include "util/strings.h"

namespace transport {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxResumes = 5;  // consecutive failures
constexpr auto kMinRetry = 10ms;
constexpr auto kMaxRetry = std::chrono::milliseconds(30s);
constexpr auto kGoodbyeTimeout = 5s;
// Timeout for messages that expect no answer.
constexpr auto kDeliveryTimeout = 30s;
constexpr std::size_t kMaxRefusal = 64UL * 1024;

using Headers = std::vector<std::pair<std::string, std::string>>;

Result<void> check_headers(const Headers& headers) {
    for (const auto& [name, value] : headers)
        if (name.empty() || name.find_first_of(" :\r\n") != std::string::npos ||
            value.find_first_of("\r\n") != std::string::npos)
            return Error{.code = ErrorCode::InvalidArgument, .message = "Not a valid header: " + name};
    return ok();
}

bool is_visible_ascii(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7E; });
}

std::string media_type(const HttpClientHead& head) {
    std::string_view type = head.header("content-type");
    return to_lower(trim(type.substr(0, type.find(';'))));
}

}  // namespace

class HttpClient::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(Loop& loop, HttpClientOptions options, HttpUrl url, Log& log)
        : loop_(loop),
          options_(std::move(options)),
          url_(std::move(url)),
          server_("the MCP server at " + url_.shown),
          log_(log),
          pool_(make_http_client_pool(loop, url_.address)) {}

    void start(Handlers handlers) { handlers_ = std::move(handlers); }
    void send(std::string message, std::optional<std::int64_t> request);
    void release(std::int64_t request);
    void set_protocol_version(std::string_view version);
    void close();
    const std::string& session_id() const { return session_id_; }

private:
    // A POST, or the GET for messages that belong to no request, with the GETs that resume its stream.
    struct Call {
        explicit Call(Loop& loop) : timer(loop) {}

        std::optional<std::int64_t> request;  // the request that it answers
        bool listens = false;                 // the GET stream
        bool opens = false;                   // carries notifications/initialized
        bool released = false;
        bool named_session = false;  // it was sent with a session id
        HttpClientHead head;
        std::string body;
        std::optional<SseParser> stream;
        std::string last_event_id;
        std::optional<std::chrono::milliseconds> retry;
        int resumes = 0;
        std::shared_ptr<HttpClientExchange> exchange;
        boost::asio::steady_timer timer;
    };
    using CallPtr = std::shared_ptr<Call>;

    void post(std::string message, std::optional<std::int64_t> request, bool opens);
    void listen();
    void get(const CallPtr& call);
    void exchange(const CallPtr& call, HttpClientRequest request);
    Headers headers(const CallPtr& call) const;

    void take_head(const CallPtr& call, const HttpClientHead& head);
    void take_body(const CallPtr& call, std::string_view bytes);
    void take_end(const CallPtr& call, std::optional<Error> error);
    void take_refusal(const CallPtr& call);
    void take_stream_end(const CallPtr& call, const std::optional<Error>& error);
    void resume_later(const CallPtr& call);
    void abort_after(const CallPtr& call, std::chrono::milliseconds span);

    CallPtr find(std::int64_t request) const;
    void deliver(std::string message);
    void fail(const CallPtr& call, Error error);
    void forget(const CallPtr& call);
    void end_session(Error reason);
    void abort_all();

    Loop& loop_;
    HttpClientOptions options_;
    HttpUrl url_;
    std::string server_;  // for messages
    Log& log_;
    std::shared_ptr<HttpClientPool> pool_;
    Handlers handlers_;
    std::string session_id_;
    std::string version_;
    enum class Opening { No, Next, UnderWay } opening_ = Opening::No;
    std::deque<std::pair<std::string, std::optional<std::int64_t>>>
        held_;  // until the server knows that we are ready
    std::set<CallPtr> calls_;
    bool closed_ = false;
};

void HttpClient::Impl::set_protocol_version(std::string_view version) {
    version_ = version;
    opening_ = Opening::Next;
}

void HttpClient::Impl::send(std::string message, std::optional<std::int64_t> request) {
    if (closed_) return;
    if (opening_ == Opening::UnderWay) {
        held_.emplace_back(std::move(message), request);
        return;
    }
    bool opens = opening_ == Opening::Next;
    if (opens) opening_ = Opening::UnderWay;
    post(std::move(message), request, opens);
}

void HttpClient::Impl::post(std::string message, std::optional<std::int64_t> request, bool opens) {
    auto call = std::make_shared<Call>(loop_);
    call->request = request;
    call->opens = opens;
    Headers fields = headers(call);
    fields.emplace_back("Content-Type", "application/json");
    fields.emplace_back("Accept", "application/json, text/event-stream");
    exchange(
        call,
        {.method = "POST", .target = url_.target, .headers = std::move(fields), .body = std::move(message)});
    if (!request) abort_after(call, kDeliveryTimeout);
}

void HttpClient::Impl::listen() {
    auto call = std::make_shared<Call>(loop_);
    call->listens = true;
    get(call);
}

void HttpClient::Impl::get(const CallPtr& call) {
    call->stream.reset();
    call->body.clear();
    Headers fields = headers(call);
    fields.emplace_back("Accept", "text/event-stream");
    if (!call->last_event_id.empty()) fields.emplace_back("Last-Event-ID", call->last_event_id);
    exchange(call, {.method = "GET", .target = url_.target, .headers = std::move(fields)});
}

Headers HttpClient::Impl::headers(const CallPtr& call) const {
    Headers fields = options_.headers;
    if (!version_.empty()) fields.emplace_back("MCP-Protocol-Version", version_);
    if (!session_id_.empty()) fields.emplace_back("Mcp-Session-Id", session_id_);
    call->named_session = !session_id_.empty();
    return fields;
}

void HttpClient::Impl::exchange(const CallPtr& call, HttpClientRequest request) {
    calls_.insert(call);
    auto self = shared_from_this();
    call->exchange = pool_->start(
        std::move(request), options_.max_message,
        {
            .on_head = [self, call](const HttpClientHead& head) { self->take_head(call, head); },
            .on_body = [self, call](std::string_view bytes) { self->take_body(call, bytes); },
            .on_end = [self, call](std::optional<Error> error) { self->take_end(call, std::move(error)); },
        });
}

void HttpClient::Impl::take_head(const CallPtr& call, const HttpClientHead& head) {
    call->head = head;
    if (head.status / 100 != 2) return;
    std::string_view session = head.header("mcp-session-id");
    if (session_id_.empty() && is_visible_ascii(session)) session_id_ = session;
    if (media_type(head) != "text/event-stream") return;
    call->stream.emplace(options_.max_message);
    call->resumes = 0;
}

void HttpClient::Impl::take_body(const CallPtr& call, std::string_view bytes) {
    if (!call->stream) {
        bool refused = call->head.status / 100 != 2;
        call->body +=
            refused ? bytes.substr(0, kMaxRefusal - std::min(kMaxRefusal, call->body.size())) : bytes;
        return;
    }
    std::vector<SseEvent> events;
    Result<void> fed = call->stream->feed(bytes, events);
    if (!call->stream->last_event_id().empty()) call->last_event_id = call->stream->last_event_id();
    if (call->stream->retry()) call->retry = call->stream->retry();
    for (SseEvent& event : events)
        if (event.type == "message" && !event.data.empty()) deliver(std::move(event.data));
    if (fed || closed_) return;
    call->exchange->abort();
    fail(call, fed.error());
}

void HttpClient::Impl::take_end(const CallPtr& call, std::optional<Error> error) {
    call->exchange = nullptr;
    if (closed_) return;
    if (call->stream) return take_stream_end(call, error);
    if (error && (call->listens || call->resumes > 0)) return take_stream_end(call, error);
    if (error)
        return fail(call, Error{.code = ErrorCode::NetworkError,
                                .message = "No answer from " + server_ + ": " + error->message + ".",
                                .hint = "Check that it runs and that the URL is right."});
    if (call->head.status / 100 != 2) return take_refusal(call);

    if (call->opens && options_.server_stream == HttpClientOptions::ServerStream::Open) listen();
    if (!call->request) return forget(call);
    if (media_type(call->head) != "application/json")
        return fail(
            call,
            Error{.code = ErrorCode::NetworkError,
                  .message = "An answer from " + server_ + " was neither JSON nor an event stream: HTTP " +
                             std::to_string(call->head.status) + " `" + media_type(call->head) + "`."});
    deliver(std::move(call->body));
    if (closed_ || call->released) return forget(call);
    fail(call, Error{.code = ErrorCode::NetworkError,
                     .message = "What came from " + server_ + " was no answer to the request."});
}

void HttpClient::Impl::take_refusal(const CallPtr& call) {
    int status = call->head.status;
    std::string said = "HTTP " + std::to_string(status) + " from " + server_;
    if (status == 404 && call->named_session)
        return end_session(Error{.code = ErrorCode::SessionNotFound,
                                 .message = said + ": it no longer knows this session.",
                                 .hint = "Connect again."});
    if (call->listens) {
        // A server need not have such a stream. One that had it may have forgotten our position in it.
        if (call->resumes == 0 || call->resumes >= kMaxResumes) return forget(call);
        call->last_event_id.clear();
        return resume_later(call);
    }

    auto body = json::parse(call->body);
    if (body && call->request && media_type(call->head) == "application/json") {
        const json::value* id = json::find(*body, "id");
        if (id && json::as_integer(*id) == call->request) {
            deliver(std::move(call->body));
            if (closed_ || call->released) return forget(call);
        }
    }
    const json::value* reason = body ? json::find_path(*body, {"error", "message"}) : nullptr;
    said +=
        reason && reason->is_string() ? ": " + std::string(reason->get_string()) : ": " + call->head.reason;
    Error error{.code = ErrorCode::NetworkError, .message = said + ".", .details = call->body};
    if (status == 401 || status == 403) {
        error.code = ErrorCode::PolicyDenied;
        error.hint = "Check the Authorization header that is sent.";
    }
    fail(call, std::move(error));
}

void HttpClient::Impl::take_stream_end(const CallPtr& call, const std::optional<Error>& error) {
    if (call->released || (!call->request && !call->listens)) return forget(call);
    bool can_resume = !call->last_event_id.empty() && call->resumes < kMaxResumes;
    if (call->listens || can_resume) return resume_later(call);
    fail(call, Error{.code = ErrorCode::NetworkError,
                     .message = "An answer from " + server_ + " ended too early.",
                     .details = error ? error->message : ""});
}

void HttpClient::Impl::resume_later(const CallPtr& call) {
    auto delay = call->retry.value_or(options_.retry) * (1 << std::min(call->resumes, 5));
    ++call->resumes;
    call->timer.expires_after(std::clamp(delay, kMinRetry, kMaxRetry));
    call->timer.async_wait([self = shared_from_this(), call](boost::system::error_code error) {
        if (!error && !self->closed_ && self->calls_.contains(call)) self->get(call);
    });
}

void HttpClient::Impl::release(std::int64_t request) {
    std::erase_if(held_, [&](const auto& message) { return message.second == request; });
    CallPtr call = find(request);
    if (!call) return;
    call->released = true;
    if (!call->exchange) return forget(call);  // it waits to resume
    abort_after(call, options_.linger);
}

HttpClient::Impl::CallPtr HttpClient::Impl::find(std::int64_t request) const {
    for (const CallPtr& call : calls_)
        if (call->request == request) return call;
    return nullptr;
}

void HttpClient::Impl::abort_after(const CallPtr& call, std::chrono::milliseconds span) {
    call->timer.expires_after(span);
    call->timer.async_wait([self = shared_from_this(), call](boost::system::error_code error) {
        if (error || !self->calls_.contains(call)) return;
        if (call->exchange) call->exchange->abort();
        self->fail(call, Error{.code = ErrorCode::Timeout, .message = "It was not taken in time."});
    });
}

void HttpClient::Impl::deliver(std::string message) {
    if (!closed_) handlers_.on_message(std::move(message));
}

void HttpClient::Impl::fail(const CallPtr& call, Error error) {
    forget(call);
    if (closed_ || call->released) return;
    if (call->request) return handlers_.on_request_failed(*call->request, std::move(error));
    log_.warn("A message did not reach an MCP server.", {{"url", url_.shown}, {"reason", error.to_string()}});
}

void HttpClient::Impl::forget(const CallPtr& call) {
    calls_.erase(call);
    call->timer.cancel();
    if (!call->opens || closed_) return;
    call->opens = false;
    opening_ = Opening::No;
    for (auto& [message, request] : std::exchange(held_, {})) post(std::move(message), request, false);
}

void HttpClient::Impl::end_session(Error reason) {
    session_id_.clear();
    abort_all();
    handlers_.on_close(std::move(reason));
}

void HttpClient::Impl::abort_all() {
    closed_ = true;
    for (const CallPtr& call : std::exchange(calls_, {})) {
        call->timer.cancel();
        if (call->exchange) call->exchange->abort();
    }
}

void HttpClient::Impl::close() {
    if (closed_) return;
    abort_all();
    if (!session_id_.empty()) {
        auto goodbye = std::make_shared<Call>(loop_);
        auto exchange = pool_->start(
            {.method = "DELETE", .target = url_.target, .headers = headers(goodbye)}, kMaxRefusal,
            {.on_end = [goodbye](const std::optional<Error>&) { goodbye->timer.cancel(); }});
        goodbye->timer.expires_after(kGoodbyeTimeout);
        goodbye->timer.async_wait([goodbye, exchange](boost::system::error_code error) {
            if (!error) exchange->abort();
        });
    }
    pool_->close();
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(Loop& loop, HttpClientOptions options, Log& log) {
    HttpUrl url = TRY(parse_http_url(options.url));
    TRY(check_headers(options.headers));
    auto impl = std::make_shared<Impl>(loop, std::move(options), std::move(url), log);
    return std::unique_ptr<HttpClient>(new HttpClient(std::move(impl)));
}

HttpClient::HttpClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() { impl_->close(); }
void HttpClient::start(Handlers handlers) { impl_->start(std::move(handlers)); }
void HttpClient::send(std::string message, std::optional<std::int64_t> request) {
    impl_->send(std::move(message), request);
}
void HttpClient::release(std::int64_t request) { impl_->release(request); }
void HttpClient::set_protocol_version(std::string_view version) { impl_->set_protocol_version(version); }
void HttpClient::close() { impl_->close(); }
const std::string& HttpClient::session_id() const { return impl_->session_id(); }

}  // namespace transport
