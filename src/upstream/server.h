// One MCP server that runs: its process, the conversation with it, and whether it still answers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mcp/client.h"
#include "transport/child_process.h"
#include "transport/http_client.h"
#include "upstream/options.h"
#include "upstream/ports.h"

namespace upstream {

// Lives on the loop. Dropping it kills the process and all that came of it.
class Server : public std::enable_shared_from_this<Server> {
public:
    struct Events {
        // It ended, or was ended because it hangs; not by stop().
        std::function<void(const Error& reason)> on_end = {};
        std::function<void(const std::shared_ptr<Server>& server)> on_tools_changed = {};
        // It sent a log message; these are its params.
        std::function<void(const json::object& message)> on_message = {};
        // What the client behind us can be asked, as a handshake declares it, and who asks it.
        json::object capabilities = {};
        std::function<Task<json::value>(std::string method, json::object params)> ask = {};
    };

    // Starts the process, which takes its time to get ready. `session` picks the port where one is needed;
    // `options`, `ports` and `log` outlive the server.
    static Result<std::shared_ptr<Server>> start(Loop& loop, const Options& options,
                                                 const std::string& session, Ports& ports, Log& log);
    // Shakes hands with it, once, and watches over it from then on.
    static Task<> greet(std::shared_ptr<Server> self, Events events);
    // Both.
    static Task<std::shared_ptr<Server>> launch(Loop& loop, const Options& options, std::string session,
                                                Ports& ports, Events events, Log& log);
    ~Server();

    mcp::ClientConnection& connection() { return *connection_; }
    // Why it is gone; nothing while it runs.
    const std::optional<Error>& ended() const { return ended_; }
    pid_t pid() const { return pid_; }

    // Makes the tool `last_call`, unless that is empty, and ends the process: politely, then by force.
    static Task<> stop(std::shared_ptr<Server> self, std::string last_call);

private:
    Server(Loop& loop, const Options& options, Log& log) : loop_(loop), options_(options), log_(log) {}

    Result<void> start_process(const std::string& session, Ports& ports);
    Task<> shake_hands(Deadline deadline);
    void listen();
    Task<> wait_for_port(Deadline deadline);
    Task<> watch();
    void end(Error reason);
    Error not_started(const Error& reason) const;
    std::string name() const { return "The MCP server `" + options_.command[0] + "`"; }

    Loop& loop_;
    const Options& options_;
    Events events_;
    Log& log_;
    pid_t pid_ = 0;
    Ports::Lease port_;
    std::string last_words_;  // on its standard error
    std::optional<Error> ended_;
    std::unique_ptr<transport::ChildProcess> process_;
    std::unique_ptr<transport::HttpClient> http_;
    std::unique_ptr<mcp::ClientConnection> connection_;
    Running watching_;
};

}  // namespace upstream
