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
    };

    // Starts the process and shakes hands. `session` picks the port where one is needed; `options`, `ports`
    // and `log` outlive the server.
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
    Server(Loop& loop, const Options& options, Events events, Log& log);

    Result<void> start_process(const std::string& session, Ports& ports);
    Task<> shake_hands(Deadline deadline);
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
