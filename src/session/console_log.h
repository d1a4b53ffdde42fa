// The file that keeps what a page logs, from one navigation to the next.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "session/secrets.h"
#include "session/workspace.h"
#include "util/untrusted_mark.h"

namespace session {

// Made with its first line. Losing a line to a full disk costs nobody a call.
class ConsoleLog {
public:
    using Time = std::chrono::system_clock::time_point;

    // Lines are marked as words of a page where `marks` says so.
    ConsoleLog(const Workspace& workspace, const Secrets& secrets, Time started, bool marks = false)
        : workspace_(workspace), secrets_(secrets), started_(started) {
        if (marks) mark_.emplace();
    }

    void append(Time time, const std::string& text);
    // Where the lines are that came since this was last asked: "output/console-….log#L2-L3".
    std::optional<std::string> take_link(FilePaths paths);

private:
    const Workspace& workspace_;
    const Secrets& secrets_;
    Time started_;
    std::filesystem::path file_;
    std::size_t lines_ = 0;
    std::size_t shown_ = 0;
    std::optional<UntrustedMark> mark_;
};

}  // namespace session
