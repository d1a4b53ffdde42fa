// Encodes pictures as a WebM file.
#pragma once

#include <memory>
#include <string>

#include "engine/types.h"
#include "util/async.h"
#include "util/spawn.h"

namespace session {

struct VideoFormat {
    engine::Size size{800, 600};
    double frames_per_second = 25;
};

// Feeds ffmpeg, which runs while this lives. A picture is shown until the next one comes. Lives on the main
// loop.
class VideoEncoder {
public:
    // NotFound where ffmpeg is not installed.
    static Result<void> check_installed();
    // Writes to the open file.
    static Result<std::unique_ptr<VideoEncoder>> create(Loop& loop, Descriptor file,
                                                        const VideoFormat& format);
    ~VideoEncoder();
    VideoEncoder(const VideoEncoder&) = delete;

    // Drops the picture when ffmpeg is far behind.
    void add(std::string jpeg);
    // The file is complete when this is done.
    Task<> finish(Deadline deadline);

private:
    class Process;

    VideoEncoder(std::shared_ptr<Process> process, double frames_per_second);
    static Task<> keep_up(VideoEncoder& encoder);
    // Sends the current picture for all the time that has passed.
    void catch_up();

    std::shared_ptr<Process> process_;
    double frames_per_second_;
    std::string last_;
    std::chrono::steady_clock::time_point started_;
    std::int64_t sent_ = 0;
    Running keeping_up_;
};

}  // namespace session
