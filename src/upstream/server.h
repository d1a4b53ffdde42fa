// One MCP server that runs: the conversation with it, and whether it still answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mcp/client.h"
#include "transport/http_client.h"
#include "upstream/process.h"

namespace upstream {

// Lives on the loop. Dropping the last one of a process kills that.
class Server : public std::enable_shared_from_this<Server> {
public:
    struct Events {
        // It ended, or was ended because it hangs; not by stop().
        std::function<void(const Error& reason)> on_end = {};
        // What it offers changed.
        std::function<void(const std::shared_ptr<Server>& server)> on_list_changed = {};
        // It sent a log message; these are its params.
        std::function<void(const json::object& message)> on_message = {};
        // What the client behind us can be asked, as a handshake declares it, and who asks it.
        json::object capabilities = {};
        std::function<Task<json::value>(std::string method, json::object params)> ask = {};
        // Its name; empty: ours.
        std::string client_name = {}, client_version = {};
    };

    // `options` and `log` outlive the server.
    Server(Loop& loop, const Options& options, std::shared_ptr<Process> process, Log& log);
    ~Server();
    // Shakes hands with it, once, and watches over it from then on.
    static Task<> greet(std::shared_ptr<Server> self, Events events);

    mcp::ClientConnection& connection() { return *connection_; }
    // What it said about itself when hands were shaken.
    const mcp::ServerDescription& description() const { return description_; }
    // Why it is gone; nothing while it runs.
    const std::optional<Error>& ended() const { return ended_; }

    // Makes the tool `last_call`, unless that is empty, and ends the process unless others talk to it, too.
    static Task<> stop(std::shared_ptr<Server> self, std::string last_call);

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
    std::shared_ptr<Process> process_;  // null once it ended
    mcp::ServerDescription description_;
    std::optional<Error> ended_;
    std::string last_words_;  // of a process that ended
    std::unique_ptr<transport::HttpClient> http_;
    std::unique_ptr<mcp::ClientConnection> connection_;
    Running watching_;
};

}  // namespace upstream
