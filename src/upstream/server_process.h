// The process of an MCP server, independent of its connections.
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

// The start options of one session's server.
struct StartOptions {
    std::string session;                  // picks the port, if one is needed
    std::vector<std::string> flags = {};  // added after those of the command
    std::filesystem::path output = {};    // for its files; empty: the server's default
};

// Reached over its standard streams by one connection, or over a port by several. Lives on the loop. Dropping
// it kills the process and all of its descendants.
class ServerProcess : public std::enable_shared_from_this<ServerProcess> {
public:
    // Returns before the server is ready. `options`, `ports` and `log` outlive it.
    static Result<std::shared_ptr<ServerProcess>> start(Loop& loop, const Options& options,
                                                        const StartOptions& own, Ports& ports, Log& log);

    pid_t pid() const { return pid_; }
    // The port it listens on; nothing when it uses its standard streams.
    std::optional<int> port() const { return port_ ? std::optional(*port_) : std::nullopt; }
    mcp::ClientTransport& streams() { return *child_; }

    // Called when it ends on its own; with standard streams the transport reports that itself.
    void on_end(std::function<void(const Error& reason)> handler) {
        end_handlers_.push_back(std::move(handler));
    }
    const std::optional<Error>& ended() const { return ended_; }
    // From its standard error: the last line that names an error, or else the last line.
    const std::string& last_words() const { return last_words_; }
    // Called after the handshake: from here on its lines may be shown, see Options::shows.
    void set_ready() { ready_ = true; }

    // Ends it with a request first, then by force.
    static Task<> stop(std::shared_ptr<ServerProcess> self);
    // Whether it has ended or is about to.
    bool is_over() const { return stopping_ || ended_; }

private:
    ServerProcess(const Options& options, Log& log) : options_(options), log_(log) {}
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
