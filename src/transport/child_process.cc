#include "transport/child_process.h"

#include <cstring>
#include <deque>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include "transport/child_process_lines.h"
#include "util/spawn.h"

namespace transport {
namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

constexpr std::size_t kMaxErrorLine = 64UL * 1024;
constexpr std::size_t kErrorTail = 4UL * 1024;
// Time for a child to exit after it closed a pipe; after that, only the closed pipe is reported.
constexpr auto kCloseTimeout = 500ms;
constexpr auto kReapLimit = 2s;

void ignore_broken_pipes() {
    struct sigaction action = {};
    if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
        ::signal(SIGPIPE, SIG_IGN);
}

// Returns nothing while the child runs.
std::optional<ExitStatus> reap(int pidfd) {
    siginfo_t info = {};
    if (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG) != 0)
        return ExitStatus{.code = 127};
    if (info.si_pid == 0) return std::nullopt;
    if (info.si_code == CLD_EXITED) return ExitStatus{.code = info.si_status};
    return ExitStatus{.signal = info.si_status};
}

}  // namespace

std::string ExitStatus::to_string() const {
    if (signal == 0) return "exited with status " + std::to_string(code);
    const char* name = ::sigabbrev_np(signal);
    return "was killed by " + (name ? "SIG" + std::string(name) : "signal " + std::to_string(signal));
}

class ChildProcess::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(Loop& loop, ChildOptions options, Spawned spawned)
        : loop_(loop),
          options_(std::move(options)),
          pid_(spawned.pid),
          exit_watch_(loop, spawned.exit_watch.release()),
          input_(loop, spawned.input.release()),
          output_(std::make_shared<LineReader>(loop, std::move(spawned.output), options_.max_line,
                                               LineReader::Overlong::End)),
          errors_(std::make_shared<LineReader>(loop, std::move(spawned.errors), kMaxErrorLine,
                                               LineReader::Overlong::Split)),
          close_timer_(loop) {}

    void watch();
    void start(Handlers handlers);
    void send(std::string message);
    void close();
    void destroy();

    static Task<ExitStatus> stop(std::shared_ptr<Impl> self, std::chrono::milliseconds grace,
                                 std::chrono::milliseconds grace_after_sigterm);
    static Task<ExitStatus> wait(std::shared_ptr<Impl> self);
    static Task<ExitStatus> wait(std::shared_ptr<Impl> self, Deadline deadline);
    pid_t pid() const { return pid_; }

private:
    void wait_for_exit();
    void take_exit(ExitStatus status);
    void take_error_line(std::string_view line);
    void write_next();
    void close_input_when_written();
    void fail_soon(std::string what);
    void finish_if_over();
    void finish(Error reason);
    void signal_group(int signal);
    void kill_group() { signal_group(options_.reaper.empty() ? SIGKILL : SIGUSR1); }
    bool poll_exit();
    std::string name() const { return "The MCP server `" + options_.command[0] + "`"; }

    Loop& loop_;
    ChildOptions options_;
    pid_t pid_;
    boost::asio::posix::stream_descriptor exit_watch_;
    boost::asio::posix::stream_descriptor input_;
    std::shared_ptr<LineReader> output_;
    std::shared_ptr<LineReader> errors_;
    boost::asio::steady_timer close_timer_;
    Handlers handlers_;
    std::deque<std::string> queue_;  // the first one is being written
    std::size_t queued_bytes_ = 0;
    bool input_ends_ = false;  // no more messages will be sent
    bool finished_ = false;    // no handler is called any more
    std::string error_tail_;
    std::optional<ExitStatus> exit_;
    std::vector<Completion<ExitStatus>> waiters_;
};

void ChildProcess::Impl::watch() {
    wait_for_exit();
    std::weak_ptr<Impl> weak = weak_from_this();
    errors_->start({
        .on_line =
            [weak](const std::string& line) {
                if (auto self = weak.lock()) self->take_error_line(line);
            },
        .on_end =
            [weak](bool) {
                if (auto self = weak.lock()) self->finish_if_over();
            },
    });
}

void ChildProcess::Impl::start(Handlers handlers) {
    handlers_ = std::move(handlers);
    std::weak_ptr<Impl> weak = weak_from_this();
    output_->start({
        .on_line =
            [weak](std::string line) {
                auto self = weak.lock();
                if (self && !self->finished_) self->handlers_.on_message(std::move(line));
            },
        .on_end =
            [weak](bool line_too_long) {
                auto self = weak.lock();
                if (!self) return;
                if (line_too_long)
                    return self->finish(Error{.code = ErrorCode::ResourceExhausted,
                                              .message = self->name() + " sent a message of more than " +
                                                         std::to_string(self->options_.max_line) +
                                                         " bytes."});
                self->fail_soon("closed its output");
                self->finish_if_over();
            },
    });
}

void ChildProcess::Impl::wait_for_exit() {
    exit_watch_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](error_code error) {
                               if (error || self->exit_) return;
                               // The rest of the group ends first: once the leader is reaped, another process
                               // may get its number.
                               self->signal_group(SIGKILL);
                               if (auto status = reap(self->exit_watch_.native_handle())) {
                                   self->take_exit(*status);
                               } else {
                                   self->wait_for_exit();
                               }
                           });
}

void ChildProcess::Impl::take_exit(ExitStatus status) {
    exit_ = status;
    error_code ignored;
    exit_watch_.close(ignored);
    input_.close(ignored);
    output_->drain();
    errors_->drain();
    for (const auto& waiter : std::exchange(waiters_, {})) waiter.set(status);
    finish_if_over();
}

void ChildProcess::Impl::take_error_line(std::string_view line) {
    error_tail_.append(line).append("\n");
    if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
    if (options_.on_stderr) options_.on_stderr(line);
}

