// Runs a program for inspection: starts it, reads its output for a while, and cleans up after it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "util/result.h"

namespace doctor {

using TimePoint = std::chrono::steady_clock::time_point;

struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path temp_dir = {};  // the program's TMPDIR, if given
};

// A child in a process group of its own, with pipes on stdout, stderr and, as Chromium's
// --remote-debugging-pipe wants them, on descriptors 3 (it reads) and 4 (it writes).
// It dies with the thread that started it; the destructor kills and reaps the whole group.
class Process {
public:
    enum class Event { Progress, Ended, TimedOut };

    static Result<Process> start(const Command& command);
    Process(Process&& other) noexcept;
    ~Process();

    // Writes to descriptor 3. False when the program no longer reads.
    bool send(std::string_view bytes);
    // Waits until the program wrote more or ended, or until `deadline`.
    Event wait(TimePoint deadline);
    // "exit status 1" or "signal 9 (Killed)"; empty while it runs.
    const std::string& ending() const { return ending_; }

    // Everything written so far, each stream limited to its last 64 KiB.
    const std::string& output() const { return streams_[0].text; }
    const std::string& errors() const { return streams_[1].text; }
    const std::string& messages() const { return streams_[2].text; }

private:
    struct Stream {
        int fd = -1;
        std::string text = {};
    };

    Process() = default;
    bool read_available(Stream& stream);
    void end_group();

    pid_t pid_ = -1;  // also the group's id
    int was_subreaper_ = 0;
    int exit_watch_ = -1;  // a pidfd, readable once the program has ended
    int requests_ = -1;    // our end of descriptor 3
    Stream streams_[3];    // stdout, stderr, descriptor 4
    std::string ending_;
};

// Runs a program to its end and returns its stdout. The error's details hold the end of its stderr.
Result<std::string> run(const Command& command, std::chrono::milliseconds limit);

// The last lines of a text, for a report.
std::string last_lines(std::string_view text, std::size_t count);

}  // namespace doctor
