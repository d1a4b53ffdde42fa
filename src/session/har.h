// Writes a session's network traffic to a file for other programs: HTTP Archive 1.2.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/glob.h"
#include "engine/page.h"
#include "session/options.h"
#include "util/async.h"
#include "util/json.h"
#include "util/spawn.h"

namespace session {

// Writes requests as they end; the file is complete after each. Lives on the main loop.
class Har : public std::enable_shared_from_this<Har> {
public:
    // Remove what must not be written.
    struct Redaction {
        std::function<json::value(json::value)> entry;
        std::function<std::string(std::string)> body;  // of any format
    };

    static Result<std::shared_ptr<Har>> create(Loop& loop, const RecordHar& options, Redaction redaction);

    // Starts recording a page, unless it is recorded already.
    void watch(const std::shared_ptr<engine::Page>& page);
    // Completes when the bodies of all requests that have ended so far are read.
    Task<> finish(Deadline deadline);

private:
    Har(Loop& loop, const RecordHar& options, Redaction redaction, engine::Glob filter)
        : loop_(loop), options_(options), redaction_(std::move(redaction)), filter_(std::move(filter)) {}

    Result<void> open();
    void take(const std::shared_ptr<engine::Page>& page, const engine::RequestEntry& request);
    static Task<> keep(Har& har, std::shared_ptr<engine::Page> page, engine::RequestEntry request,
                       std::chrono::system_clock::time_point ended);
    Task<> until_idle();
    Task<json::object> content_of(std::shared_ptr<engine::Page> page, engine::RequestEntry request);
    // Overwrites the end of the file with the entry.
    void write(json::object entry);

    Loop& loop_;
    RecordHar options_;
    Redaction redaction_;
    engine::Glob filter_;
    std::filesystem::path file_;
    Descriptor output_;
    std::int64_t end_ = 0;  // where the next entry goes
    bool is_empty_ = true;
    std::map<std::string, std::shared_ptr<void>> watched_;  // by page
    std::size_t under_way_ = 0;
    std::vector<Completion<bool>> waiting_;
    std::vector<Running> keeping_;
};

}  // namespace session
