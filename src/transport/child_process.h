// An MCP server run as a child process, connected by its standard input and output.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "mcp/client_transport.h"
#include "util/async.h"

namespace transport {

struct ChildOptions {
    std::vector<std::string> command;  // the program, searched along PATH, and its arguments
    // A program that runs the command and kills all of its descendants when it ends. We kill it by SIGUSR1,
    // which it has two seconds to handle.
    std::vector<std::string> reaper = {};
    std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
    std::filesystem::path directory = {};                               // empty: ours
    std::function<void(std::string_view line)> on_stderr = {};
    std::size_t max_line = 64 * 1024 * 1024;   // of its output, in bytes
    std::size_t max_queue = 64 * 1024 * 1024;  // bytes waiting for the child to read them
};

// How a process ended: its exit code, or the signal that killed it.
struct ExitStatus {
    int code = 0;
    int signal = 0;

    // "exited with status 3" or "was killed by SIGKILL".
    std::string to_string() const;
    bool operator==(const ExitStatus&) const = default;
};

// One JSON message per line. The child leads a process group of its own, which ends with it; it dies with the
// thread that made it. Lives on the loop; the first instance makes the process ignore SIGPIPE.
class ChildProcess final : public mcp::ClientTransport {
public:
    // Waits until the program runs; a program that cannot be run is an Error that says why.
    static Result<std::unique_ptr<ChildProcess>> create(Loop& loop, ChildOptions options);
    // Kills the group and reaps the child.
    ~ChildProcess() override;

    void start(Handlers handlers) override;
    void send(std::string message, std::optional<std::int64_t> request) override;
    // Closes the child's input once it has read what was sent. The child still has to be stopped or
    // destroyed.
    void close() override;

    // Closes the child's input, waits `grace`, sends SIGTERM to the group, waits again and kills it.
    Task<ExitStatus> stop(std::chrono::milliseconds grace,
                          std::chrono::milliseconds grace_after_sigterm = std::chrono::seconds(2));
    // Waits until the child exits for any reason.
    Task<ExitStatus> wait(Deadline deadline);

    pid_t pid() const;

private:
    class Impl;
    explicit ChildProcess(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace transport
