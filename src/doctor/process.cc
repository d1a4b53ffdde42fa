#include "doctor/process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "util/strings.h"

namespace doctor {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxStream = 1 << 16;
constexpr std::size_t kReportedLines = 12;

void close_fd(int& fd) {
    if (fd >= 0) ::close(std::exchange(fd, -1));
}

// Both ends of a channel; the program's end is closed here once the program has it.
struct Channel {
    int ours = -1;
    int theirs = -1;

    // Uses sockets instead of pipes, because only sockets can be written to without the risk of SIGPIPE.
    bool open() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
        ours = ends[0];
        theirs = ends[1];
        return ::fcntl(ours, F_SETFL, O_NONBLOCK) == 0;
    }
    ~Channel() {
        close_fd(ours);
        close_fd(theirs);
    }
};

// Runs between fork and exec, so only calls that are safe in a signal handler are allowed.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* variables, pid_t parent,
                         const int (&descriptors)[5]) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
    int moved[5];
    for (int fd = 0; fd < 5; ++fd) moved[fd] = ::fcntl(descriptors[fd], F_DUPFD_CLOEXEC, 10);
    for (int fd = 0; fd < 5; ++fd) ::dup2(moved[fd], fd);
    ::close_range(5, ~0U, 0);
    ::execve(program, arguments, variables);
    const char* reason = ::strerrordesc_np(errno);
    [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, reason, std::strlen(reason));
    ::_exit(127);
}

std::vector<std::string> environment_with_temp_dir(const std::filesystem::path& temp_dir) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable)
        if (temp_dir.empty() || !std::string_view(*variable).starts_with("TMPDIR="))
            variables.emplace_back(*variable);
    if (!temp_dir.empty()) variables.push_back("TMPDIR=" + temp_dir.string());
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::string describe_ending(int status) {
    if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
    int signal = WTERMSIG(status);
    return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

}  // namespace

Result<Process> Process::start(const Command& command) {
    Channel output, errors, requests, messages;
    int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || !output.open() || !errors.open() || !requests.open() || !messages.open()) {
        int number = errno;
        close_fd(null);
        return Error{.message = std::string("Cannot open a pipe: ") + std::strerror(number) + ".",
                     .hint = "Raise the limit on open files: ulimit -n 65536"};
    }
    std::vector<std::string> arguments = {command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> variables = environment_with_temp_dir(command.temp_dir);
    std::vector<char*> argument_pointers = pointers_to(arguments);
    std::vector<char*> variable_pointers = pointers_to(variables);
    const int descriptors[5] = {null, output.theirs, errors.theirs, requests.theirs, messages.theirs};

    // Orphans of the program become our children, so that they can be reaped here.
    int was_subreaper = 0;
    ::prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t parent = ::getpid();
    pid_t pid = ::fork();
    if (pid == 0)
        become(command.program.c_str(), argument_pointers.data(), variable_pointers.data(), parent,
               descriptors);
    int number = errno;
    close_fd(null);
    if (pid < 0) {
        ::prctl(PR_SET_CHILD_SUBREAPER, was_subreaper);
        return Error{.message = std::string("Cannot start a process: ") + std::strerror(number) + ".",
                     .hint = "Check the limits on processes (ulimit -u) and memory."};
    }
    ::setpgid(pid, pid);  // in both processes, so that neither is too late

    Process process;
    process.pid_ = pid;
    process.was_subreaper_ = was_subreaper;
    process.exit_watch_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    process.requests_ = std::exchange(requests.ours, -1);
    process.streams_[0].fd = std::exchange(output.ours, -1);
    process.streams_[1].fd = std::exchange(errors.ours, -1);
    process.streams_[2].fd = std::exchange(messages.ours, -1);
    return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      was_subreaper_(other.was_subreaper_),
      exit_watch_(std::exchange(other.exit_watch_, -1)),
      requests_(std::exchange(other.requests_, -1)),
      ending_(std::move(other.ending_)) {
    for (int i = 0; i < 3; ++i)
        streams_[i] = {std::exchange(other.streams_[i].fd, -1), std::move(other.streams_[i].text)};
}

Process::~Process() {
    close_fd(exit_watch_);
    close_fd(requests_);
    for (Stream& stream : streams_) close_fd(stream.fd);
    if (pid_ > 0) {
        end_group();
        ::prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
    }
}

void Process::end_group() {
    // The leader may be reaped already while its children live on in the group. They become our children one
    // by one as their parents die, hence the short sleeps until the group is empty.
    for (TimePoint limit = std::chrono::steady_clock::now() + 3s; std::chrono::steady_clock::now() < limit;) {
        bool group_is_empty = ::kill(-pid_, SIGKILL) != 0 && errno == ESRCH;
        while (::waitpid(-pid_, nullptr, WNOHANG) > 0) continue;
        if (group_is_empty) return;
        std::this_thread::sleep_for(2ms);
    }
}

bool Process::send(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t count = ::send(requests_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Reads the available bytes and returns whether there were any; closes a stream at its end.
bool Process::read_available(Stream& stream) {
    bool got_some = false;
    char buffer[4096];
    while (stream.fd >= 0) {
        ssize_t count = ::read(stream.fd, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) break;
        if (count <= 0) {
            close_fd(stream.fd);
            break;
        }
        got_some = true;
        stream.text.append(buffer, static_cast<std::size_t>(count));
        if (stream.text.size() > kMaxStream) stream.text.erase(0, stream.text.size() - kMaxStream);
    }
    return got_some;
}

Process::Event Process::wait(TimePoint deadline) {
    while (ending_.empty()) {
        pollfd watched[4] = {{exit_watch_, POLLIN, 0}};
        for (int i = 0; i < 3; ++i) watched[i + 1] = {streams_[i].fd, POLLIN, 0};
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        // Without a pidfd, polls for the program's exit.
        auto nap = exit_watch_ < 0 ? std::min(left, std::chrono::milliseconds(20)) : left;
        ::poll(watched, 4, static_cast<int>(std::max<long long>(0, nap.count())));

        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) ending_ = describe_ending(status);
        bool got_some = false;
        for (Stream& stream : streams_) got_some |= read_available(stream);
        if (!ending_.empty()) return Event::Ended;
        if (got_some) return Event::Progress;
        if (left.count() <= 0) return Event::TimedOut;
    }
    return Event::Ended;
}

Result<std::string> run(const Command& command, std::chrono::milliseconds limit) {
    Process process = TRY(Process::start(command));
    TimePoint deadline = std::chrono::steady_clock::now() + limit;
    Process::Event event;
    while ((event = process.wait(deadline)) == Process::Event::Progress) continue;
    if (event == Process::Event::Ended && process.ending() == "exit status 0")
        return std::string(trim(process.output()));
    return Error{
        .code = event == Process::Event::TimedOut ? ErrorCode::Timeout : ErrorCode::InternalError,
        .message =
            event == Process::Event::TimedOut
                ? command.program.string() + " did not finish in " + std::to_string(limit.count()) + " ms."
                : command.program.string() + " ended with " + process.ending() + ".",
        .details = last_lines(process.errors(), kReportedLines),
    };
}

std::string last_lines(std::string_view text, std::size_t count) {
    text = trim(text);
    std::size_t start = text.size();
    while (count-- > 0 && start != std::string_view::npos && start > 0) start = text.rfind('\n', start - 1);
    return std::string(start == std::string_view::npos || start == 0 ? text : text.substr(start + 1));
}

}  // namespace doctor
