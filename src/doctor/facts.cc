#include "doctor/facts.h"

#include <cerrno>
#include <gnu/libc-version.h>
#include <sched.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "util/files.h"
#include "util/strings.h"

namespace doctor {
namespace {

bool pidfd_works() {
    long fd = ::syscall(SYS_pidfd_open, ::getpid(), 0);
    if (fd < 0) return false;
    ::close(static_cast<int>(fd));
    return true;
}

// Tests in a child, because a process cannot leave its new namespace. The second step is the one that
// AppArmor forbids on machines that allow the first to every user.
bool user_namespaces_work() {
    pid_t child = ::fork();
    if (child < 0) return false;
    if (child == 0) {
        bool works = ::unshare(CLONE_NEWUSER) == 0 && ::unshare(CLONE_NEWPID | CLONE_NEWNET) == 0;
        ::_exit(works ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_setuid_root(const std::filesystem::path& file) {
    struct stat info{};
    return ::stat(file.c_str(), &info) == 0 && (info.st_mode & S_ISUID) && info.st_uid == 0;
}

}  // namespace

SystemFacts SystemFacts::current() {
    utsname kernel{};
    ::uname(&kernel);
    return {
        .os = pretty_name(read_file("/etc/os-release").value_or("")),
        .kernel = std::string(kernel.sysname) + " " + kernel.release,
        .libc = std::string("glibc ") + ::gnu_get_libc_version(),
        .can_watch_processes = pidfd_works(),
    };
}

SandboxFacts SandboxFacts::current(bool wanted, const std::filesystem::path& browser) {
    return {
        .wanted = wanted,
        .is_root = ::geteuid() == 0,
        .namespaces_work = user_namespaces_work(),
        .has_helper = is_setuid_root(browser.parent_path() / "chrome-sandbox"),
    };
}

std::string pretty_name(const std::string& os_release) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    for (const std::string& line : split(os_release, '\n')) {
        if (!line.starts_with(kKey)) continue;
        std::string_view name = trim(std::string_view(line).substr(kKey.size()));
        if (name.size() >= 2 && (name.front() == '"' || name.front() == '\''))
            name = name.substr(1, name.size() - 2);
        return std::string(name);
    }
    return "Linux";
}

std::optional<std::uintmax_t> shared_memory_bytes() {
    std::error_code failed;
    std::filesystem::space_info space = std::filesystem::space("/dev/shm", failed);
    if (failed) return std::nullopt;
    return space.capacity;
}

std::uint64_t open_files_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max;
}

}  // namespace doctor
