#include "engine/cdp/temporary_profile.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/crypto.h"
#include "util/files.h"
#include "util/private_directory.h"
#include "util/processes.h"

namespace cdp {
namespace {

namespace fs = std::filesystem;

fs::path profiles_directory() { return cache_directory() / "profiles"; }

// The browser's last child processes may still be writing as they end.
void remove_patiently(const fs::path& directory, int milliseconds) {
    constexpr int kPause = 10;
    std::error_code failed;
    for (; milliseconds > 0 && fs::exists(directory, failed); milliseconds -= kPause) {
        fs::remove_all(directory, failed);
        if (!failed) break;
        ::poll(nullptr, 0, kPause);
    }
}

// Ends the browser that uses the directory, with the processes that it started: when it is killed with us,
// they go on until they notice.
void end_users(const fs::path& directory) {
    constexpr std::chrono::seconds kLimit{10};
    std::string argument = user_data_argument(directory);
    for (pid_t group : groups_with_argument(argument)) {
        if (group != ::getpgrp()) kill_group(group, kLimit);
    }
}

// They may have been about to create the directory again.
void keep_away(const fs::path& directory) {
    constexpr int kPause = 50;
    for (int milliseconds = 2'000; milliseconds > 0; milliseconds -= kPause) {
        ::poll(nullptr, 0, kPause);
        remove_patiently(directory, 1'000);
    }
}

bool is_recent(const fs::directory_entry& entry) {
    std::error_code failed;
    auto changed = entry.last_write_time(failed);
    return !failed && fs::file_time_type::clock::now() - changed < std::chrono::minutes(1);
}

}  // namespace

std::string user_data_argument(const fs::path& directory) { return "--user-data-dir=" + directory.string(); }

Result<std::unique_ptr<TemporaryProfile>> TemporaryProfile::create(const std::vector<std::string>& remover) {
    // The directory above may be a disk of its own, or a link of the user's.
    (void)ensure_private_directory(cache_directory());
    TRY(ensure_private_directory(profiles_directory()));
    // The remover is there before the directory, which so is never without one.
    std::unique_ptr<TemporaryProfile> profile(
        new TemporaryProfile(profiles_directory() / ("tmp-" + random_uuid().substr(24))));
    if (!remover.empty()) profile->start_remover(remover);
    if (::mkdir(profile->path_.c_str(), 0700) != 0) {
        return Error{.message = "Cannot create a browser profile in " + profiles_directory().string() + ": " +
                                std::strerror(errno) + ".",
                     .hint = "Make that directory writable, or set XDG_CACHE_HOME."};
    }
    profile->lock_ =
        Descriptor(::open((profile->path_ / ".troupe-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ::flock(profile->lock_.get(), LOCK_EX | LOCK_NB);
    return profile;
}

TemporaryProfile::~TemporaryProfile() {
    remove_patiently(path_, 200);
    // The browser has already ended.
    [[maybe_unused]] ssize_t ignored = ::write(remover_input_.get(), "e", 1);
    remover_input_ = Descriptor();
    if (remover_ > 0) ::waitpid(remover_, nullptr, 0);
}

// The remover has its own session and no death signal, unlike other child processes: it must outlive us.
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
        // Its owner may just be creating it; if it is old, the owner died before it had the lock.
        if (lock.get() < 0 && is_recent(entry)) continue;
        // Its owner is alive.
        if (lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
        fs::remove_all(entry.path(), failed);
    }
}

int remove_when_orphaned(const fs::path& directory) {
    for (int each : {SIGINT, SIGTERM, SIGHUP}) ::signal(each, SIG_IGN);
    bool is_orphan = true;
    for (;;) {
        char byte;
        ssize_t count = ::read(STDIN_FILENO, &byte, 1);
        if (count == 0 || (count < 0 && errno != EINTR)) break;
        if (count > 0) is_orphan = false;
    }
    if (is_orphan) end_users(directory);
    remove_patiently(directory, 15'000);
    if (is_orphan) keep_away(directory);
    return 0;
}

}  // namespace cdp
