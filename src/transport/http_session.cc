#include "transport/http_session.h"

#include <algorithm>

#include "mcp/message.h"

namespace transport {
namespace {

constexpr int kRetryMilliseconds = 1000;
constexpr std::chrono::seconds kPingInterval{3};

bool is_request(const json::value& message) {
    return json::find(message, "method") && json::find(message, "id");
}

}  // namespace

bool holds_request(const json::value& body) {
    const auto* batch = body.if_array();
    return batch ? std::any_of(batch->begin(), batch->end(), is_request) : is_request(body);
}

// The answer to one POST: plain JSON when it comes alone and soon, an event stream otherwise. A client that
// disconnects may reconnect to the stream; the call continues meanwhile.
class HttpSession::Post final : public mcp::ResponseSink {
public:
    enum class Holds { Requests, NoRequests };

    Post(const std::shared_ptr<HttpSession>& session, std::shared_ptr<HttpExchange> exchange, Holds holds)
        : session_(session), exchange_(std::move(exchange)), holds_(holds) {}
    ~Post() override {
        auto session = session_.lock();
        if (!session) return;
        // A client that waits for an answer uses the session.
        session->last_use_ = Clock::now();
        if (stream_) {
            session->streams_.finish(*stream_);
        } else if (!responded_) {
            // Only messages without an answer end here: notifications, or requests that the client cancelled.
            bool requests = holds_ == Holds::Requests;
            exchange_->respond(requests ? 200 : 202, requests ? event_stream_headers() : Headers{}, {});
        }
    }

    void notify(std::string message) override {
        begin_stream();
        if (auto session = session_.lock()) session->streams_.append(*stream_, message);
    }
    void respond(std::string message, int http_status) override {
        auto session = session_.lock();
        if (!session) return;
        responded_ = true;
        if (!stream_) {
            Headers headers{{"Content-Type", "application/json"}};
            if (session->initialized()) headers.emplace_back("Mcp-Session-Id", session->id());
            exchange_->respond(http_status, headers, std::move(message));
            return;
        }
        session->streams_.append(*stream_, message);
        session->streams_.finish(*stream_);
    }
    void release_stream() override {
        auto session = session_.lock();
        if (!session || !session->primes()) return;
        begin_stream();
        session->streams_.release_reader(*stream_);
    }

