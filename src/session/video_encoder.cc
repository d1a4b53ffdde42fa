#include "session/video_encoder.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include "util/files.h"
#include "util/spawn.h"
#include "util/strings.h"

namespace session {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Max bytes that ffmpeg has not read yet; some hundred pictures.
constexpr std::size_t kMaxWaiting = 32 << 20;

std::vector<std::string> command_for(const VideoFormat& format) {
    // VP8 encoders want even sizes.
    std::string size = std::to_string(format.size.width & ~1) + ":" + std::to_string(format.size.height & ~1);
    std::string rate = std::to_string(format.frames_per_second);
    return {"ffmpeg", "-loglevel", "error", "-f", "image2pipe", "-framerate", rate, "-c:v", "mjpeg", "-i",
            "pipe:0", "-y", "-an", "-vf",
            "scale=" + size + ":force_original_aspect_ratio=decrease,pad=" + size + ":0:0:gray", "-r", rate,
            "-c:v", "libvpx", "-qmin", "0", "-qmax", "50", "-crf", "8", "-deadline", "realtime", "-speed",
            "8", "-b:v", "1M", "-threads", "1", "-f", "webm",
            // The descriptor that it inherits.
            "/proc/self/fd/3"};
}

Task<int> status_of(Completion<int> ended) { co_return co_await ended; }

}  // namespace

// Outlives its owner while the kernel still works on its buffers.
class VideoEncoder::Process : public std::enable_shared_from_this<Process> {
public:
    Process(Loop& loop, Spawned spawned)
        : loop_(loop),
          pid_(spawned.pid),
          input_(loop, spawned.input.release()),
          exit_watch_(loop, spawned.exit_watch.release()),
          output_(std::move(spawned.output)),
          errors_(std::move(spawned.errors)) {}

    std::size_t waiting() const { return outgoing_.size() + writing_.size(); }
    Loop& loop() const { return loop_; }

    void send(const std::string& bytes) {
        if (!input_.is_open()) return;
        outgoing_ += bytes;
        if (writing_.empty()) write();
    }

    // Sends the rest, then closes the input.
    void end_input() {
        ending_ = true;
        if (writing_.empty()) close_input();
    }

    // Gives its exit status once it has gone.
    void wait(Completion<int> ended) {
        exit_watch_.async_wait(asio::posix::stream_descriptor::wait_read,
                               [self = shared_from_this(), ended](error_code) {
                                   int status = 0;
                                   if (self->reap(status, WNOHANG)) ended.set(status);
                               });
    }

    std::string printed() const {
        char buffer[2000];
        ssize_t count = ::read(errors_.get(), buffer, sizeof buffer);
        return std::string(trim(std::string_view(buffer, count > 0 ? static_cast<std::size_t>(count) : 0)));
    }

    void kill() {
        close_input();
        error_code ignored;
        exit_watch_.close(ignored);
        if (reaped_) return;
        ::kill(-pid_, SIGKILL);
        int status = 0;
        reap(status, 0);
    }

private:
    bool reap(int& status, int options) {
        if (!reaped_) reaped_ = ::waitpid(pid_, &status, options) == pid_;
        return reaped_;
    }
    void close_input() {
        error_code ignored;
        input_.close(ignored);
    }
    void write() {
        std::swap(writing_, outgoing_);
        asio::async_write(input_, asio::buffer(writing_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                              self->writing_.clear();
                              if (error) return self->close_input();
                              if (!self->outgoing_.empty()) return self->write();
                              if (self->ending_) self->close_input();
                          });
    }

    Loop& loop_;
    pid_t pid_;
    asio::posix::stream_descriptor input_, exit_watch_;
    Descriptor output_, errors_;
    std::string outgoing_, writing_;
    bool ending_ = false, reaped_ = false;
};

VideoEncoder::VideoEncoder(std::shared_ptr<Process> process, double frames_per_second)
    : process_(std::move(process)), frames_per_second_(frames_per_second) {
    keeping_up_ = start(keep_up(*this), [](Result<void>) {});
}

VideoEncoder::~VideoEncoder() { process_->kill(); }

Result<void> VideoEncoder::check_installed() {
    if (!find_program("ffmpeg").empty()) return ok();
    return Error{.code = ErrorCode::NotFound,
                 .message = "FFmpeg is not installed, and recording a video needs it.",
                 .hint = "Install the package ffmpeg (apt-get install ffmpeg) and try again."};
}

Result<std::unique_ptr<VideoEncoder>> VideoEncoder::create(Loop& loop, Descriptor file,
                                                           const VideoFormat& format) {
    TRY(check_installed());
    Spawned spawned = TRY(spawn(command_for(format), {}, "/", Pipes::Standard, file.get()));
    return std::unique_ptr<VideoEncoder>(
        new VideoEncoder(std::make_shared<Process>(loop, std::move(spawned)), format.frames_per_second));
}

Task<> VideoEncoder::keep_up(VideoEncoder& encoder) {
    for (;;) {
        co_await sleep_for(encoder.process_->loop(), std::chrono::milliseconds(200));
        encoder.catch_up();
    }
}

void VideoEncoder::catch_up() {
    if (last_.empty()) return;
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started_;
    auto due = static_cast<std::int64_t>(passed.count() * frames_per_second_) + 1;
    for (; sent_ < due; ++sent_) {
        if (process_->waiting() < kMaxWaiting) process_->send(last_);
    }
}

void VideoEncoder::add(std::string jpeg) {
    if (last_.empty()) started_ = std::chrono::steady_clock::now();
    catch_up();
    last_ = std::move(jpeg);
}

Task<> VideoEncoder::finish(Deadline deadline) {
    keeping_up_ = {};
    catch_up();
    process_->end_input();
    Completion<int> ended(process_->loop());
    process_->wait(ended);
    int status = co_await with_deadline(process_->loop(), status_of(ended), deadline, "Finishing the video");
    if (status != 0 && !last_.empty()) {
        co_await Error{.code = ErrorCode::ResourceExhausted,
                       .message = "FFmpeg could not write the video: " + process_->printed()};
    }
}

}  // namespace session
