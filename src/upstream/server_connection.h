// The connection to one running MCP server, and the check that it still answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mcp/client.h"
#include "transport/http_client.h"
#include "upstream/server_process.h"

namespace upstream {

// Lives on the loop. Dropping a process's last connection kills the process.
class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
public:
    struct Events {
        // The server ended, or was ended because it hangs; not called by stop().
        std::function<void(const Error& reason)> on_end = {};
        // The server's lists changed.
        std::function<void(const std::shared_ptr<ServerConnection>& server)> on_list_changed = {};
        // A resource that was subscribed to changed.
        std::function<void(const std::string& uri)> on_resource_updated = {};
        // The server sent a log message; called with its params.
        std::function<void(const json::object& message)> on_message = {};
        // The capabilities of the client behind us, as a handshake declares them, and how to ask it.
        json::object capabilities = {};
        std::function<Task<json::value>(std::string method, json::object params)> ask = {};
        // The client's name and version; empty: ours.
        std::string client_name = {}, client_version = {};
    };

    // `options` and `log` outlive the server.
    ServerConnection(Loop& loop, const Options& options, std::shared_ptr<ServerProcess> process, Log& log);
    ~ServerConnection();
    // Performs the handshake, once, and pings the server from then on.
    static Task<> greet(std::shared_ptr<ServerConnection> self, Events events);

    mcp::ClientConnection& connection() { return *connection_; }
    // The server's description of itself in the handshake.
    const mcp::ServerDescription& description() const { return description_; }
    // The reason why it ended; nothing while it runs.
    const std::optional<Error>& ended() const { return ended_; }

    // Calls the tool `last_call`, unless that is empty, and ends the process unless others use it, too.
    static Task<> stop(std::shared_ptr<ServerConnection> self, std::string last_call);

private:
    Task<> shake_hands(Deadline deadline);
    Task<> connect(Deadline deadline);
    Task<> wait_for_port(int port, Deadline deadline);
    void listen();
    Task<> watch();
    void end(Error reason);
    Error not_started(const Error& reason) const;
    std::string name() const { return "The MCP server `" + options_.command[0] + "`"; }

    Loop& loop_;
    const Options& options_;
    Events events_;
    Log& log_;
    std::shared_ptr<ServerProcess> process_;  // null once it ended
    mcp::ServerDescription description_;
    std::optional<Error> ended_;
    std::string last_words_;  // of a process that ended
    std::unique_ptr<transport::HttpClient> http_;
    std::unique_ptr<mcp::ClientConnection> connection_;
    Running watching_;
};

}  // namespace upstream
