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

// Who we are, for the server we talk to.
struct ClientInfo {
    std::string name = "troupe";
    std::string version = "0";
    std::string title = {};
};

// What the server said about itself in the handshake.
struct ServerDescription {
    std::string protocol_version;
    json::object capabilities;
    json::object server_info;
    std::string instructions;
};

// A `result`: parsed, and as the server wrote it.
struct RawResult {
    json::value value;
    std::string message;  // everything that was received
    std::size_t begin = 0;
    std::size_t size = 0;

    // The bytes of `result` within `message`.
    std::string_view text() const { return std::string_view(message).substr(begin, size); }
};

// The error object that the server answered with, when the Error comes from one; its text is in `details`.
std::optional<RpcError> rpc_error_of(const Error& error);

using ProgressHandler = std::function<void(const json::object& params)>;

struct CallOptions {
    Deadline deadline = Deadline::never();
    ProgressHandler on_progress = {};  // given, the server is asked for progress
    json::object meta = {};            // becomes `_meta`
};

// A conversation with one server. Dropping the Task of a request cancels it at the server; when the server
// goes, every open request ends with an Error that says why. Lives on the loop.
class ClientConnection {
public:
    using NotificationHandler = std::function<void(const json::object& params)>;
    // Gives the result for a request of the server; an Error becomes an error answer.
    using RequestHandler = std::function<Task<json::value>(json::object params)>;

    // `transport` and `log` outlive the connection.
    ClientConnection(Loop& loop, ClientTransport& transport, Log& log);
    // Closes.
    ~ClientConnection();
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;

    // The handshake. `capabilities` should name what on_request() answers.
    Task<ServerDescription> initialize(ClientInfo info, json::object capabilities, Deadline deadline);
    // All pages of what `method` lists under `key`, each as the server describes it: tools/list, tools.
    Task<std::vector<json::object>> list(std::string method, std::string key, Deadline deadline);
    Task<RawResult> call_tool(std::string name, json::object arguments, CallOptions options);
    Task<RawResult> request(std::string method, json::object params, Deadline deadline);
    Task<> ping(Deadline deadline);
    void notify(std::string_view method, json::object params = {});

    // One handler a method; a later one replaces it. Progress that a call asked for goes to that call alone.
    void on_notification(std::string method, NotificationHandler handler);
    // A method without a handler is answered with -32601, `ping` by us.
    void on_request(std::string method, RequestHandler handler);
    // Called when the server is gone, not by close().
    void on_close(std::function<void(const Error& reason)> handler);

    // Ends every open request and closes the transport.
    void close();
    bool is_closed() const;
    // Messages of the server that made no sense.
    std::size_t malformed_count() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace mcp
