// The log file of a session, call by call.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "session/workspace.h"
#include "util/json.h"

namespace session {

class SessionLog {
public:
    // Makes session-<ms>/ in the output directory and announces it.
    static Result<SessionLog> create(const Workspace& workspace, const SessionOptions& options);

    // `answer` is the text of the answer with its sections; snapshots that it links to in the workspace are
    // copied into the log. A line that cannot be written is lost, later ones are not.
    void add(std::string_view tool, const json::value& arguments, std::string_view answer, bool is_error,
             const json::array& attachments, const Workspace& workspace,
             const Redactor& hidden = Redactor()) const;

    const std::filesystem::path& file() const { return file_; }

private:
    explicit SessionLog(std::filesystem::path file) : file_(std::move(file)) {}

    std::filesystem::path file_;
};

}  // namespace session