    void begin_stream() {
        auto session = session_.lock();
        if (stream_ || !session) return;
        stream_ = session->streams_.open();
        exchange_->begin_stream(200, event_stream_headers({{"Mcp-Session-Id", session->id()}}),
                                std::string(kHeartbeat));
        session->prime(*exchange_, {*stream_, 0});
        session->streams_.attach(*stream_, 0, std::move(exchange_));
    }
    bool is_slow(Clock::time_point now) const { return !stream_ && now - begun_ >= kSlowAnswer; }
    bool is_streaming() const { return stream_.has_value(); }

private:
    std::weak_ptr<HttpSession> session_;
    std::shared_ptr<HttpExchange> exchange_;
    Holds holds_;
    bool responded_ = false;
    std::optional<EventStreams::StreamId> stream_;
    Clock::time_point begun_ = Clock::now();
};

HttpSession::HttpSession(mcp::Server& server, std::string id, tools::Caller caller)
    : id_(std::move(id)), connection_(std::make_unique<mcp::Connection>(server, *this, std::move(caller))) {}

HttpSession::~HttpSession() = default;

void HttpSession::post(json::value body, std::shared_ptr<HttpExchange> exchange) {
    last_use_ = Clock::now();
    auto holds = holds_request(body) ? Post::Holds::Requests : Post::Holds::NoRequests;
    auto answer = std::make_shared<Post>(shared_from_this(), std::move(exchange), holds);
    connection_->receive(std::move(body), answer);
    // A call still holds the answer: it was not sent at once.
    if (answer.use_count() > 1) waiting_.push_back(answer);
}

void HttpSession::post_without_answer(json::value body) {
    // A sink for messages that expect no answer; it is never used.
    class Nowhere final : public mcp::ResponseSink {
        void notify(std::string) override {}
        void respond(std::string, int) override {}
    };
    last_use_ = Clock::now();
    connection_->receive(std::move(body), std::make_shared<Nowhere>());
}

void HttpSession::prime(HttpExchange& exchange, EventStreams::Place place) const {
    if (primes())
        exchange.write(
            priming_event(EventStreams::event_id(place.stream, place.position), kRetryMilliseconds));
}

void HttpSession::open_stream(const std::shared_ptr<HttpExchange>& exchange) {
    last_use_ = Clock::now();
    // Without a Last-Event-ID, the events sent while no reader was connected come first.
    EventStreams::Place place{EventStreams::kStandalone, streams_.delivered(EventStreams::kStandalone)};
    if (auto last = exchange->header("Last-Event-ID")) {
        auto found = streams_.find(*last);
        if (!found) {
            exchange->respond(
                400, {{"Content-Type", "application/json"}},
                mcp::make_error(std::nullopt,
                                {.code = mcp::kServerError,
                                 .message = "Unknown Last-Event-ID: what came after it is no longer kept."}));
            return;
        }
        place = *found;
        // EventSource stops reconnecting on this status: the request was answered, or cancelled by the
        // client.
        if (streams_.is_over(place)) return exchange->respond(204, {{"Mcp-Session-Id", id_}}, {});
    } else if (streams_.has_reader(EventStreams::kStandalone)) {
        exchange->respond(
            409, {{"Content-Type", "application/json"}},
            mcp::make_error(std::nullopt,
                            {.code = mcp::kServerError,
                             .message = "Conflict: this session already has an open GET stream."}));
        return;
    }
    exchange->begin_stream(200, event_stream_headers({{"Mcp-Session-Id", id_}}), std::string(kHeartbeat));
    if (!exchange->header("Last-Event-ID")) prime(*exchange, place);
    has_listened_ = true;
    streams_.attach(place.stream, place.position, exchange);
}

bool HttpSession::is_absent() const {
    return has_listened_ && !streams_.has_readers() && connection_ && connection_->in_flight() == 0;
}

std::optional<HttpSession::Clock::time_point> HttpSession::absent_since(Clock::time_point now) {
    if (!is_absent()) {
        absent_since_.reset();
    } else if (!absent_since_ || *absent_since_ < last_use_) {
        absent_since_ = now;
    }
    return absent_since_;
}

void HttpSession::stream_slow_answers(Clock::time_point now) {
    std::erase_if(waiting_, [&](const std::weak_ptr<Post>& each) {
        auto post = each.lock();
        if (!post || post->is_streaming()) return true;
        if (!post->is_slow(now)) return false;
        post->begin_stream();
        return true;
    });
}

void HttpSession::check_heartbeat(Clock::time_point now, std::chrono::milliseconds timeout) {
    bool is_due = timeout.count() > 0 && !ping_due_ && now >= next_ping_;
    if (!is_due || !streams_.has_reader(EventStreams::kStandalone)) return;
    ping_due_ = now + timeout;
    // It belongs to no request, so it goes out on the standalone stream.
    class Standalone final : public mcp::ResponseSink {
    public:
        explicit Standalone(HttpSession& session) : session_(session) {}
        void notify(std::string message) override { session_.send(std::move(message)); }
        void respond(std::string, int) override {}

    private:
        HttpSession& session_;
    } sink(*this);
    ping_ = start(connection_->ask("ping", {}, sink), [this](const Result<json::value>&) {
        ping_due_.reset();
        next_ping_ = Clock::now() + kPingInterval;
    });
}

bool HttpSession::is_idle_since(Clock::time_point moment) const {
    return last_use_ < moment && connection_->in_flight() == 0 && !streams_.has_readers();
}

void HttpSession::close() {
    ping_.cancel();
    auto connection = std::move(connection_);
    connection.reset();
    streams_.close();
}

}  // namespace transport
