// One legacy HTTP session: a client identified by its Mcp-Session-Id.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mcp/connection.h"
#include "transport/event_stream.h"

namespace transport {

// Whether a message, or one of a batch, expects an answer.
bool holds_request(const json::value& body);

// Owns the protocol's connection and its event streams. Lives on the main loop.
class HttpSession final : public mcp::Peer, public std::enable_shared_from_this<HttpSession> {
public:
    using Clock = std::chrono::steady_clock;

    HttpSession(mcp::Server& server, std::string id, tools::Caller caller);
    ~HttpSession() override;

    const std::string& id() const { return id_; }
    const std::string& principal() const { return connection_->caller().principal; }
    const std::string& version() const { return connection_->version(); }
    // Sets the scopes of the token that the next request came with: a session may outlive its first token.
    void set_scopes(const std::vector<std::string>& scopes) {
        if (connection_) connection_->set_scopes(scopes);
    }

    // Whether the handshake is done; before it, there is no session. Stays true while closing.
    bool initialized() const { return !connection_ || connection_->initialized(); }

    // Handles a POST with requests: they are answered on `exchange`, or on a stream in its place.
    void post(json::value body, std::shared_ptr<HttpExchange> exchange);
    // Handles a POST with only notifications or responses.
    void post_without_answer(json::value body);
    // Handles a GET: the stream for messages outside requests, or a resumed one.
    void open_stream(const std::shared_ptr<HttpExchange>& exchange);

    void send(std::string message) override { streams_.append(EventStreams::kStandalone, message); }

    bool is_absent() const override;

    // Turns slow answers into streams, so that their clients can resume them.
    void stream_slow_answers(Clock::time_point now);
    // Sends a ping when one is due; a client without a stream cannot be asked.
    void check_heartbeat(Clock::time_point now, std::chrono::milliseconds timeout);
    bool missed_heartbeat(Clock::time_point now) const { return ping_due_ && now >= *ping_due_; }
    bool is_idle_since(Clock::time_point moment) const;
    bool has_slow_candidates() const { return !waiting_.empty(); }
    // The time since which a client that once listened has had no stream and no call in progress; nothing
    // while it is connected, or when it never listened.
    std::optional<Clock::time_point> absent_since(Clock::time_point now);
    void set_departure(mcp::Departure how) { connection_->set_departure(how); }
    // Ends all streams and calls.
    void close();

private:
    class Post;

    // Only 2025-11-25 clients understand an event without data.
    bool primes() const { return connection_ && version() == "2025-11-25"; }
    void prime(HttpExchange& exchange, EventStreams::Place place) const;

    std::string id_;
    EventStreams streams_;
    std::vector<std::weak_ptr<Post>> waiting_;
    Clock::time_point last_use_ = Clock::now();
    bool has_listened_ = false;
    std::optional<Clock::time_point> absent_since_;
    std::optional<Clock::time_point> ping_due_;  // deadline for the answer to the current ping
    Clock::time_point next_ping_{};
    Running ping_;
    // Last, so destroyed first: its calls answer through the members above.
    std::unique_ptr<mcp::Connection> connection_;
};

}  // namespace transport
