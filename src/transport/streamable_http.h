// MCP on /mcp: streamable HTTP of both eras.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcp/server.h"
#include "transport/http.h"
#include "transport/http_session.h"
#include "util/timer.h"

namespace transport {

struct StreamableOptions {
    std::chrono::milliseconds session_timeout{std::chrono::minutes(30)};
    // Time for a client with an open stream to answer a ping, and for one whose stream ended to open another;
    // zero or less sends no pings.
    std::chrono::milliseconds ping_timeout{0};
    // Time for a client whose stream ended to open another, when pings are off.
    std::chrono::milliseconds grace{std::chrono::minutes(1)};
    std::size_t max_sessions = 10'000;
};

// Dispatches POST, GET and DELETE to legacy sessions or to stateless requests.
class StreamableHttp {
public:
    StreamableHttp(mcp::Server& server, StreamableOptions options);
    ~StreamableHttp();

    // `caller` holds the authenticated principal and the requested path.
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
    // Returns the session that a request names; answers the request itself when there is none.
    std::shared_ptr<HttpSession> find_session(HttpExchange& exchange, const tools::Caller& caller,
                                              const std::optional<mcp::RequestId>& id);
    void note(std::string_view event) { server_.log().channel("pw:mcp:test", event); }
    void tick_later();
    void tick();
    // How a session's client left; nothing while it is connected.
    std::optional<mcp::Departure> departure_of(HttpSession& session,
                                               HttpSession::Clock::time_point now) const;
    // The maximum absence of a client that once listened.
    std::chrono::milliseconds absence_limit() const;

    mcp::Server& server_;
    StreamableOptions options_;
    std::map<std::string, std::shared_ptr<HttpSession>, std::less<>> sessions_;
    // Stateless requests in progress; each ends when its client disconnects.
    struct Modern {
        std::weak_ptr<ModernPost> answer;
        Running running;
    };
    std::map<std::uint64_t, Modern> modern_;
    std::uint64_t next_modern_ = 0;
    Timer ticker_;
    bool ticking_ = false;
};

}  // namespace transport
