// The file that keeps what a page logs, from one navigation to the next.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "session/console_quota.h"
#include "session/secrets.h"
#include "session/workspace.h"
#include "util/untrusted_mark.h"

namespace session {

// The file is created with its first line. A line lost to a full disk fails no call.
class ConsoleLog {
public:
    using Time = std::chrono::system_clock::time_point;

    // With `marks`, lines are marked as page content. Without a quota, all are kept.
    ConsoleLog(const Workspace& workspace, const Secrets& secrets, Time started, bool marks = false,
               std::shared_ptr<ConsoleQuota> quota = {})
        : workspace_(workspace), secrets_(secrets), started_(started), quota_(std::move(quota)) {
        if (marks) mark_.emplace();
    }

    void append(Time time, const std::string& text);
    // Links to the lines added since the last call: "output/console-….log#L2-L3".
    std::optional<std::string> take_link(FilePaths paths);

private:
    const Workspace& workspace_;
    const Secrets& secrets_;
    Time started_;
    std::shared_ptr<ConsoleQuota> quota_;
    std::filesystem::path file_;
    std::size_t lines_ = 0;
    std::size_t shown_ = 0;
    std::optional<UntrustedMark> mark_;
};

}  // namespace session
