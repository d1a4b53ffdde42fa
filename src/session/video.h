// A recording of a session's tabs, each in a file of its own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/output_directory.h"
#include "session/tab.h"
#include "session/video_encoder.h"
#include "util/shared_result.h"

namespace session {

// Ends when dropped. Lives on the main loop.
class Video {
public:
    // `file` is the first tab's; the others have -1, -2, … in their names. An agent chose it, so it lies
    // where agents may write.
    Video(Loop& loop, std::filesystem::path file, VideoFormat format)
        : loop_(loop), file_(std::move(file)), format_(format) {}
    // Writes to a directory that the agent did not choose, created when needed; each file is named after its
    // page. The operator's may be anywhere, ours is in the session's workspace.
    static std::shared_ptr<Video> into(Loop& loop, std::filesystem::path directory, ChosenBy chosen,
                                       VideoFormat format);

    // Starts recording a tab, unless it is recorded already.
    Result<void> watch(Tab& tab);
    // The tab is closed. Its file is complete a moment later.
    void end(const engine::Page& page);
    // Ends all recordings and gives their complete files.
    Task<std::vector<std::filesystem::path>> stop(Deadline deadline);

private:
    struct Recording {
        std::filesystem::path file;
        std::unique_ptr<VideoEncoder> encoder;
        std::shared_ptr<void> pictures;
        std::shared_ptr<SharedResult<void>> finished = {};  // once it is ending
    };

    Result<std::filesystem::path> file_for(const Tab& tab) const;
    static Task<> finish(std::shared_ptr<Recording> recording, Deadline deadline);
    // Begins to finish it, once.
    std::shared_ptr<SharedResult<void>> finishing(const std::shared_ptr<Recording>& recording,
                                                  Deadline deadline);

    Loop& loop_;
    std::filesystem::path file_;
    std::filesystem::path directory_;  // empty: files are named after file_
    ChosenBy chosen_ = ChosenBy::Us;
    VideoFormat format_;
    std::vector<std::pair<std::string, std::shared_ptr<Recording>>> recordings_;  // by page
    std::vector<Running> finishing_;
};

}  // namespace session