void ChildProcess::Impl::finish_if_over() {
    if (!exit_ || !output_->ended() || !errors_->ended()) return;
    finish(Error{.code = ErrorCode::NetworkError,
                 .message = name() + " " + exit_->to_string() + ".",
                 .details = error_tail_});
}

void ChildProcess::Impl::fail_soon(std::string what) {
    close_timer_.expires_after(kCloseTimeout);
    close_timer_.async_wait([weak = weak_from_this(), what = std::move(what)](error_code error) {
        auto self = weak.lock();
        if (error || !self) return;
        self->finish(Error{.code = ErrorCode::NetworkError, .message = self->name() + " " + what + "."});
    });
}

void ChildProcess::Impl::finish(Error reason) {
    if (finished_ || !handlers_.on_close) return;
    finished_ = true;
    close_timer_.cancel();
    close_input_when_written();
    handlers_.on_close(std::move(reason));
}

void ChildProcess::Impl::send(std::string message) {
    if (input_ends_ || finished_ || !input_.is_open()) return;
    queued_bytes_ += message.size();
    if (queued_bytes_ > options_.max_queue) {
        queue_.resize(std::min<std::size_t>(queue_.size(), 1));
        input_ends_ = true;
        return boost::asio::post(loop_, [self = shared_from_this()] {
            self->finish(Error{.code = ErrorCode::ResourceExhausted,
                               .message = self->name() + " does not read what it is sent."});
        });
    }
    message += '\n';
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) write_next();
}

void ChildProcess::Impl::write_next() {
    if (queue_.empty()) {
        error_code ignored;
        if (input_ends_) input_.close(ignored);
        return;
    }
    boost::asio::async_write(input_, boost::asio::buffer(queue_.front()),
                             [self = shared_from_this()](error_code error, std::size_t) {
                                 if (error == boost::asio::error::operation_aborted) return;
                                 if (error) {
                                     error_code ignored;
                                     self->input_.close(ignored);
                                     return self->fail_soon("closed its input");
                                 }
                                 self->queued_bytes_ -= self->queue_.front().size() - 1;
                                 self->queue_.pop_front();
                                 self->write_next();
                             });
}

void ChildProcess::Impl::close_input_when_written() {
    if (std::exchange(input_ends_, true)) return;
    if (queue_.empty()) write_next();
}

void ChildProcess::Impl::close() {
    // Its output is still read, so that it can exit normally and not by a broken pipe.
    close_input_when_written();
    finished_ = true;
    close_timer_.cancel();
}

void ChildProcess::Impl::signal_group(int signal) {
    if (!exit_) ::kill(-pid_, signal);
}

// Nearly always immediate; a process stuck in the kernel must not block us.
bool ChildProcess::Impl::poll_exit() {
    pollfd watched{exit_watch_.native_handle(), POLLIN, 0};
    int ready;
    do ready = ::poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(kReapLimit).count()));
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

void ChildProcess::Impl::destroy() {
    close();
    output_->stop();
    errors_->stop();
    error_code ignored;
    input_.close(ignored);
    if (exit_) return;
    kill_group();
    if (!poll_exit() && !options_.reaper.empty()) {
        signal_group(SIGKILL);
        poll_exit();
    }
    take_exit(reap(exit_watch_.native_handle()).value_or(ExitStatus{.signal = SIGKILL}));
}

Task<ExitStatus> ChildProcess::Impl::wait(std::shared_ptr<Impl> self) {
    if (self->exit_) co_return *self->exit_;
    Completion<ExitStatus> exited(self->loop_);
    self->waiters_.push_back(exited);
    co_return co_await exited;
}

Task<ExitStatus> ChildProcess::Impl::wait(std::shared_ptr<Impl> self, Deadline deadline) {
    Loop& loop = self->loop_;
    std::string what = "The end of `" + self->options_.command[0] + "`";
    return with_deadline(loop, wait(std::move(self)), deadline, std::move(what));
}

Task<ExitStatus> ChildProcess::Impl::stop(std::shared_ptr<Impl> self, std::chrono::milliseconds grace,
                                          std::chrono::milliseconds grace_after_sigterm) {
    self->close_input_when_written();
    auto ended = co_await as_result(wait(self, Deadline::in(grace)));
    if (ended) co_return *ended;
    self->signal_group(SIGTERM);
    ended = co_await as_result(wait(self, Deadline::in(grace_after_sigterm)));
    if (ended) co_return *ended;
    self->kill_group();
    co_return co_await wait(self, Deadline::in(kReapLimit));
}

ChildProcess::ChildProcess(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChildProcess::~ChildProcess() { impl_->destroy(); }

Result<std::unique_ptr<ChildProcess>> ChildProcess::create(Loop& loop, ChildOptions options) {
    ignore_broken_pipes();
    std::vector<std::string> command = options.reaper;
    command.insert(command.end(), options.command.begin(), options.command.end());
    Spawned spawned = TRY(spawn(command, options.environment, options.directory));
    auto impl = std::make_shared<Impl>(loop, std::move(options), std::move(spawned));
    impl->watch();
    return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(impl)));
}

void ChildProcess::start(Handlers handlers) { impl_->start(std::move(handlers)); }
void ChildProcess::send(std::string message, std::optional<std::int64_t>) { impl_->send(std::move(message)); }
void ChildProcess::close() { impl_->close(); }
pid_t ChildProcess::pid() const { return impl_->pid(); }
Task<ExitStatus> ChildProcess::wait(Deadline deadline) { return Impl::wait(impl_, deadline); }

Task<ExitStatus> ChildProcess::stop(std::chrono::milliseconds grace,
                                    std::chrono::milliseconds grace_after_sigterm) {
    return Impl::stop(impl_, grace, grace_after_sigterm);
}

}  // namespace transport
