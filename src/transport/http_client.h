// A streamable HTTP connection to an MCP server.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/client_transport.h"
#include "util/async.h"
#include "util/log.h"

namespace transport {

struct HttpClientOptions {
    enum class ServerStream { Open, None };

    std::string url;                                                // http://host:port/path
    std::vector<std::pair<std::string, std::string>> headers = {};  // sent with every request: Authorization
    ServerStream server_stream = ServerStream::Open;  // a GET for messages outside of our requests
    std::size_t max_message = 64 * 1024 * 1024;
    std::chrono::milliseconds retry{1000};   // before a broken stream is resumed, unless the server says
    std::chrono::milliseconds linger{5000};  // time for a stream to end after its answer
};

// Sends each message as a POST; several run at once, on connections that are kept for reuse. A stream that
// breaks before its answer is resumed when the server numbers its events. A failed request fails alone; an
// unknown session (404) ends the transport. Lives on the loop; `log` outlives it.
class HttpClient final : public mcp::ClientTransport {
public:
    static Result<std::unique_ptr<HttpClient>> create(Loop& loop, HttpClientOptions options, Log& log);
    // Calls close().
    ~HttpClient() override;

    void start(Handlers handlers) override;
    void send(std::string message, std::optional<std::int64_t> request) override;
    void release(std::int64_t request) override;
    void set_protocol_version(std::string_view version) override;
    // Ends the session with a DELETE, which continues briefly in the background.
    void close() override;

    // The server's id of this session; empty when it has none.
    const std::string& session_id() const;

private:
    class Impl;
    explicit HttpClient(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace transport
