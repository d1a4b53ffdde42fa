// The process of an MCP server, whoever talks to it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cdp/temporary_profile.h"
#include "transport/child_process.h"
#include "upstream/options.h"
#include "upstream/ports.h"
#include "util/log.h"

namespace upstream {

// What is one session's own about its server.
struct StartOptions {
    std::string session;                  // picks the port where one is needed
    std::vector<std::string> flags = {};  // behind those of the command
};

// Spoken to over its standard streams, by one, or over a port, by several. Lives on the loop. Dropping it
// kills the process and all that came of it.
class Process : public std::enable_shared_from_this<Process> {
public:
    // It takes its time to get ready. `options`, `ports` and `log` outlive it.
    static Result<std::shared_ptr<Process>> start(Loop& loop, const Options& options, const StartOptions& own,
                                                  Ports& ports, Log& log);

    pid_t pid() const { return pid_; }
    // Where it listens; nothing when it is spoken to over its standard streams.
    std::optional<int> port() const { return port_ ? std::optional(*port_) : std::nullopt; }
    mcp::ClientTransport& streams() { return *child_; }

    // Called when it ends on its own; its standard streams tell that themselves.
    void on_end(std::function<void(const Error& reason)> handler) {
        end_handlers_.push_back(std::move(handler));
    }
    const std::optional<Error>& ended() const { return ended_; }
    // On its standard error: the last that name an error, or else the last.
    const std::string& last_words() const { return last_words_; }
    // Its handshake is made: from here on people may want to read what it says, see Options::shows.
    void set_ready() { ready_ = true; }

    // Ends it, politely, then by force.
    static Task<> stop(std::shared_ptr<Process> self);
    // Ended, or about to.
    bool is_over() const { return stopping_ || ended_; }

private:
    Process(const Options& options, Log& log) : options_(options), log_(log) {}
    Result<void> give_profile(transport::ChildOptions& child);
    void take_error_line(std::string_view line);
    void end(Error reason);

    const Options& options_;
    Log& log_;
    pid_t pid_ = 0;
    Ports::Lease port_;
    std::unique_ptr<cdp::TemporaryProfile> profile_;  // outlives the process that writes to it
    std::unique_ptr<transport::ChildProcess> child_;
    std::string last_words_;
    bool ready_ = false, stopping_ = false;
    std::optional<Error> ended_;
    std::vector<std::function<void(const Error& reason)>> end_handlers_;
};

}  // namespace upstream
