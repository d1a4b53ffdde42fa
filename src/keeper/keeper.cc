#include "upstream/keeper.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace upstream {
namespace {

constexpr int kCannotRun = 127;

// The parent of a process as /proc/<pid>/stat tells; 0 when it is gone.
pid_t parent_of(const char* pid) {
    std::string path = "/proc/" + std::string(pid) + "/stat";
    int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char buffer[512];
    ssize_t size = ::read(file, buffer, sizeof buffer);
    ::close(file);
    std::string_view text(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    // "12 (a name with anything in it) S 1 ..."
    std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos || name_end + 4 >= text.size()) return 0;
    pid_t parent = 0;
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
    return parent;
}

void kill_children() {
    DIR* processes = ::opendir("/proc");
    if (!processes) return;
    pid_t self = ::getpid();
    while (const dirent* entry = ::readdir(processes)) {
        pid_t pid = 0;
        std::from_chars(entry->d_name, entry->d_name + std::strlen(entry->d_name), pid);
        if (pid > 0 && parent_of(entry->d_name) == self) ::kill(pid, SIGKILL);
    }
    ::closedir(processes);
}

// The children of what dies become ours, so this gets all of them, level by level.
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
    std::fprintf(stderr, "Cannot start `%s`: %s.\n", arguments[0], std::strerror(errno));
    ::_exit(kCannotRun);
}

// So that the command is seen to close its pipes when it does.
void let_go_of_pipes() {
    int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
}

// Ends as the command did, so that whoever waits for us learns the truth.
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

}  // namespace

int keep(char** arguments) {
    sigset_t handled, before;
    ::sigemptyset(&handled);
    for (int each : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&handled, each);
    ::sigprocmask(SIG_BLOCK, &handled, &before);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    // Until here the parent's death kills us, from here on it lets us clean up.
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
    pid_t command = ::fork();
    if (command == 0) run(arguments, before);
    if (command < 0) {
        std::fprintf(stderr, "Cannot start `%s`: %s.\n", arguments[0], std::strerror(errno));
        return kCannotRun;
    }
    ::setpgid(command, command);
    let_go_of_pipes();
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

}  // namespace upstream
