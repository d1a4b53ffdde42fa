// The client side of the protocol: talks to another MCP server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/client_transport.h"
#include "mcp/message.h"
#include "util/async.h"
#include "util/json.h"
#include "util/log.h"

namespace mcp {

// Describes us to the server.
struct ClientInfo {
    std::string name = "troupe";
    std::string version = "0";
    std::string title = {};
};

// The server's description of itself in the handshake.
struct ServerDescription {
    std::string protocol_version;
    json::object capabilities;
    json::object server_info;
    std::string instructions;
};

// A `result`: parsed, and as the server wrote it.
struct RawResult {
    json::value value;
    std::string message;  // the whole received message
    std::size_t begin = 0;
    std::size_t size = 0;

    // The bytes of `result` within `message`.
    std::string_view text() const { return std::string_view(message).substr(begin, size); }
};

// The error object of the server's answer, when the Error comes from one; its text is in `details`.
std::optional<RpcError> rpc_error_of(const Error& error);

using ProgressHandler = std::function<void(const json::object& params)>;

struct CallOptions {
    Deadline deadline = Deadline::never();
    ProgressHandler on_progress = {};  // if set, the server is asked for progress
    json::object meta = {};            // becomes `_meta`
};

// A connection to one server. Dropping the Task of a request cancels it at the server; when the server exits
// or disconnects, every open request ends with an Error that says why. Lives on the loop.
class ClientConnection {
public:
    using NotificationHandler = std::function<void(const json::object& params)>;
    // Returns the result of a request from the server; an Error becomes an error answer.
    using RequestHandler = std::function<Task<json::value>(json::object params)>;

    // `transport` and `log` outlive the connection.
    ClientConnection(Loop& loop, ClientTransport& transport, Log& log);
    // Calls close().
    ~ClientConnection();
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;

    // Performs the handshake. `capabilities` should name the methods that on_request() answers.
    Task<ServerDescription> initialize(ClientInfo info, json::object capabilities, Deadline deadline);
    // Lists all pages of `key` from `method`, each item as the server describes it: tools/list, tools.
    Task<std::vector<json::object>> list(std::string method, std::string key, Deadline deadline);
    Task<RawResult> call_tool(std::string name, json::object arguments, CallOptions options);
    Task<RawResult> request(std::string method, json::object params, Deadline deadline);
    Task<> ping(Deadline deadline);
    void notify(std::string_view method, json::object params = {});

    // Each method has one handler; a later one replaces it. Progress of a call goes to that call alone.
    void on_notification(std::string method, NotificationHandler handler);
    // Methods without a handler are answered with -32601; we answer `ping` ourselves.
    void on_request(std::string method, RequestHandler handler);
    // Called when the server disconnects, not by close().
    void on_close(std::function<void(const Error& reason)> handler);

    // Ends every open request and closes the transport.
    void close();
    bool is_closed() const;
    // Number of messages from the server that could not be understood.
    std::size_t malformed_count() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace mcp
