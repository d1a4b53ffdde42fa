// MCP on /mcp: streamable HTTP of both eras.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/server.h"
#include "transport/http.h"
#include "transport/http_session.h"

namespace transport {

struct StreamableOptions {
    std::chrono::milliseconds session_timeout{std::chrono::minutes(30)};
    // How long a client with an open stream may take to answer a ping, and one whose stream ended to open
    // another; zero or less sends no pings.
    std::chrono::milliseconds ping_timeout{0};
    // How long a client whose stream ended may take to open another, where pings do not say it.
    std::chrono::milliseconds grace{std::chrono::minutes(1)};
    std::size_t max_sessions = 10'000;
};

// Dispatches POST, GET and DELETE to legacy sessions or to a stateless request of its own.
class StreamableHttp {
public:
    StreamableHttp(mcp::Server& server, StreamableOptions options);
    ~StreamableHttp();

    // `caller` says who was authenticated and which path was named.
    void handle(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller);

    std::size_t session_count() const { return sessions_.size(); }
    // Ends all sessions.
    void close();

private:
    class ModernPost;

    void post(const std::shared_ptr<HttpExchange>& exchange, tools::Caller caller);
    void post_modern(const std::shared_ptr<HttpExchange>& exchange, json::value body, tools::Caller caller);
    void post_legacy(const std::shared_ptr<HttpExchange>& exchange, json::value body, tools::Caller caller);
    void initialize(const std::shared_ptr<HttpExchange>& exchange, json::value body, tools::Caller caller);
    void end_session(const std::shared_ptr<HttpExchange>& exchange, const tools::Caller& caller);
    // The session that a request names; answers the request itself when there is none.
    std::shared_ptr<HttpSession> find_session(HttpExchange& exchange, const tools::Caller& caller,
                                              const std::optional<mcp::RequestId>& id);
    void note(std::string_view event) { server_.log().channel("pw:mcp:test", event); }
    void tick_later();
    void tick();
    // How a session's client is gone; nothing while it is there.
    std::optional<mcp::Departure> departure_of(HttpSession& session,
                                               HttpSession::Clock::time_point now) const;
    // How long a client may be absent that has listened.
    std::chrono::milliseconds absence_limit() const;

    mcp::Server& server_;
    StreamableOptions options_;
    std::map<std::string, std::shared_ptr<HttpSession>, std::less<>> sessions_;
    // Stateless requests under way; their clients going away ends them.
    std::map<std::uint64_t, Running> modern_;
    std::uint64_t next_modern_ = 0;
    boost::asio::steady_timer ticker_;
    bool ticking_ = false;
};

}  // namespace transport
