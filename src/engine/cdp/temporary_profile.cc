#include "engine/cdp/temporary_profile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/files.h"

namespace cdp {
namespace {

namespace fs = std::filesystem;

fs::path profiles_directory() { return cache_directory() / "profiles"; }

// The browser's last children may still be writing as they die.
void remove_patiently(const fs::path& directory, int milliseconds) {
    constexpr int kPause = 10;
    std::error_code failed;
    for (; milliseconds > 0 && fs::exists(directory, failed); milliseconds -= kPause) {
        fs::remove_all(directory, failed);
        if (!failed) break;
        ::poll(nullptr, 0, kPause);
    }
}

}  // namespace

Result<std::unique_ptr<TemporaryProfile>> TemporaryProfile::create(const std::vector<std::string>& remover) {
    std::error_code failed;
    fs::create_directories(profiles_directory(), failed);
    std::string path = (profiles_directory() / "tmp-XXXXXX").string();
    if (!::mkdtemp(path.data())) {
        return Error{.message = "Cannot create a browser profile in " + profiles_directory().string() + ": " +
                                std::strerror(errno) + ".",
                     .hint = "Make that directory writable, or set XDG_CACHE_HOME."};
    }
    Descriptor lock(::open((path + "/.troupe-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ::flock(lock.get(), LOCK_EX | LOCK_NB);
    std::unique_ptr<TemporaryProfile> profile(new TemporaryProfile(path, std::move(lock)));
    if (!remover.empty()) profile->start_remover(remover);
    return profile;
}

TemporaryProfile::~TemporaryProfile() {
    remove_patiently(path_, 200);
    remover_input_ = Descriptor();
    if (remover_ > 0) ::waitpid(remover_, nullptr, 0);
}

// In a session of its own and without the death signal of other children: it has to outlive us.
void TemporaryProfile::start_remover(std::vector<std::string> command) {
    command.push_back(path_.string());
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    Descriptor input(ends[0]), output(ends[1]);
    remover_ = ::fork();
    if (remover_ == 0) {
        ::setsid();
        ::dup2(input.get(), STDIN_FILENO);
        int null = ::open("/dev/null", O_WRONLY);
        ::dup2(null, STDOUT_FILENO);
        ::dup2(null, STDERR_FILENO);
        ::close_range(3, ~0U, 0);
        ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }
    remover_input_ = std::move(output);
}

void remove_stale_profiles() {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(profiles_directory(), failed)) {
        if (!entry.path().filename().string().starts_with("tmp-")) continue;
        Descriptor lock(::open((entry.path() / ".troupe-lock").c_str(), O_RDWR | O_CLOEXEC));
        // Its owner lives, or is just making it.
        if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
        fs::remove_all(entry.path(), failed);
    }
}

int remove_when_orphaned(const fs::path& directory) {
    for (int each : {SIGINT, SIGTERM, SIGHUP}) ::signal(each, SIG_IGN);
    char byte;
    ssize_t count;
    do count = ::read(STDIN_FILENO, &byte, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    remove_patiently(directory, 15'000);
    return 0;
}

}  // namespace cdp
