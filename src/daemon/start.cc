#include "daemon/start.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace daemons {
namespace {

constexpr off_t kMaxLogBytes = 4 << 20;

// Truncates a log that has grown long; its important part is how the last daemon ended.
Descriptor open_log(const std::filesystem::path& file) {
    Descriptor log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat status{};
    if (log.get() >= 0 && ::fstat(log.get(), &status) == 0 && status.st_size > kMaxLogBytes &&
        ::ftruncate(log.get(), 0) != 0)
        return Descriptor();
    return log;
}

// Runs between fork and exec, where nothing may allocate.
[[noreturn]] void become(const char* program, char* const* arguments, int lock, int null, int log,
                         int failed) {
    lock = ::fcntl(lock, F_DUPFD_CLOEXEC, 10);
    failed = ::fcntl(failed, F_DUPFD_CLOEXEC, 10);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(log >= 0 ? log : null, STDERR_FILENO);
    ::dup2(lock, kLockDescriptor);
    ::close_range(kLockDescriptor + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    for (int each : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGTSTP}) ::signal(each, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execv(program, arguments);
    int number = errno;
    [[maybe_unused]] ssize_t ignored = ::write(failed, &number, sizeof number);
    ::_exit(127);
}

}  // namespace

Result<std::optional<Descriptor>> try_lock(const std::filesystem::path& file) {
    Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (lock.get() < 0)
        return Error{.message = "Cannot create " + file.string() + ": " + std::strerror(errno) + "."};
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::optional<Descriptor>();
        if (errno != EINTR)
            return Error{.message = "Cannot lock " + file.string() + ": " + std::strerror(errno) + "."};
    }
    return std::optional(std::move(lock));
}

Result<void> start_detached(const DaemonPaths& paths, const std::string& program,
                            std::vector<std::string> arguments, Descriptor lock) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    Descriptor log = open_log(paths.log), null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Error{.message = std::string("Cannot open a pipe: ") + std::strerror(errno) + "."};
    Descriptor outcome(ends[0]), failed(ends[1]);
    pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        // Forks again, because a session leader could acquire a terminal; init adopts the orphan.
        if (::fork() == 0)
            become(program.c_str(), pointers.data(), lock.get(), null.get(), log.get(), failed.get());
        ::_exit(0);
    }
    if (child < 0)
        return Error{.message = std::string("Cannot start a process: ") + std::strerror(errno) + "."};
    failed = Descriptor();
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    int number = 0;
    ssize_t count;
    do count = ::read(outcome.get(), &number, sizeof number);
    while (count < 0 && errno == EINTR);
    if (count == sizeof number)
        return Error{.message = "Cannot start " + program + ": " + std::strerror(number) + "."};
    return ok();
}

}  // namespace daemons
