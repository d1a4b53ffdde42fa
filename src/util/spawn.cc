#include "util/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum class Step { Directory, Program };

// The child's report when it cannot run the program.
struct Failure {
    Step step;
    int number;
};

struct Pipe {
    Descriptor read;
    Descriptor write;
};

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    return Error{.code = ErrorCode::ResourceExhausted,
                 .message = std::string("Cannot open a pipe: ") + std::strerror(errno) + ".",
                 .hint = "Raise the limit on open files: ulimit -n 65536"};
}

// Blocks signals, because no handler of ours may run in the child: it would write into shared pipes.
class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

// Uses system calls: the C library reserves two signals for itself, and some programs leave them ignored.
void default_signals() {
    struct {
        void* handler;
        unsigned long flags;
        void* restorer;
        unsigned long mask;
    } action = {};
    for (int signal = 1; signal <= 64; ++signal)
        ::syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// The child's data, created before the fork: afterwards nothing may allocate.
struct Plan {
    std::vector<std::string> arguments;
    std::vector<std::string> variables;
    std::vector<char*> argument_pointers;
    std::vector<char*> variable_pointers;
    std::string directory;
    pid_t parent;
    std::array<int, 6> descriptors;  // input, output, errors, status, /dev/null, inherited or -1
    Pipes pipes;
};

[[noreturn]] void become(const Plan& plan) {
    std::array<int, 6> moved;
    for (std::size_t i = 0; i < moved.size(); ++i)
        moved[i] = ::fcntl(plan.descriptors[i], F_DUPFD_CLOEXEC, 10);
    auto give_up = [status = moved[3]](Step step) {
        Failure failure{step, errno};
        [[maybe_unused]] ssize_t ignored = ::write(status, &failure, sizeof failure);
        ::_exit(127);
    };
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(127);  // the parent died before the line above
    default_signals();
    if (!plan.directory.empty() && ::chdir(plan.directory.c_str()) != 0) give_up(Step::Directory);
    auto [input, output, errors, status, null, inherited] = moved;
    bool standard = plan.pipes == Pipes::Standard;
    ::dup2(standard ? input : null, 0);
    ::dup2(standard ? output : errors, 1);
    ::dup2(errors, 2);
    if (!standard) ::dup2(input, 3), ::dup2(output, 4);
    int next = standard ? 3 : 5;
    if (inherited >= 0) ::dup2(inherited, next++);
    // Closed by the exec and not here, because a failed exec still has to be reported.
    ::close_range(static_cast<unsigned>(next), ~0U, CLOSE_RANGE_CLOEXEC);
    environ = const_cast<char**>(plan.variable_pointers.data());  // execvp searches this PATH
    ::execvp(plan.argument_pointers[0], plan.argument_pointers.data());
    give_up(Step::Program);
    ::_exit(127);
}

std::vector<std::string> variables_with(const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> variables;
    for (char** variable = environ; variable && *variable; ++variable) {
        std::string_view name(*variable, std::strcspn(*variable, "="));
        if (std::ranges::none_of(added, [&](const auto& pair) { return pair.first == name; }))
            variables.emplace_back(*variable);
    }
    for (const auto& [name, value] : added) variables.push_back((name + "=").append(value));
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

Error cannot_start(const std::string& program, const std::string& reason) {
    return {.code = ErrorCode::NotFound,
            .message = "Cannot start `" + program + "`: " + reason + ".",
            .hint = "Check the command and that it is on the PATH."};
}

// Empty when the program runs.
std::optional<Failure> read_failure(int status) {
    Failure failure;
    ssize_t count;
    do count = ::read(status, &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    if (count != sizeof failure) return std::nullopt;
    return failure;
}

void reap(pid_t pid) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = other.release();
    }
    return *this;
}

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Result<Spawned> spawn(const std::vector<std::string>& command,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      const std::filesystem::path& directory, Pipes pipes, int inherited) {
    if (command.empty() || command[0].empty())
        return Error{.code = ErrorCode::InvalidArgument, .message = "There is no command to start."};
    Pipe input = TRY(make_pipe()), output = TRY(make_pipe()), errors = TRY(make_pipe()),
         status = TRY(make_pipe());
    Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Plan plan{.arguments = command,
              .variables = variables_with(environment),
              .directory = directory.string(),
              .parent = ::getpid(),
              .descriptors = {input.read.get(), output.write.get(), errors.write.get(), status.write.get(),
                              null.get(), inherited},
              .pipes = pipes};
    plan.argument_pointers = pointers_to(plan.arguments);
    plan.variable_pointers = pointers_to(plan.variables);

    pid_t pid;
    int number;
    {
        BlockedSignals blocked;
        pid = ::fork();
        if (pid == 0) become(plan);
        number = errno;
    }
    if (pid < 0) return cannot_start(command[0], std::strerror(number));

    status.write = Descriptor();
    if (auto failure = read_failure(status.read.get())) {
        reap(pid);
        std::string reason = std::strerror(failure->number);
        if (failure->step == Step::Directory) reason = plan.directory + ": " + reason;
        return cannot_start(command[0], reason);
    }
    Descriptor exit_watch(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (exit_watch.get() < 0) {
        number = errno;
        ::kill(-pid, SIGKILL);
        reap(pid);
        return cannot_start(command[0], std::string("it cannot be watched: ") + std::strerror(number));
    }
    for (int fd : {input.write.get(), output.read.get(), errors.read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return Spawned{pid, std::move(exit_watch), std::move(input.write), std::move(output.read),
                   std::move(errors.read)};
}
