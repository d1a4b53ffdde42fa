// The program between us and a server: it runs the command in its arguments and exits as the command does.
// Afterwards, when its parent dies, or on SIGUSR1, it kills everything that the command started, in any
// process group or session: browsers make their own. It forwards SIGTERM to the command's process group.
//
// Each session has one, so it is a static program that uses nothing of the C++ library and hardly anything of
// libc: it costs a few pages. It is embedded in our binary: see upstream/reaper.h.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <initializer_list>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCannotRun = 127;

void say(const char* text) {
    [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
}

int say_cannot_start(const char* command) {
    const char* reason = ::strerrordesc_np(errno);
    for (const char* part : {"Cannot start `", command, "`: ", reason ? reason : "unknown error", ".\n"})
        say(part);
    return kCannotRun;
}

// The parent of a process according to /proc/<pid>/stat, read relative to /proc; 0 when it is gone.
pid_t parent_of(int proc, const char* pid) {
    char path[32];
    if (std::strlen(pid) > 16) return 0;
    ::stpcpy(::stpcpy(path, pid), "/stat");
    int file = ::openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[512];
    ssize_t size = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (size <= 0) return 0;
    text[size] = 0;
    // "12 (a name with anything in it) S 1 ..."
    const char* name_end = std::strrchr(text, ')');
    if (!name_end || std::strlen(name_end) < 5) return 0;
    return static_cast<pid_t>(std::strtol(name_end + 4, nullptr, 10));
}

void kill_children() {
    DIR* processes = ::opendir("/proc");
    if (!processes) return;
    pid_t self = ::getpid();
    while (const dirent* entry = ::readdir(processes)) {
        auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (pid > 0 && parent_of(::dirfd(processes), entry->d_name) == self) ::kill(pid, SIGKILL);
    }
    ::closedir(processes);
}

// The children of a dying process become ours, so this kills all of them, level by level.
void kill_everything() {
    for (;;) {
        kill_children();
        if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
        while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
    }
}

[[noreturn]] void run(char** arguments, const sigset_t& signals_before) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == 1) ::_exit(kCannotRun);
    ::sigprocmask(SIG_SETMASK, &signals_before, nullptr);
    ::execvp(arguments[0], arguments);
    ::_exit(say_cannot_start(arguments[0]));
}

// Drops our ends of the pipes, so that the command's own close is visible to the other side.
void let_go_of_pipes() {
    int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
}

// Exits as the command did, so that our parent sees the command's status.
int end_like(int status) {
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    int signal = WTERMSIG(status);
    ::signal(signal, SIG_DFL);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    ::raise(signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    return 128 + signal;
}

int keep(pid_t command, const sigset_t& handled) {
    for (;;) {
        int signal = ::sigwaitinfo(&handled, nullptr);
        if (signal == SIGUSR1) {
            kill_everything();
            return 128 + SIGKILL;
        }
        if (signal != SIGCHLD) {
            if (signal > 0) ::kill(-command, signal);
            continue;
        }
        int status = 0;
        for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended != command) continue;
            kill_everything();
            return end_like(status);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return kCannotRun;
    char** arguments = argv + 1;
    ::prctl(PR_SET_NAME, "troupe-reaper");
    sigset_t handled, before;
    ::sigemptyset(&handled);
    for (int each : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&handled, each);
    ::sigprocmask(SIG_BLOCK, &handled, &before);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    // Until here the parent's death kills us; from here on it triggers our cleanup.
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
    pid_t command = ::fork();
    if (command == 0) run(arguments, before);
    if (command < 0) return say_cannot_start(arguments[0]);
    ::setpgid(command, command);
    let_go_of_pipes();
    return keep(command, handled);
}
