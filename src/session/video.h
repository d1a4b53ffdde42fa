// A recording of a session's tabs, each in a file of its own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/tab.h"
#include "session/video_encoder.h"

namespace session {

// Ends when dropped. Lives on the main loop.
class Video {
public:
    // `file` is the first tab's; the others have -1, -2, … in their names.
    Video(Loop& loop, std::filesystem::path file, VideoFormat format)
        : loop_(loop), file_(std::move(file)), format_(format) {}

    // Records a tab, too; once.
    Result<void> watch(Tab& tab);
    // The files, complete.
    Task<std::vector<std::filesystem::path>> stop(Deadline deadline);

private:
    struct Recording {
        std::filesystem::path file;
        std::unique_ptr<VideoEncoder> encoder;
        std::shared_ptr<void> pictures;
    };

    Loop& loop_;
    std::filesystem::path file_;
    VideoFormat format_;
    std::vector<std::pair<std::string, std::shared_ptr<Recording>>> recordings_;  // by page
};

}  // namespace session
